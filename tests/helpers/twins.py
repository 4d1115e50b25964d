"""Compiled games beside the naive interpreter: the same chance, the same options, the same states."""

from __future__ import annotations

import random
from typing import Any

import numpy as np

from cardenvs.compiled.streams import seed_streams
from cardenvs.contract.spec import GameSpec
from cardenvs.recycle import Description
from cardenvs.recycle.compiler.alternatives import Alternative, Domain
from cardenvs.recycle.compiler.layout import Layout
from cardenvs.recycle.compiler.module import Module
from cardenvs.recycle.language.syntax import Kind
from tests.naive import recycle as naive

_MASK = (1 << 64) - 1
_GOLDEN = 0x9E3779B97F4A7C15


def _mixed(z: int) -> int:
    z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & _MASK
    z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & _MASK
    return z ^ (z >> 31)


class SplitMix:
    """Chance as compiled games have it."""

    def __init__(self, seed: int, state: int | None = None) -> None:
        self.seed = seed
        self.state = seed if state is None else state

    def below(self, n: int) -> int:
        """A number below n."""
        self.state = (self.state + _GOLDEN) & _MASK
        return ((_mixed(self.state) >> 32) * n) >> 32

    def of_decision(self, number: int) -> SplitMix:
        """The chance inside the options of a decision."""
        return SplitMix(self.seed, _mixed((self.seed + _GOLDEN * (number + 1)) & _MASK))


class Twins:
    """A game's description and its compiled form, step by step side by side."""

    def __init__(self, description: Description, spec: GameSpec) -> None:
        self.description, self.spec = description, spec
        self.layout = Layout(description)
        self.actions = Module(self.layout).actions
        self.games = spec.new_games(1)

    def play(self, games: int, seed: int) -> int:
        """Plays random games to their ends, and compares all there is to compare; returns the decisions."""
        streams, chooser = seed_streams(seed, 1), random.Random(seed)
        decisions = 0
        for _ in range(games):
            self.spec.kernels.deal(self.games, 0, streams, 0)
            twin = naive.Game(self.description, SplitMix(int(self.games[0]["chance"])))
            self.compare(twin)
            while not twin.over and twin.decisions < self.description.max_decisions:
                rows = self.rows(twin)
                row = rows[chooser.randrange(len(rows))]
                self.take(rows, row)
                twin.play(rows.index(row))
                decisions += 1
                self.compare(twin)
            if twin.over:
                self.compare_scores(twin)
        return decisions

    def _owner(self, owner: str, number: int) -> Any:
        return {"game": None, "player": naive.Seat(number), "team": naive.Side(number)}[owner]

    def compare(self, twin: naive.Game) -> None:
        """Compares two positions."""
        g = self.games[0]
        assert twin.over == (int(g["over"]) != 0)
        for place, (one, number) in enumerate(self.layout.places):
            key = (self._owner(one.owner, number), one.storage, one.name)
            wanted = [card.number for card in twin.memory.places.get(key, [])]
            found = [int(card) - 1 for card in g["cards"][place][: int(g["sizes"][place])]]
            assert found == wanted, f"{one} of {number} after {twin.decisions} decisions"
        for kind, listed, stored in (
            ("sto", self.layout.numbers, twin.memory.numbers),
            ("str", self.layout.texts, twin.memory.strings),
        ):
            field = {"sto": "numbers", "str": "texts"}[kind]
            for number, (one, owner) in enumerate(listed):
                value: Any = stored.get((self._owner(one.owner, owner), kind, one.name), 0 if kind == "sto" else "")
                found_value = int(g[field][number])
                shown: Any = found_value if kind == "sto" else self.layout.strings[found_value]
                assert shown == value, f"{one} of {owner} after {twin.decisions} decisions"
        if not twin.over:
            assert twin.current == int(g["to_act"])

    def take(self, rows: list[tuple[int, ...]], row: tuple[int, ...]) -> None:
        """Takes an option, value by value where it is chosen in parts; what is legal on the way must be what is left."""
        left, level = rows, 0
        while True:
            self.compare_legal([one[level] for one in left])
            left = [one for one in left if one[: level + 1] == row[: level + 1]]
            self.spec.kernels.step(self.games, 0, row[level])
            level += 1
            while len({one[: level + 1] for one in left}) == 1 and level < len(row):
                level += 1  # what is settled is not asked
            if len(set(left)) == 1:
                return
            assert int(self.games[0]["partial"]) == level

    def compare_legal(self, actions: list[int]) -> None:
        """Compares what is legal, and how many options each action stands for."""
        legal = self.spec.legal(self.games)
        assert {action for action in range(self.spec.num_actions) if legal >> action & 1} == set(actions)
        views = self.spec.new_games(1)
        self.spec.kernels.view(self.games, 0, int(self.games[0]["to_act"]), views, 0)
        assert self.spec.kernels.multiplicity is not None
        for action in set(actions):
            assert int(self.spec.kernels.multiplicity(views, 0, action)) == actions.count(action)

    def rows(self, twin: naive.Game) -> list[tuple[int, ...]]:
        """The actions, one behind the other, of each of the interpreter's options, in order."""
        found = []
        for option in twin.options():
            one = self.actions.alternatives[twin.choice.number][option.alternative]
            if one.in_parts and one.domains:
                found.append(self._row(twin, one, option))
                continue
            index = 0
            for value, at, domain in zip(option.values, option.path, one.domains, strict=True):
                entry = at if domain.blind else domain.values.index(self._value(twin, value, domain))
                index = index * len(domain.values) + entry
            found.append((one.actions[index],))
        return found

    def _row(self, twin: naive.Game, one: Alternative, option: naive.Option) -> tuple[int, ...]:
        row: list[int] = []
        groups: dict[int, list[int]] = {}
        for (place, value), domain in zip(enumerate(option.values), one.domains, strict=False):
            part = one.parts[place]
            if domain.kind is Kind.CARDS:
                row += [*sorted(part[self.layout.face_of[card.number]] for card in value), one.done]
            else:
                groups.setdefault(one.groups[place] if one.groups[place] >= 0 else -1 - place, []).append(len(row))
                entry = option.path[place] if domain.blind else domain.values.index(self._value(twin, value, domain))
                row.append(part[entry])
        for places in groups.values():
            for at, value in zip(places, sorted(row[at] for at in places), strict=True):
                row[at] = value
        return tuple(row + [one.done] * (one.width - len(row)))

    def _value(self, twin: naive.Game, value: Any, domain: Domain) -> int:
        match domain.kind:
            case Kind.CARD:
                return self.layout.face_of[value.number]
            case Kind.STRING:
                return self.layout.code[value]
            case Kind.SEAT:
                return int((value.number - twin.current) % self.layout.seats)
            case Kind.SIDE:
                return int(value.number)
        return int(value)

    def compare_scores(self, twin: naive.Game) -> None:
        """Compares the ends of two games."""
        points, tricks = np.zeros((1, self.spec.num_sides), np.int64), np.zeros((1, self.spec.seats), np.int64)
        winners = int(self.spec.kernels.outcome(self.games, 0, points, tricks))
        sign = 1 if self.description.scoring.best == "max" else -1
        wanted = [max(sign * twin.scores()[seat] for seat in team) for team in self.layout.teams]
        assert points[0].tolist() == wanted
        perfect = self.description.perfect
        best = max(wanted) if perfect is None else perfect.score
        assert winners == sum(1 << side for side, score in enumerate(wanted) if score == best)
