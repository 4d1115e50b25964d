"""Small random descriptions, grown from a recipe: every kind of place, of choice and of script, in any mixture.

A grown game ends, as each stage counts its turns, and is never stuck, as a turn that might have nothing to do has a way to
pass. Its cards are few, so that all that a seat must think possible can be listed.
"""

import random
from collections.abc import Callable

RANKS = ("ONE", "TWO", "THREE", "FOUR", "FIVE", "SIX", "SEVEN", "EIGHT")
SUITS = ("RED", "BLUE", "GREEN")
MINE = "((current player) iloc HAND)"
NEXT = "((next player) iloc HAND)"
STOCK = "(game iloc STOCK)"
PILE = "(game vloc PILE)"
SHOWN = "((current player) vloc SHOWN)"
OPEN = (PILE, SHOWN)
"""Where cards lie that everybody sees."""
HIDDEN = (
    "(game hloc AWAY)", "(game iloc OUT)", "((current player) hloc DOWN)", "((current player) iloc ASIDE)",
    "((current player) oloc BROW)", "((next player) oloc BROW)", NEXT,
)  # fmt: skip
"""Where cards go that not all may look at."""


class Grower:
    """Grows one game."""

    def __init__(self, rng: random.Random, most_cards: int) -> None:
        self.rng = rng
        self.seats = rng.choice((2, 2, 2, 3, 3, 4))
        self.suits = SUITS[: rng.choice((0, 0, 2, 2, 3))]
        self.copies = rng.choice((1, 1, 1, 2))
        width = max(1, len(self.suits)) * self.copies
        least = -(-max(4, self.seats + 1) // width)
        ranks = rng.randint(min(max(2, least), 8), max(min(8, most_cards // width), min(max(2, least), 8)))
        self.ranks = RANKS[:ranks]
        self.cards = ranks * width
        self.private: set[str] = set()
        self.stages = 0

    def word(self, *found: str) -> str:
        """One of some texts."""
        return self.rng.choice(found)

    def chance(self, share: float) -> bool:
        """Whether something is so, with this probability."""
        return self.rng.random() < share

    def secret(self, kind: str, name: str, share: float) -> str:
        """The name of a bin, private with this probability."""
        if self.chance(share):
            self.private.add(f"{kind} {name}")
        return name

    # --- tests and acts ---

    def trait(self, card: str) -> str:
        """A test of a card by what is printed on it."""
        if self.suits and self.chance(0.6):
            return f"(== (cardatt SUIT {card}) {self.word(*self.suits)})"
        if self.chance(0.5):
            return f"(== (cardatt RANK {card}) {self.word(*self.ranks)})"
        score = f"(score {card} using (game points WORTH))"
        return f"({self.word('<', '<=', '>', '>=')} {score} {self.rng.randint(1, len(self.ranks))})"

    def of_top(self, card: str) -> str:
        """A test of a card beside the top of the pile, which is not empty."""
        score = "(score {} using (game points WORTH))"
        if self.suits and self.chance(0.5):
            return f"(== (cardatt SUIT {card}) (cardatt SUIT (top {PILE})))"
        return f"({self.word('>', '>=', '<', '<=')} {score.format(card)} {score.format(f'(top {PILE})')})"

    def lay(self, card: str, hidden: float = 0.5) -> str:
        """An act that puts a card somewhere."""
        place = self.word(*HIDDEN) if self.chance(hidden) else self.word(*OPEN)
        act = f"(move {card} ({self.word('top', 'top', 'top', 'bottom')} {place}))"
        if self.chance(0.12):
            return f"(do ((remember {card} (top (game mem MARKED))) {act}))"
        return act

    def both(self, act: str) -> str:
        """An act with another one, or alone."""
        if self.chance(0.3):
            return f"(do ({act} (inc ({self.word('game', '(current player)')} sto MARKS) 1)))"
        return act

    # --- alternatives, which together leave a way to go on where cards are held ---

    def plain(self) -> list[str]:
        """Any card, somewhere."""
        return [f"(any {MINE} 'C {self.both(self.lay(chr(39) + 'C'))})"]

    def in_turn(self) -> list[str]:
        """Two ways to lay a card, of which one is open: in one choice and in parts."""
        first, second = self.lay("'C", 0.2), self.lay("'C", 0.2)
        return [
            f"((== (game sto SECOND) 0) (any {MINE} 'C (do ({first} (set (game sto SECOND) 1)))))",
            f"((== (game sto SECOND) 1) (do ((any {MINE} 'C {second}) (set (game sto SECOND) 0))))",
        ]

    def follow(self) -> list[str]:
        """Follow or beat the top of the pile; whoever cannot lays anything, passes or knocks."""
        test = self.of_top("'H")
        fits = f"(filter {MINE} 'H {test})"
        lies, none = f"(> (size {PILE}) 0)", f"(== (size {fits}) 0)"
        lay = f"(move 'C (top {PILE}))"
        other = self.word(
            "(turn pass)",
            "(inc ((current player) sto KNOCKS) 1)",
            f"(any {MINE} 'C {self.lay(chr(39) + 'C')})",
            f"((> (size {STOCK}) 0) (move (top {STOCK}) (top {MINE})))",
        )
        guard = f"(and {lies} {none})" if self.chance(0.7) else f"(and {none} {lies})"
        if guard.startswith(f"(and {none}"):  # the test must not look at the top of an empty pile
            guard = f"(and {lies} (not (any {MINE} 'H {test})))"
        made = [f"((== (size {PILE}) 0) (any {MINE} 'C {lay}))", f"({guard} {other})"]
        if self.chance(0.25):
            return [*made, f"({lies} (let {fits} 'F ((> (size 'F) 0) (any 'F 'C {lay}))))"]
        return [*made, f"({lies} (any {fits} 'C {lay}))"]

    def led(self) -> list[str]:
        """Follow the suit or the rank that was led, if able."""
        kind = "SUIT" if self.suits else "RANK"
        lay = f"(move 'C (top {PILE}))"
        led = f"(do ((set (game str LED) (cardatt {kind} 'C)) {lay}))"
        fits = f"(filter {MINE} 'H (== (cardatt {kind} 'H) (game str LED)))"
        return [
            f"((== (game str LED) NOTHING) (any {MINE} 'C {led}))",
            f"((!= (game str LED) NOTHING) (any {fits} 'C {lay}))",
            f"((and (!= (game str LED) NOTHING) (== (size {fits}) 0)) (any {MINE} 'C {lay}))",
        ]

    def drawing(self) -> list[str]:
        """Draw, and perhaps lay a card away in the same act."""
        draw = f"(move (top {STOCK}) (top {MINE}))"
        if self.chance(0.5):
            then = f"(any {MINE} 'C {self.lay(chr(39) + 'C')})"
            draw = f"(do ({draw} {then}))" if self.chance(0.7) else f"(do ({then} {draw}))"
        return [f"((> (size {STOCK}) 0) {draw})"]

    def blind(self) -> list[str]:
        """A card of the next hand, unseen."""
        lies = f"(> (size {NEXT}) 0)"
        if self.chance(0.5):
            return [f"({lies} (any {NEXT} 'C (move 'C (top {MINE}))))"]
        return [f"({lies} (move ({self.word('top', 'bottom')} {NEXT}) (top {MINE})))"]

    def bid(self) -> list[str]:
        """A number that the hand bounds."""
        name = self.secret("sto", "BID", 0.3)
        count = f"(size (filter {MINE} 'X {self.trait(chr(39) + 'X')}))"
        bid = f"(set ((current player) sto {name}) 'B)"
        return [f"(any (range 0 .. {self.rng.randint(1, 3)}) 'B ((<= 'B {count}) {bid}))"]

    def claim(self) -> list[str]:
        """What can be said only with, or without, such a card; and that nothing is said."""
        test = f"(any {MINE} 'X {self.trait(chr(39) + 'X')})"
        test = test if self.chance(0.5) else f"(not {test})"
        return [f"({test} (inc ((current player) sto CLAIMS) 1))", "(turn pass)"]

    def chosen(self) -> list[str]:
        """A word, which may be kept in secret."""
        name = self.secret("str", "MARK", 0.7)
        return [f"(any (LEFT, RIGHT) 'W (set ((current player) str {name}) 'W))"]

    def several(self) -> list[str]:
        """A set of cards, or two."""
        lay = f"(move 'C (top {self.word(*OPEN, *HIDDEN[:4])}))"
        kind = self.rng.randrange(4)
        if kind == 0:
            sets = f"(filter (subsets {MINE}) 'S (and (>= (size 'S) 1) (<= (size 'S) 2)))"
            return [f"(any {sets} 'S (all 'S 'C {lay}))"]
        if kind == 1:
            return [f"(any (partition RANK {MINE}) 'S (do ((all 'S 'C {lay}) (inc (game sto SETS) 1))))"]
        if kind == 2:
            second = f"(any {MINE} 'D (move 'D (top {self.word(*OPEN, *HIDDEN[:4])})))"
            return [f"((> (size {MINE}) 1) (do ((any {MINE} 'C {lay}) {second})))"]
        return [f"(any {MINE} 'C (any (LEFT, RIGHT) 'K (do ({lay} (set ((current player) str SAID) 'K)))))"]

    def give(self) -> list[str]:
        """A card for another player."""
        return [f"(any {MINE} 'C (any (other player) 'Q (move 'C (top ('Q iloc HAND)))))"]

    def take(self) -> list[str]:
        """A card that all have seen, into the hand."""
        place = self.word(*OPEN)
        which = f"(top {place})" if self.chance(0.5) else "'C"
        act = f"(move {which} (top {MINE}))"
        return [f"((> (size {place}) 0) {act})" if which != "'C" else f"(any {place} 'C {act})"]

    def back(self) -> list[str]:
        """A card that was laid aside."""
        place = self.word("((current player) iloc ASIDE)", "((current player) hloc DOWN)", "((current player) oloc BROW)")
        return [f"((> (size {place}) 0) (move (top {place}) (top {self.word(MINE, PILE)})))"]

    def ask(self) -> list[str]:
        """A question to another player, which the script answers, or the card itself."""
        test = "(== (cardatt RANK 'X) 'R)"
        answer = f"((any ('Q iloc HAND) 'X {test}) (inc ('Q sto HITS) 1))"
        if self.chance(0.5):
            answer = f"(all (filter ('Q iloc HAND) 'X {test}) 'Y (move 'Y (top {MINE})))"
        words = ", ".join(self.ranks[:3])
        return [f"(any (other player) 'Q (any ({words}) 'R (do ((set (game str ASKED) 'R) {answer}))))"]

    def choice(self) -> str:
        """A choice with a way out for whoever can do nothing."""
        kinds: list[Callable[[], list[str]]] = [
            self.plain, self.plain, self.in_turn, self.follow, self.follow, self.led, self.drawing, self.blind, self.bid,
            self.claim, self.chosen, self.several, self.several, self.give, self.take, self.back, self.ask,
        ]  # fmt: skip
        made = [one for kind in self.rng.sample(kinds, self.rng.choice((1, 1, 1, 2))) for one in kind()]
        passing = "(turn pass)" if self.chance(0.3) else f"((== (size {MINE}) 0) (turn pass))"
        if "(turn pass)" not in made:
            made.append(passing)
        # Whether cards are held or not, there must be something to do: what depends on other places has a way out, too.
        if not self.sure(made):
            made[-1] = "(turn pass)"
        return f"(choice ({' '.join(made)}))"

    @staticmethod
    def sure(made: list[str]) -> bool:
        """Whether whoever holds a card has something to do in any case."""
        return any(
            one == "(turn pass)"
            or one.startswith((f"(any {MINE} 'C", "(any (range", "(any (LEFT", "(any (partition RANK (("))
            for one in made
        ) or (
            any(
                one.startswith(("((== (game sto SECOND) 0)", f"((== (size {PILE}) 0) (any", "((== (game str LED) NOTHING)"))
                for one in made
            )
            and not any("(top (game iloc STOCK))" in one for one in made)
        )

    # --- the script ---

    def opening(self) -> list[str]:
        """Shuffle, deal, and what else there may be before the first choice."""
        most = min(3, (self.cards - 1) // self.seats)
        hand = self.rng.randint(1, max(1, most))
        left = self.cards - hand * self.seats
        acts = [f"(shuffle {STOCK})", f"(all player 'P (repeat {hand} (move (top {STOCK}) (top ('P iloc HAND)))))"]
        if left > 0 and self.chance(0.5):
            acts.append(f"(move (top {STOCK}) (top {PILE}))")
            if self.chance(0.4):
                place = self.word("((0 player) iloc HAND)", "((1 player) iloc HAND)", "(game hloc AWAY)", "(game iloc OUT)")
                acts.append(f"(move (top {PILE}) (top {place}))")
        for extra in (self.role, self.lowest, self.told, self.marked, self.beginning):
            if self.chance(0.13):
                acts.append(extra())
        return acts

    def role(self) -> str:
        """A word copied from a card of the owner's, or of nobody's."""
        kind = "SUIT" if self.suits else "RANK"
        if self.chance(0.3):
            return f"(set (game str {self.secret('str', 'TRUMP', 0.8)}) (cardatt {kind} (top {STOCK})))"
        name = self.secret("str", "ROLE", 0.8)
        return f"(all player 'P (set ('P str {name}) (cardatt {kind} ({self.word('top', 'bottom')} ('P iloc HAND)))))"

    def lowest(self) -> str:
        """Whoever has the lowest or the highest card begins."""
        cards = "(union (all player 'P ('P iloc HAND)))"
        which = "min" if self.copies == 1 and not self.suits else "max"
        map_ = "ORDER" if self.suits else "WORTH"
        return f"(cycle current (owner ({which} {cards} using (game points {map_}))))"

    def told(self) -> str:
        """A public bin that depends on hidden cards."""
        test = self.trait("'X")
        if self.chance(0.5):
            return f"(all player 'P ((any ('P iloc HAND) 'X {test}) (inc ('P sto HAS) 1)))"
        return f"(all player 'P (set ('P sto HAS) (size (filter ('P iloc HAND) 'X {test}))))"

    def marked(self) -> str:
        """A card that all remember."""
        return f"(remember (top (({self.rng.randint(0, 1)} player) iloc HAND)) (top (game mem MARKED)))"

    def beginning(self) -> str:
        """A card shown to all but its owner."""
        return f"(all player 'P ((> (size {STOCK}) 0) (move (top {STOCK}) (top ('P oloc BROW)))))"

    def effect(self) -> str:
        """What the script does behind a turn."""
        return self.word(
            f"((any {MINE} 'X {self.trait(chr(39) + 'X')}) (inc (game sto HINTS) 1))",
            f"((> (size {STOCK}) 1) (shuffle {STOCK}))",
            f"((> (size {MINE}) 1) (shuffle {MINE}))",
            f"(set (game str TOLD) (cardatt RANK (top {STOCK})))",
            f"((> (size {STOCK}) 0) (move (top {STOCK}) (top {MINE})))",
            f"((> (size {STOCK}) 0) (move (top {STOCK}) (top {PILE})))",
            f"((> (size {PILE}) 1) (do ((repeat all (move (top {PILE}) (top {STOCK}))) (shuffle {STOCK}))))",
            f"((> (size ((current player) iloc ASIDE)) 0) (move (top ((current player) iloc ASIDE)) (top {NEXT})))",
            f"((> (size {SHOWN}) 0) (move (top {SHOWN}) (top {MINE})))",
            f"((> (size {SHOWN}) 0) (move (top {SHOWN}) (top {self.word(*HIDDEN[:3])})))",
            "((> (size (game mem MARKED)) 0) (forget (top (game mem MARKED))))",
            f"((> (size {NEXT}) 0) (move (top {NEXT}) (top {MINE})))",
            "(set (game str LED) NOTHING)",
            f"((== (size {MINE}) 0) (inc ((current player) sto OUTS) 1))",
        )

    def stage(self, turns: int) -> str:
        """A stage that counts its turns."""
        self.stages += 1
        name = f"T{'ABCDEF'[self.stages]}"
        effects = "".join(f" (do ({self.effect()}))" for _ in range(self.rng.choice((0, 0, 1, 1, 2))))
        start = f"(do ((set (game sto {name}) 0) (set (game str LED) NOTHING)))"
        return (
            f"{start}\n (stage player (end (>= (game sto {name}) {turns}))\n  {self.choice()}\n"
            f"  (do ((inc (game sto {name}) 1))){effects})"
        )

    def text(self) -> str:
        """The description."""
        values = " ".join(f"((RANK : {rank}) {k + 1})" for k, rank in enumerate(self.ranks))
        order = (
            " ".join(f"((RANK : {rank}) {k * max(1, len(self.suits)) + 1})" for k, rank in enumerate(self.ranks))
            + " "
            + " ".join(f"((SUIT : {suit}) {k})" for k, suit in enumerate(self.suits))
        )
        acts = [f"(set (game points WORTH) ({values}))", f"(set (game points ORDER) ({order.strip()}))", *self.opening()]
        stages = [self.stage(self.rng.randint(1, 2) * self.seats) for _ in range(self.rng.choice((1, 1, 2)))]
        body = "\n ".join(stages)
        if self.chance(0.15):
            body = f"(stage player (end (== (game sto ROUND) 2))\n {body}\n (do ((inc (game sto ROUND) 1))))"
        deck = f"(RANK ({', '.join(self.ranks)}))" + (f" (SUIT ({', '.join(self.suits)}))" if self.suits else "")
        create = f"(create deck {STOCK} (deck {deck}))"
        create = f"(repeat {self.copies} {create})" if self.copies > 1 else create
        score = self.word(f"(sum {MINE} using (game points WORTH))", "((current player) sto MARKS)", f"(size {MINE})")
        private = "".join(f";;! private {one}\n" for one in sorted(self.private))
        dealt = "\n  ".join(acts)
        teams = ""
        if self.seats == 4 and self.chance(0.4):
            teams = " (create teams (0, 2) (1, 3))"
            body += f"\n (do ((all (other team) 'T (inc ('T sto MARKS) (sum {PILE} using (game points WORTH))))))"
        text = (
            f"{private}(game\n (setup (create players {self.seats}){teams} {create})\n (do (\n  {dealt}))\n {body}\n"
            f" (scoring {self.word('max', 'min')} {score}))\n"
        )
        if self.chance(0.15):
            text = text.replace("vloc PILE", "vloc 3").replace("hloc AWAY", "hloc (- 4 1)").replace("sto MARKS", "sto 7")
        return text


class Teller(Grower):
    """Grows a game in which something is told of hidden cards, by ``(tell ..)``."""

    def effect(self) -> str:
        return self.telling() if self.chance(0.5) else super().effect()

    def opening(self) -> list[str]:
        return [*super().opening(), *([self.telling()] if self.chance(0.3) else [])]

    def claim(self) -> list[str]:
        """A hint to another player, about each card of a hand or about the whole."""
        hand = self.word("('Q iloc HAND)", "('Q oloc BROW)")
        if self.chance(0.5):
            words = ", ".join(self.ranks[:3])
            each = f"(all {hand} 'X (tell {self.word('', 'game', chr(39) + 'Q')} (== (cardatt RANK 'X) 'R)))"
            return [f"(any (other player) 'Q (any ({words}) 'R {each}))", "(turn pass)"]
        return [f"(any (other player) 'Q (tell {self.word('', chr(39) + 'Q')} {self.test(hand)}))", "(turn pass)"]

    def test(self, place: str) -> str:
        """A test of all cards of a place."""
        trait = self.trait("'X")
        some = self.word(f"(any {place} 'X {trait})", f"(all {place} 'X {trait})")
        return self.word(
            some, f"(not {some})", f"(and {some} (> (size {place}) 1))", f"(or {some} (== (size {PILE}) 0))",
            f"({self.word('==', '<=', '>')} (size (filter {place} 'X {trait})) {self.rng.randint(0, 1)})",
            f"(> (sum {place} using (game points WORTH)) {self.rng.randint(1, 6)})",
        )  # fmt: skip

    def telling(self) -> str:
        """An act of the script that tells something."""
        who = self.word("", "", "game", "(current player)", "(next player)", "(0 player)")
        place = self.word(STOCK, MINE, NEXT, *HIDDEN)
        card = f"({self.word('top', 'bottom')} {place})"
        act = self.word(
            f"(all {place} 'X (tell {who} {self.trait(chr(39) + 'X')}))",
            f"((> (size {place}) 0) (tell {who} {self.trait(card)}))",
            f"(tell {who} {self.test(place)})",
            f"((> (size {place}) 0) (tell {who} (or {self.trait(card)} {self.test(MINE)})))",
        )
        return f"({self.test(MINE)} {act})" if self.chance(0.15) else act


def grown(rng: random.Random, most_cards: int = 16, recipe: type[Grower] = Grower) -> str:
    """The text of a random description."""
    return recipe(rng, most_cards).text()
