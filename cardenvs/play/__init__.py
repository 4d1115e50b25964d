"""Tables at which people and policies play: the logic, what each seat is shown, a server for browsers, a terminal."""
