"""Common code of the environments: the arguments of `reset` and `step`, and the cost of an illegal action.

An illegal action never pays. With ``illegal="terminate"`` it ends the episode with the greatest loss that the options and
the reward know, for the whole side that did it, and with as great a gain for the other side; with ``illegal="raise"`` it is
an error, and nothing is played. In a game that pays step by step, the loss replaces all that the deal's steps have paid
before.
"""

import inspect
from collections.abc import Callable, Collection, Iterable, Mapping
from typing import Any

import gymnasium
import numpy as np
import numpy.typing as npt

from cardenvs.checks import check_choice, check_int, check_mapping, did_you_mean, is_int, is_number, short
from cardenvs.contract.fields import Games
from cardenvs.contract.loops import RUNNING
from cardenvs.contract.registry import another_form, get_game
from cardenvs.contract.spec import GameSpec, rewards_of

ILLEGAL = ("terminate", "raise")
"""Possible effects of an illegal action, see the head of this file."""

DEAL_OPTIONS = ("deal", "dealer", "deck")
"""The keys of the options of `reset`; ``"deck"`` is missing in games whose deck cannot be given."""


_ELSEWHERE = {"max_cycles": "max_decisions", "max_steps": "max_decisions", "n_envs": "num_envs"}
"""Parameters of environments by their names in other libraries."""


class ResetNeeded(ValueError, gymnasium.error.ResetNeeded):
    """An environment was called that needs `reset` first: before the first episode, or after one."""


def check_illegal(illegal: Any) -> str:
    """Checks an argument ``illegal``; returns it, or raises ValueError if it is none of `ILLEGAL`."""
    check_choice("illegal", illegal, ILLEGAL)
    return str(illegal)


def check_reward(spec: GameSpec, reward: str | None, team_share: float) -> tuple[int, float]:
    """Checks a kind of reward (None: the game's first) and a ``team_share``; returns the kind's number, and a float."""
    kind = spec.reward_kind(spec.rewards[0] if reward is None else reward)
    if not is_number(team_share) or not 0.0 <= team_share <= 1.0:
        raise ValueError(f"team_share must be a number from 0 to 1, not {short(team_share)}")
    share = float(team_share)
    if not spec.team and share != 1:
        raise ValueError(f"team_share must be 1 in {spec.name}, which has no partners, not {team_share!r}")
    return kind, share


def check_limit(spec: GameSpec, max_decisions: int | None) -> int:
    """Checks ``max_decisions`` (None: the game's own limit, if any); returns it as kernels take it, 0 for no limit."""
    if max_decisions is None:
        return spec.max_decisions or 0
    return check_int("max_decisions", max_decisions, 1, spec.max_decisions)


def form_of(
    game: str | GameSpec, options: Mapping[str, Any], make: Callable[..., Any] | None = None
) -> tuple[GameSpec, dict[str, Any]]:
    """Returns the form of a game that keyword arguments choose by their parameters, and the other arguments.

    Args:
        options: rule options by name; in a game that has forms (`cardenvs.contract.forms.Family`), parameters, too, which
            replace those in the game's name.
        make: the function or class that was called, whose signature has the other known arguments; None allows any.

    Raises:
        ValueError: no such game, no such form of it, or an unknown argument; suggests the nearest name.
    """
    spec = get_game(game)
    chosen = {name: value for name, value in options.items() if name in spec.parameters}
    rest = {name: value for name, value in options.items() if name not in chosen}
    if make is not None:
        listed = inspect.signature(make).parameters.values()
        own = [one.name for one in listed if one.kind is not one.VAR_KEYWORD and one.name != "game"]
        check_names(spec, rest, own, inspect.ismethod(make) or hasattr(make, "reset"))
    return another_form(spec, **chosen) if chosen else spec, rest


def deal_options(spec: GameSpec) -> tuple[str, ...]:
    """Returns the keys that the options of a game's `reset` may have."""
    return DEAL_OPTIONS if spec.set_deck is not None else DEAL_OPTIONS[:-1]


def check_names(spec: GameSpec, names: Iterable[str], parameters: Collection[str], resets: bool = True) -> None:
    """Checks that arguments are parameters of a function or class, or rule options of its game.

    Args:
        resets: whether an environment is made, whose ``reset`` takes a deal.

    Raises:
        ValueError: one is neither; lists all rule options and parameters, and suggests the nearest.
    """
    known = [*(option.name for option in spec.options), *spec.parameters, *parameters]
    for name in names:
        if name not in known:
            meant = did_you_mean(_ELSEWHERE.get(name, name), known)
            if resets and name in deal_options(spec):
                meant = f". A {name} is given to reset: reset(options={{{name!r}: ...}})"
            raise ValueError(f"unknown option {name!r} for {spec.name}: the options are {', '.join(known)}{meant}")


def action_number(spec: GameSpec, action: Any) -> int:
    """Returns an action, an int of any integer type or an array of one without dimensions, as a Python int, legal or not.

    Raises ValueError for anything else, such as a float or a bool.
    """
    number = action[()] if isinstance(action, np.ndarray) and action.shape == () else action
    if not is_int(number):
        raise ValueError(f"an action of {spec.name} is an int from 0 to {spec.num_actions - 1}, not {short(action)}")
    return int(number)


def illegal_rewards(
    spec: GameSpec,
    options: dict[str, Any],
    reward: str | None,
    games: Games,
    seats: npt.NDArray[np.integer[Any]],
    share: float = 1.0,
) -> npt.NDArray[np.float32]:
    """Returns the rewards of all seats for an illegal action.

    Args:
        reward: the kind of reward; None for the game's first.
        games: the games' states, a structured array of shape (n,).
        seats: ints of shape (n,), the seats that have acted.
        share: the ``team_share`` by which the deal has paid so far, 0 to 1.

    Returns:
        float32 (n, seats), the final rewards of the deal minus those already paid (`GameSpec.pays_gains`). The side of the
        acting seat gets minus the greatest loss; the other side gains the same, shared evenly among several others, but
        nothing where scores are paid as they are. In a game of one side all seats lose.
    """
    reward = spec.rewards[0] if reward is None else reward
    kind, loss = spec.reward_kind(reward), spec.worst_loss(options, reward)
    sides = spec.seat_sides(games)
    same_side = sides == sides[np.arange(len(seats)), seats][:, None]
    gain = 0.0 if reward == "score" else loss / max(spec.num_sides - 1, 1)
    paid = np.where(same_side, -loss, gain)
    if spec.pays_gains(kind):
        paid = paid - rewards_of(spec, games, kind, share)
    return paid.astype(np.float32)


def check_reset_options(options: Any, known: Collection[str]) -> dict[str, Any]:
    """Returns the ``options`` of a `reset` as a new dict, empty for None; ValueError for no dict or an unknown key."""
    if options is None:
        return {}
    given = dict(check_mapping("options", options))
    for key in given:
        if key not in known:
            meant = did_you_mean(key, known)
            raise ValueError(f"unknown key {key!r} in options: the keys are {', '.join(known)}{meant}")
    return given


def apply_deal_options(
    spec: GameSpec, games: Games, options: dict[str, Any] | None, rules: dict[str, Any], limit: int = 0
) -> None:
    """Changes game 0 to the deal, the dealer and the deck in the ``options`` of an environment's ``reset``.

    Args:
        games: a structured array of shape (1,), already dealt; changed in place.
        options: ``"deal"``: a line of text as `GameSpec.text` writes it, whose actions are played, or a state of shape
            (1,). ``"dealer"``: a seat. ``"deck"``: the cards of the game in the order in which they are dealt and drawn, a
            list or an array of their names, or of ints (`GameSpec.set_deck`). Other keys are ignored.
        rules: rule options by name, for those that the line does not name.
        limit: the actions after which an episode is truncated; 0 for never.

    Raises:
        ValueError: the deal is not of this game, is over already or as long as an episode may be, the dealer is no seat, or
            the deck is not of this game, or is given beside a deal.
    """
    if not options:
        return
    deal = options.get("deal")
    deck = options.get("deck")
    if deck is not None and spec.set_deck is not None:
        if deal is not None:
            raise ValueError("deal and deck cannot both be given: a deal has its cards")
        spec.set_deck(games, 0, deck)
    if deal is not None:
        if isinstance(deal, str):
            games[:] = spec.parse(deal, **rules)
        elif isinstance(deal, np.ndarray) and deal.dtype == spec.dtype and deal.shape == (1,):
            games[:] = spec.check_state(deal, "deal", whole=True)
        else:
            raise ValueError(f"deal must be a text line or a state of {spec.name} of shape (1,), not {short(deal)}")
        if games[0]["over"] != RUNNING:
            raise ValueError("deal is over already: leave its last actions out")
        if limit and games[0]["moves"] >= limit:
            raise ValueError(f"deal has {int(games[0]['moves'])} actions already, and episodes are cut off after {limit}")
    dealer = options.get("dealer")
    if dealer is not None:
        if spec.set_dealer is None:
            raise ValueError(f"dealer cannot be chosen in {spec.name}, which has none")
        if not is_int(dealer) or not 0 <= dealer < spec.seats:
            raise ValueError(f"dealer must be a seat from 0 to {spec.seats - 1}, not {short(dealer)}")
        if games[0]["moves"]:
            raise ValueError("dealer cannot be chosen for a deal that has begun")
        spec.set_dealer(games, 0, int(dealer))
