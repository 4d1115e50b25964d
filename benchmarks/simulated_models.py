"""How well 20 judged games place simulated language models of known strength; writes docs/results/simulated_models.md.

    python benchmarks/simulated_models.py --report docs/results/simulated_models.md

A model plays as the reference but for a share of its decisions, at which it plays at random: `ErringPolicy` of
examples/agents/chat_server.py, which also answers behind the protocol. All models are judged in the same deals, cut into
*tries* of 20 games. A game is one play of a deal: a deal that is played on both sides is two. *Plain scores* are the points
made in the same games, less those of the reference in its place. True strengths are those of matches of other deals.
"""

import functools
import math
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import click
import numpy as np
import numpy.typing as npt
from judge import matched
from measuring import count_option, hand_over, tell, written_by

from cardenvs import policy
from cardenvs.baselines.judge.settings import judge_settings
from cardenvs.baselines.match import play_deals
from cardenvs.baselines.reports.document import Block, Code, Document, Estimate, Heading, Table, Text, said
from cardenvs.baselines.reports.results import plain
from cardenvs.baselines.reports.statistics import interval
from cardenvs.baselines.runs.pairings import play_all
from cardenvs.contract.registry import full_title, get_game
from cardenvs.files import name_in_path
from cardenvs.plugins import load_code


class Tried(NamedTuple):
    """A game and how it is judged."""

    reference: str
    tries: int
    worlds: int
    options: dict[str, Any]


TRIED = {
    "euchre": Tried("learned", 100, 100, {}),
    "hanabi:mini": Tried("smartbot", 100, 10, {"score": "built"}),
    "hanabi": Tried("smartbot", 2, 10, {"score": "built"}),
}
SERVER = str(Path(__file__).parent.parent / "examples" / "agents" / "chat_server.py")
RATES = (0.1, 0.25, 0.5, 1.0)
"""The shares of their decisions in which the models err, the best model first."""
SETS = ((0, 1), (1, 2), (2, 3), (0, 2), (1, 3), (0, 2, 3), (0, 1, 2, 3))
"""The models whose order is looked at, by their numbers."""
TRY = 20
"""Games of a try."""
NEAR, ENOUGH = 0.5, 0.95
"""How near to its true strength a model has to be placed, in points, and the share of tries in which that has to be so."""
RESAMPLED, MOST_GAMES = 1000, 10_000
"""How often so many games are drawn with replacement, to see whether they are enough, and the most games that are tried."""
WAYS = ("judged", "half by the match", "plain scores")
"""The ways to place a model: by the judge; with a weight of 0.5 of the match; by the match alone."""

Values = npt.NDArray[np.float64]


def lines_of(game: str, name: str) -> list[str]:
    """The lines of two deals that a policy plays in one seat; the reference holds all others."""
    spec, other, lines = get_game(game), TRIED[game].reference, list[str]()
    second = None if spec.one_sided else other
    play_deals(spec, [name, other], second, range(2), seed=1, observer=lambda games, _: lines.extend(map(spec.text, games)))
    return sorted(lines)


def served_questions(game: str, rate: float, name: str) -> int:
    """The questions that a served model answers in two deals; an error if it chooses otherwise than the policy."""
    reference = TRIED[game].reference
    server = load_code(SERVER, "ChatServer")(load_code(SERVER, "simulated_model")(game, reference, rate))
    recall = "yes" if policy.make(game, reference).game.recall else "no"
    same = lines_of(game, f"llm:simulated,base_url={server.url},recall={recall}") == lines_of(game, name)
    server.close()
    if not same:
        raise click.ClickException(f"behind the protocol the model that errs at {rate:g} chooses otherwise")
    return len(server.requests)


def in_order(means: Values) -> npt.NDArray[np.bool_]:
    """Whether models, the best first, are in that order by their means, (models, n): bool (n,)."""
    return np.asarray((np.diff(means, axis=0) < 0).all(0))


def is_near(true: float, means: Values) -> npt.NDArray[np.bool_]:
    """Whether a model's means, (1, n), are near to its strength: bool (n,)."""
    return np.asarray(np.abs(means[0] - true) <= NEAR)


def share_right(values: Values, deals: int, right: Callable[[Values], npt.NDArray[np.bool_]]) -> float:
    """The share of `RESAMPLED` draws of so many deals with replacement, of (models, n), whose means are right."""
    drawn = np.random.default_rng(0).integers(values.shape[1], size=(RESAMPLED, deals))
    return float(right(np.stack([one[drawn].mean(1) for one in values])).mean())


def games_needed(values: Values, copies: int, right: Callable[[Values], npt.NDArray[np.bool_]]) -> int | None:
    """The fewest games of which a share of `ENOUGH` is right, by `share_right`; None: more than `MOST_GAMES`."""
    deals = 1
    while deals * copies <= MOST_GAMES:
        if share_right(values, deals, right) >= ENOUGH:
            return deals * copies
        deals += max(1, deals // 10)
    return None


def measure(game: str, folder: Path, tries: int, match_deals: int, workers: int) -> dict[str, Any]:
    """All figures of a game."""
    spec, (reference, _, worlds, options) = get_game(game), TRIED[game]
    copies = 1 if spec.one_sided else spec.num_sides
    names = [f"{SERVER}:ErringPolicy,plays={reference},errs={rate}" for rate in RATES]
    plan = judge_settings(
        game, names, reference=reference, deals=tries * TRY // copies, worlds=worlds, seed=1, **options
    )  # fmt: skip
    store = play_all(plan, folder / "judged", workers=workers, progress=lambda deals, _: tell(f"{game}: {deals} deals"))
    played: list[Any] = [store.finished(k) for k in range(len(names))]
    other = np.stack([
        matched(folder / f"errs-{rate:g}", spec, name, reference, match_deals, **options)
        for rate, name in zip(RATES, names, strict=True)
    ])  # fmt: skip
    judged, scores = (np.stack([getattr(one, key) for one in played]) for key in ("advantages", "match"))
    values = dict(zip(WAYS, (judged, (judged + scores) / 2, scores), strict=True))
    means = {way: found.reshape(len(names), tries, -1).mean(2) for way, found in values.items()}
    pools = values | {WAYS[-1]: other}
    deals = TRY // copies
    models = []
    for k, rate in enumerate(RATES):
        for way, pool in pools.items():
            near = functools.partial(is_near, float(pool[k].mean()))
            models.append({
                "errs": rate, "way": way, "match": interval(other[k]), "points": interval(values[way][k]),
                "spread": float(values[way][k].std(ddof=1)) / math.sqrt(deals),
                "near": int(is_near(float(other[k].mean()), means[way][k, None]).sum()),
                "near_drawn": share_right(pool[k, None], deals, near), "games": games_needed(pool[k, None], copies, near),
                "as_precise": TRY * float(values[way][k].var() / judged[k].var()),
            })  # fmt: skip
    orders = [
        {
            "errs": [RATES[k] for k in some], "apart": [float(-step) for step in np.diff(other[list(some)].mean(1))],
            "way": way, "right": int(in_order(means[way][list(some)]).sum()),
            "right_drawn": share_right(pool[list(some)], deals, in_order),
            "games": games_needed(pool[list(some)], copies, in_order),
        }
        for some in SETS for way, pool in pools.items()
    ]  # fmt: skip
    elsewhere = np.stack([np.roll(one, k) for k, one in enumerate(means[WAYS[0]])])  # as if in different deals
    return {
        "game": game, "options": options, "worlds": worlds, "copies": copies, "tries": tries, "models": models,
        "orders": orders, "right_in_different_deals": int(in_order(elsewhere).sum()),
        "served": sum(served_questions(game, rate, name) for rate, name in zip(RATES, names, strict=True)),
    }  # fmt: skip


def sections(one: dict[str, Any]) -> list[Block]:
    """The report on a game."""

    def number(games: int | None) -> str:
        return f"over {MOST_GAMES:,}" if games is None else f"{games:,}"

    tries = f"of {one['tries']} tries"
    rows: list[list[Text]] = [
        [
            f"{model['errs']:g}", model["way"], Estimate(model["match"]), Estimate(model["points"]),
            f"{model['spread']:.2f}", str(model["near"]), f"{model['near_drawn']:.0%}", number(model["games"]),
            f"{model['as_precise']:.0f}",
        ]
        for model in one["models"]
    ]  # fmt: skip
    orders: list[list[Text]] = [
        [
            ", ".join(f"{rate:g}" for rate in order["errs"]), order["way"],
            ", ".join(f"{apart:.2f}" for apart in order["apart"]), str(order["right"]), f"{order['right_drawn']:.0%}",
            number(order["games"]),
        ]
        for order in one["orders"]
    ]  # fmt: skip
    rules = "".join(f", `{name}={value}`" for name, value in one["options"].items())
    return [
        Heading([full_title(get_game(one["game"])), " beside ", Code(TRIED[one["game"]].reference)]),
        said(
            f"""{one["worlds"]} worlds for a decision{rules}; {TRY} games are {TRY // one["copies"]} deals. Behind the
            protocol the models chose as the judged policies did, in all of {one["served"]:,} questions. With other deals
            for each model the order of all four, as judged, is right in {one["right_in_different_deals"]} {tries}."""
        ),
        Table(
            [
                "errs", "by", "match, other deals", "all tries", f"error of {TRY} games", f"within {NEAR:g}, {tries}",
                f"within {NEAR:g}, of draws", f"games for {ENOUGH:.0%}", f"games as precise as {TRY} judged",
            ],
            rows, left=2,
        ),
        Table(
            [
                "order of errs", "by", "points apart", f"right, {tries}", "right, of draws", f"games for {ENOUGH:.0%}",
            ],
            orders, left=2,
        ),
    ]  # fmt: skip


@click.command()
@click.option("--game", "games", type=click.Choice([*TRIED]), multiple=True, help="Only this game. [all]")
@click.option("--tries", type=click.IntRange(min=2), help="Tries in each game. [100, Hanabi's full form 2]")
@count_option("--match-deals", 5_000, "Deals of the matches that tell the true strengths.")
@click.option("--out", type=Path, default="runs/simulated-models", show_default=True, help="Folder for finished deals.")
@click.option("--report", type=Path, help="Also write a report to this Markdown file.")
@click.option("--workers", type=int, default=1, show_default=True)
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object instead of tables.")
def main(
    games: tuple[str, ...], tries: int | None, match_deals: int, out: Path, report: Path | None, workers: int, as_json: bool
) -> None:
    """Judge simulated language models in many tries of 20 games."""
    found = [
        measure(game, out / name_in_path(game), tries or TRIED[game].tries, match_deals, workers) for game in games or TRIED
    ]
    words = said(
        f"""{written_by(__file__)}. A model plays as the reference but for a share of its decisions, `errs`, at which it
        plays at random: from near the reference down to random play, at rates that were chosen beforehand; how real models
        are spread is not known here. It holds one seat beside and against the reference. All models are judged in the same
        deals, cut into tries of {TRY} games; a game is one play of a deal. Points are those above the reference, which
        itself has 0. Plain scores are the points made in these games, less those of the reference in its place, and
        half by the match is `--weight 0.5`. The match of {match_deals:,} other deals tells the true strength; intervals are
        95%. A draw is {TRY} games, drawn with replacement from all tries, for plain scores from the match, and is near to
        their mean or not; games for {ENOUGH:.0%} are right in that share of {RESAMPLED:,} draws of so many. Three choices
        were made after first trials: the order of 0.1, 0.5 and 1, as that of all four is often wrong in Euchre;
        `score=built`, as by Hanabi's usual score models that err in half and in all of their decisions both make nearly
        nothing; and Hanabi's small form, as 100 tries of the full one take a day."""
    )
    blocks = [block for one in found for block in sections(one)]
    hand_over({"games": plain(found)}, Document("Simulated language models, judged", [words, *blocks]), report, as_json)


if __name__ == "__main__":
    main()
