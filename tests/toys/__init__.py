"""Three small games on the contract of `cardenvs.spec`, for what the games that come with the package do not have."""
