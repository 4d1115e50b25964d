"""The action that an answer in prose names."""

import re
from collections.abc import Callable

from cardenvs.contract.cards import FULL_DECK, RANK_NAMES, SUIT_NAMES, SUIT_SYMBOLS, SUITS

# A line "ACTION: name", or a JSON object's entry.
_SAID = re.compile(r"\baction\b[\"'*_`\s]*[:=]\s*([^\n}]+)", re.IGNORECASE)


class ActionReader:
    """Finds actions in answers: by names, disguised by ``hide``, in either case; cards also as "9♣" or "nine of clubs"."""

    def __init__(self, actions: tuple[str, ...], hide: Callable[[str], str]) -> None:
        numbers = {other: number for number, name in enumerate(actions) for other in [*_other_names(name), name]}
        self._numbers = {hide(name).lower(): number for name, number in numbers.items()}
        names = "|".join(re.escape(name) for name in sorted(self._numbers, key=len, reverse=True))
        self._named = re.compile(rf"(?<![\w-])(?:{names})(?![\w-])")

    def find_action(self, answer: str) -> int | None:
        """Returns the number of the one action that is named behind the last ``ACTION:``, or else in the last line."""
        said = _SAID.findall(answer) or [line for line in answer.splitlines() if line.strip()]
        text = said[-1].strip("\"'*`.,;! \t\r").lower() if said else ""
        found = {self._numbers[name] for name in ([text] if text in self._numbers else self._named.findall(text))}
        return found.pop() if len(found) == 1 else None


def _other_names(action: str) -> list[str]:
    """Returns other names of an action that is a card, ``9c`` or ``nine-clubs``; none for other actions."""
    rank, suit = FULL_DECK.ranks.find(action[0]), SUITS.find(action[1:])
    words = action.split("-")
    if len(words) > 1 and words[-1] in SUIT_NAMES and words[-2] in RANK_NAMES:
        rank, suit = RANK_NAMES.index(words[-2]), SUIT_NAMES.index(words[-1])
    elif len(action) != 2 or min(rank, suit) < 0:
        return []
    ranks = [FULL_DECK.ranks[rank], RANK_NAMES[rank], *(["10"] if RANK_NAMES[rank] == "ten" else [])]
    return [a + b for a in ranks for b in (SUITS[suit], SUIT_SYMBOLS[suit], f" of {SUIT_NAMES[suit]}")]
