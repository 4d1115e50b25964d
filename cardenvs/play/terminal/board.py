"""The printed rows of a plain table: piles, numbers and names by owner, the numbered options, the ranking."""

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from rich.cells import cell_len
from rich.text import Text

Drawn = Callable[[str], Text]  # draws a card of the pack of 52 by its two letters
_SHORT = 16  # maximum number of characters of a label that shares its line


def board_rows(view: Mapping[str, Any], drawn: Drawn) -> list[Text]:
    """Returns the lines of a view's plain table: the game's piles first, then those of teams, then those of seats."""
    board, rows = view["board"], []
    items = [*board["piles"], *board["tallies"]]
    owners = dict.fromkeys((one["owner"], one["number"]) for one in items)
    owners |= dict.fromkeys(("player", seat["seat"]) for seat in view["seats"])
    for owner in sorted(owners, key=lambda one: (("game", "team", "player").index(one[0]), one[1])):
        rows.append(_owner_row(view, *owner))
        piles = [pile for pile in board["piles"] if (pile["owner"], pile["number"]) == owner and _is_drawn(view, pile)]
        width = max((cell_len(pile["name"]) for pile in piles), default=0)
        for pile in piles:
            head = Text(f"    {pile['name']}{' ' * (width - cell_len(pile['name']))}  ")
            rows += _noted_rows(pile, head, drawn) if "notes" in pile else [head.append(_pile_text(pile, drawn))]
        tallies = [one for one in board["tallies"] if (one["owner"], one["number"]) == owner]
        if tallies:
            rows.append(Text("    " + ", ".join(f"{one['name']} {_value_text(one['value'])}" for one in tallies)))
    if view["last_trick"] and not view["trick"] and not view["deal_over"]:
        rows.append(Text("  last trick: ").append(trick_text(view, view["last_trick"], drawn)))
    return rows


def trick_text(view: Mapping[str, Any], trick: Mapping[str, Any], drawn: Drawn) -> Text:
    """Returns a finished trick in a line: each card behind its player, then the winner, if known."""
    line = Text()
    for one in trick["cards"]:
        card = drawn(one["card"]) if one["card"] else Text((one.get("name") or "--").replace(" ", "-"))
        line.append(f"{view['seats'][one['seat']]['name']} ").append(card).append("  ")
    if trick["winner"] is not None:
        name = view["seats"][trick["winner"]]["name"]
        line.append(f"won by {'you' if name == 'You' else name}")
    return line


def _is_drawn(view: Mapping[str, Any], pile: Mapping[str, Any]) -> bool:
    """Whether a pile has a line: in games of tricks only piles with cards."""
    return bool(pile["cards"]) or not view["board"]["tricks"]


def _owner_row(view: Mapping[str, Any], owner: str, number: int) -> Text:
    if owner == "game":
        return Text("  the table")
    if owner == "team":
        members = " and ".join(view["seats"][seat]["name"] for seat in view["board"]["teams"][number])
        return Text(f"  team {number}: {members}")
    mark = ">" if view["to_act"] == number else " "
    return Text(f"{mark} {number}: {view['seats'][number]['name']}", "bold")


def _pile_text(pile: Mapping[str, Any], drawn: Drawn) -> Text:
    """Returns a pile's cards, the unseen ones by their number; the last one lies on top if that is known."""
    hidden = sum(card is None for card in pile["cards"])
    line = Text()
    if pile["shown"] == "number":
        return line.append(f"{len(pile['cards'])} card{'s' * (len(pile['cards']) != 1)}")
    if pile["ordered"] and hidden < len(pile["cards"]):
        words = [Text("--") if card is None else _card_text(card, drawn) for card in pile["cards"]]
        line.append(Text(" ").join(words)).append("  (the last on top)" if len(words) > 1 else "", "dim")
        return line
    words = [_card_text(card, drawn) for card in pile["cards"] if card is not None]
    words += [Text(f"{hidden} face down")] if hidden else []
    return line.append(Text(" ").join(words) if words else Text("empty", "dim"))


def _noted_rows(pile: Mapping[str, Any], head: Text, drawn: Drawn) -> list[Text]:
    """Returns a hand seen from behind: its cards by number, ``*`` for the last action's, its owner's knowledge below."""
    columns = []
    for number, (card, note) in enumerate(zip(pile["cards"], pile["notes"], strict=True), 1):
        mark = "*" if number - 1 in pile["touched"] else ""
        told = f"told {note['told']['sign']}" if note["told"] else ""
        face = Text("--") if card is None else _card_text(card, drawn)
        columns.append([Text(f"{number}: ", "dim").append(face).append(mark), Text(told), *map(Text, note["best"])])
    widths = [max(cell.cell_len for cell in column) for column in columns]
    rows, margin = [], " " * head.cell_len
    for k in range(max(map(len, columns), default=1)):
        line = head if k == 0 else Text(margin)
        for column, width in zip(columns, widths, strict=True):
            cell = column[k] if k < len(column) else Text("")
            line.append(cell).append(" " * (width - cell.cell_len + 2))
        line.rstrip()
        rows.append(line)
    return [row for row in rows if row.plain.strip()]


def _card_text(card: Mapping[str, Any], drawn: Drawn) -> Text:
    """Returns a card; one that is not of the pack of 52 by its sign, or by its name in one word."""
    return drawn(card["card"]) if card["card"] else Text(card.get("sign") or card["name"].replace(" ", "-"))


def _value_text(value: int | str | None) -> str:
    return "hidden" if value is None else str(value) or "-"


def offer_rows(view: Mapping[str, Any], drawn: Drawn, width: int) -> list[Text]:
    """Returns the options with their numbers, unless they are numbers, in lines of ``width`` characters."""
    numbered = not any(entry["action"].isdecimal() for entry in view["legal"])
    labels = []
    for number, entry in enumerate(view["legal"], 1):
        label = Text(f"{number}: " if numbered else "", "dim")
        labels.append(label.append(offer_text(view, entry, drawn)))
    chosen = view["board"]["chosen"] if view["board"] else []
    return [Text(f"  chosen so far: {'; '.join(chosen)}")] * bool(chosen) + list(_fill_lines(labels, width))


def offer_text(view: Mapping[str, Any], entry: Mapping[str, Any], drawn: Drawn) -> Text:
    """Returns an option: the card if it is nothing else, or its label."""
    card = offered_card(view, entry)
    if card is not None and card["card"] and card["name"] == entry["label"]:
        return drawn(card["card"])
    return Text(entry["label"])


def offered_card(view: Mapping[str, Any], entry: Mapping[str, Any]) -> Mapping[str, Any] | None:
    """Returns the visible card that an option chooses, or None."""
    if not entry.get("at"):
        return None
    pile, place = entry["at"]
    card: Mapping[str, Any] = view["board"]["piles"][pile]["cards"][place]
    return card


def _fill_lines(labels: Iterable[Text], width: int) -> Iterable[Text]:
    line = Text("  you can")
    for label in labels:
        if line.cell_len + 3 + label.cell_len > width and line.cell_len > _SHORT:
            yield line
            line = Text("         ")
        line.append("   ").append(label)
    yield line


def ranking_rows(view: Mapping[str, Any]) -> list[Text]:
    """Returns the viewer's place, if not the first, and the ranking with points, once a deal is over."""
    ranked = (view["result"] or {}).get("ranking") or []
    least = ", the least wins" if view["board"]["least"] else ""
    rows = [Text(f"  {one['rank']}. {one['name']}: {one['points']}") for one in ranked]
    you = view["you"]
    own = None if you is None else view["seats"][you]["side"]
    place = [Text(f"You come {one['place']}.") for one in ranked if one["side"] == own and one["rank"] > 1]
    return [*place, Text(f"Points{least}:"), *rows] if rows else []
