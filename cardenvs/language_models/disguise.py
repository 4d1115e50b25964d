"""A game's title, suits, ranks and terms under other names: what books say of the game does not help."""

import re
from collections.abc import Iterator
from hashlib import sha256
from itertools import chain, combinations, product

from cardenvs.checks import check_int
from cardenvs.contract.cards import FULL_DECK, RANK_NAMES, SUIT_NAMES, SUIT_SYMBOLS, SUITS
from cardenvs.contract.spec import GameSpec

_TERMS = ("trump", "trick", "maker", "firework", "bower", "kitty")
_COLOURS = ("red", "yellow", "green", "white", "blue")
_STARTS = {
    "rank": "ba co de fi go hu la me ni po ru sa vo zu", "suit": "ja qui wo xe", "colour": "co de fi hu la me ni po",
    "term": "ka ke ki ko ku ta te ti to tu",
}  # fmt: skip
"""Beginnings of the other names, with different first letters where these stand in cards."""
_ENDS = "bek", "dil", "fom", "kun", "lem", "mip", "nod", "pud", "ras", "tob", "vim", "zel"


def card_names(game: GameSpec) -> list[str]:
    """Returns the cards of a game that writes them by two letters, such as ``9c``, by suit and rank."""
    labels = {label for part in game.parts for label in part.labels}
    return [rank + suit for suit in SUITS for rank in FULL_DECK.ranks if rank + suit in labels]


class Disguise:
    """Other names for the title, suits, ranks and terms of a game with cards as ``9c`` or ``R1``; `reveal` undoes `hide`.

    Words such as "five" are numbers, no ranks, unless a suit follows or, as in Euchre, the game has no twos.
    """

    def __init__(self, game: GameSpec, seed: int) -> None:
        self._seed = check_int("disguise", seed, 0)
        cards, terms = card_names(game), self._draw("term")
        pairs = {title: next(terms).capitalize() for title in sorted({game.title, game.family, game.family.capitalize()})}
        words = dict(zip(_TERMS, terms, strict=False))
        if cards:
            ranks, suits = dict(zip(RANK_NAMES, self._draw("rank"), strict=False)), list(self._draw("suit"))
            lowest = 9 if "2c" in cards else FULL_DECK.ranks.index(cards[0][0])
            words |= {rank: new for rank, new in ranks.items() if rank in RANK_NAMES[lowest:]}
            words |= {name[:-1]: new for name, new in zip(SUIT_NAMES, suits, strict=True)}
            pairs |= dict(zip(SUIT_SYMBOLS, sorted("▲●■◆", key=self._hash), strict=True))
            for (k, (rank, new)), (j, suit) in product(enumerate(ranks.items()), enumerate(suits)):
                pairs[FULL_DECK.ranks[k] + SUITS[j]] = new[0].upper() + suit[0]
                pairs[FULL_DECK.ranks[k] + SUIT_SYMBOLS[j]] = new[0].upper() + pairs[SUIT_SYMBOLS[j]]
                pairs[f"{rank} of {SUIT_NAMES[j]}"] = f"{new} of {suit}s"
        elif any("R1" in part.labels for part in game.parts):
            words |= dict(zip(_COLOURS, self._draw("colour"), strict=False))
            letters = {name[0].upper(): words[name][0].upper() for name in _COLOURS}
            open_colours = chain.from_iterable(combinations(letters, k) for k in range(1, len(letters) + 1))
            pairs |= {"".join(some): "".join(map(letters.__getitem__, some)) for some in open_colours}
        else:
            raise ValueError(f"disguise must be none in {game.name}: it is for games that write cards as 9c or as R1")
        for old, new in words.items():
            pairs |= {old: new, f"{old}s": f"{new}s"}
            pairs |= {old.capitalize(): new.capitalize(), f"{old.capitalize()}s": f"{new.capitalize()}s"}
        self._hidden, self._revealed = pairs, {new: old for old, new in pairs.items()}

    def _hash(self, text: str) -> bytes:
        return sha256(f"{self._seed} {text}".encode()).digest()

    def _draw(self, kind: str) -> Iterator[str]:
        """Yields other names of a kind in an order by the seed."""
        for start in sorted(_STARTS[kind].split(), key=self._hash):
            yield start + _ENDS[self._hash(start)[-1] % len(_ENDS)]

    def hide(self, text: str) -> str:
        """Returns a text of the game with the other names."""
        return _replaced(text, self._hidden)

    def reveal(self, text: str) -> str:
        """Returns a text with the other names, such as a transcript's, with the game's own."""
        return _replaced(text, self._revealed)


def _replaced(text: str, pairs: dict[str, str]) -> str:
    names = "|".join(map(re.escape, sorted(pairs, key=len, reverse=True)))
    return re.sub(rf"(?<![A-Za-z0-9])(?:{names})(?![A-Za-z])", lambda match: pairs[match[0]], text)
