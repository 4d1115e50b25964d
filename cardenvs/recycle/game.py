"""A described game as a `GameSpec`, compiled from a description."""

import functools
import hashlib
import os
import re
import sys
import types
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from cardenvs.checks import did_you_mean
from cardenvs.compiled.bits import Ints
from cardenvs.compiled.streams import seed_streams
from cardenvs.contract.board import board_text
from cardenvs.contract.kernels import Kernels
from cardenvs.contract.layout import Layout as Declared
from cardenvs.contract.loops import RUNNING
from cardenvs.contract.options import Option
from cardenvs.contract.outcome import ActionWords, Endings
from cardenvs.contract.registry import file_game_name, game_file
from cardenvs.contract.spec import GameSpec
from cardenvs.recycle.boards import Boards
from cardenvs.recycle.compiler.labels import ActionLabels, ToldWords, display_name
from cardenvs.recycle.compiler.layout import Layout
from cardenvs.recycle.compiler.module import Module
from cardenvs.recycle.compiler.symmetries import symmetries
from cardenvs.recycle.language.errors import RecycleError
from cardenvs.recycle.language.parser import load
from cardenvs.recycle.language.symbols import Owned
from cardenvs.recycle.language.syntax import Description, Perfect, RuleOption
from cardenvs.recycle.library import SUFFIX, remarks, shipped_names
from cardenvs.recycle.running.deals import Deals
from cardenvs.recycle.running.faults import FAULTS, Faults
from cardenvs.recycle.running.judging import make_flaw_kernel, make_reveal_kernel
from cardenvs.recycle.running.keys import make_key_kernel
from cardenvs.recycle.running.observing import make_decode_kernel, make_observe_kernel
from cardenvs.recycle.running.past import make_recall_kernels
from cardenvs.recycle.running.redealing import make_redeal_kernels
from cardenvs.recycle.running.tables import Tables
from cardenvs.recycle.running.viewing import make_private_kernels, make_settle_kernel, make_view_kernel
from cardenvs.recycle.view_audit import Sights, untrue


def _import_module(text: str, faults: Faults) -> Any:
    """Imports the module of a text, named by the text's digest, so that compiled code is found again."""
    digest = hashlib.sha256(text.encode("utf-8", "backslashreplace")).hexdigest()[:16]
    name = f"cardenvs.recycle.described_{digest}"
    FAULTS[name] = faults
    if name not in sys.modules:
        sys.modules[name] = types.ModuleType(name)  # numba looks for it there
        try:
            exec(compile(text, f"<{name}>", "exec"), vars(sys.modules[name]))
        except BaseException:  # Ctrl-C in a notebook, say: half a module is none
            del sys.modules[name]
            raise
    return sys.modules[name]


def find(game: str) -> Description:
    """Loads a description by its path, or by a name such as ``"hearts"``; a RecycleError says where and why it fails."""
    path = game_file(game) or game
    try:
        return load(path)
    except RecycleError as error:
        if os.path.lexists(path):
            raise
        ending = SUFFIX if game.endswith(SUFFIX) else ""
        meant = did_you_mean(game.removesuffix(SUFFIX), shipped_names())
        meant = meant.replace("?", f"{ending}?") if os.path.basename(game) == game else ""
        raise RecycleError(f"{error.message}{meant}", error.at, error.name) from None


def described_game(path: str) -> GameSpec:
    """Returns the game of a file, compiled again if the file has changed; a RecycleError says where and why it fails."""
    try:
        file, whole = os.stat(path), os.path.abspath(path)
        return _of_file(whole, file_game_name(whole), file.st_mtime_ns, file.st_size)
    except RecycleError as error:
        raise error.named(path) from None
    except (OSError, ValueError):
        find(path)  # which says what is wrong
        raise


@functools.lru_cache(maxsize=64)
def _of_file(path: str, name: str, changed: int, size: int) -> GameSpec:
    """Compiles a file; ``changed`` and ``size`` are only keys of the cache."""
    del changed, size
    file = os.path.basename(path)  # what is compiled must not depend on the folder, so that it is found again elsewhere
    return compiled(replace(load(path), name=file), name, path=path)


def compiled(description: Description, name: str, title: str | None = None, path: str | None = None) -> GameSpec:
    """Compiles a description; ``title`` is for people, ``path`` the absolute path of its file.

    Raises:
        RecycleError: the description is too large to be compiled.
    """
    layout = Layout(description)
    module = Module(layout)
    title = title or name.removesuffix(SUFFIX).replace("-", " ").capitalize()
    code = _import_module(module.source_text(), module.faults)
    dtype = np.dtype(module.fields, align=True)
    kernels, visible = _make_kernels(name, module, code, dtype), module.tables["VISIBLE"]
    actions = tuple(module.encoding.names)
    deals = Deals(name, dtype, actions, code, kernels.flaw)
    boards = Boards(layout, module, dtype, kernels.view)
    labels = ActionLabels(layout, module.actions, boards.faces, actions)

    def draw_position(state: Any, seat: int | None = None) -> str:
        return board_text(boards(state, seat), title)

    def describe_action(state: Any, action: int) -> ActionWords:
        actor = 0 if int(state["imagined"]) else int(state["to_act"])
        label = labels.label(action, int(state["site"]), lambda ahead: f"seat {(actor + ahead) % layout.seats}")
        return ActionWords(label, f"chooses {label}")

    @functools.cache
    def sights() -> Sights:
        return Sights(module, dtype)

    @functools.cache
    def greatest_loss(reward: str) -> float:
        return _greatest_loss(spec, reward)

    spec = GameSpec(
        name=name,
        title=title,
        module=re.sub(r"\W", "_", name),
        sides=layout.teams,
        actions=actions,
        dtype=dtype,
        options=tuple(map(_rule_option, description.options)),
        rewards=("points", "win", "score") if len(layout.teams) > 1 or description.perfect else ("points", "score"),
        parts=tuple(module.encoding.parts),
        hidden=tuple(module.encoding.hidden),
        kernels=kernels,
        max_steps=description.max_decisions,
        worst_loss=lambda options, reward: greatest_loss(reward),
        deal_text=deals.start_fields,
        set_deal=deals.set_deal,
        drawing=draw_position,
        words=describe_action,
        board=boards,
        least=description.scoring.best == "min",
        loss_is_bound=False,
        history_text=deals.action_names,
        recall_parts=tuple(module.recalled),
        no_recall=module.no_recall,
        recall_ends=module.recall_ends,
        sights=sights,
        told=ToldWords(layout, module.actions, module.tells, labels, visible) if module.tells.acts else None,
        untrue=lambda state, seat, view: untrue(sights(), state, seat, view),
        max_decisions=description.max_decisions,
        path=path,
        symmetries=symmetries(layout, module.encoding, deals.permute_cards),
        digest=hashlib.sha256(description.source.encode()).hexdigest()[:16],
        rules=remarks(description.source),
        endings=None if description.perfect is None else _make_endings(description.perfect, layout, code.outcome),
    )
    return spec


def _make_kernels(name: str, module: Module, code: Any, dtype: np.dtype[Any]) -> Kernels:
    """Returns the kernels of a game; ``code`` is its module as it was imported."""
    tables, of_game = Tables.of(module.tables), f"{code.__name__}:{name}"
    settle, bins = make_settle_kernel(of_game, tables), make_private_kernels(of_game, tables)
    declared = Declared(name, dtype, tuple(module.encoding.parts), ranges=None, functions={"veiled": bins["veiled"]})
    observe, read = declared.observe_kernel(code.__name__), declared.decode_kernel(code.__name__)
    bounds = declared.range_kernel(code.__name__)
    looks: dict[str, Any] = {
        "view": make_view_kernel(of_game, tables, settle, bins["veiled"], code.note_options),
        **make_redeal_kernels(of_game, tables, bins["veiled"], code.options),
        "observe": make_observe_kernel(of_game, tables, observe),
        "decode": make_decode_kernel(of_game, tables, read, settle, code.fill_map, code.note_options),
        "flaw": make_flaw_kernel(of_game, tables, bounds, bins["veiled"], bins["private_bit"]),
        "reveal": make_reveal_kernel(of_game, tables, bins["owns"], bins["private_bit"]),
        "key": make_key_kernel(of_game, tables),
    }
    recall: dict[str, Any] = {}
    if module.recalled:
        recall = make_recall_kernels(of_game, tables, code, looks["view"], looks["redeal"])
    in_parts = bool(module.actions.levels)
    return Kernels(
        deal=code.deal, legal=code.legal, step=code.step, outcome=code.outcome, **looks, **recall,
        multiplicity=code.multiplicity, begun=code.begun if in_parts else None, whole=code.whole if in_parts else None,
        seen=None if np.all(tables.visible) else code.seen, side=None if module.tables["SIDES_TURN"] else code.side,
        fits=code.fits,
    )  # fmt: skip


def _rule_option(option: RuleOption) -> Option:
    """Returns a rule option; one of 0 and 1 is no or yes."""
    choices = [bool(value) if set(option.choices) == {0, 1} else value for value in option.choices]
    return Option(option.name.lower(), tuple(choices), option.meaning)


def _make_endings(perfect: Perfect, layout: Layout, outcome: Callable[..., Any]) -> Endings:
    slots = [layout.number_slots[Owned("game", "sto", name)].first for name in perfect.counted]

    def count_endings(games: Any) -> tuple[Ints, Ints]:
        points, tricks = np.zeros((len(games), 1), np.int64), np.zeros((len(games), layout.seats), np.int64)
        for i in range(len(games)):
            outcome(games, i, points, tricks)
        return (points[:, 0] != perfect.score).astype(np.int64), count_so_far(games)

    def count_so_far(games: Any) -> Ints:
        return np.asarray(games["numbers"], np.int64)[:, slots]

    return Endings(
        perfect.score, ("perfect", "short of it"), tuple(map(display_name, perfect.counted)), count_endings, count_so_far
    )


def _greatest_loss(spec: GameSpec, reward: str) -> float:
    """Returns the greatest loss of a side in 300 random games, at least 1."""
    from cardenvs.envs.batch import Batch
    from cardenvs.policy.random import RandomPolicy

    batch = Batch(spec, 300, seed=0, reward=reward, restart=False)
    player, streams = RandomPolicy(spec), seed_streams(1, 300)
    worst = 1.0
    while not batch.finished.all():
        actions = player.choose(batch.observations, batch.action_masks, streams)
        batch.step(np.where(batch.games["over"] == RUNNING, actions, -1))
        worst = max(worst, -float(batch.rewards.min()))
    return worst
