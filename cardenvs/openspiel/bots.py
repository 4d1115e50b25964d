"""OpenSpiel's bots as policies of games here."""

from typing import Any, ClassVar

import numpy as np

from cardenvs.checks import check_choice, check_int, check_number
from cardenvs.compiled.bits import Bytes, Ints, Streams
from cardenvs.compiled.streams import below
from cardenvs.contract.loops import RUNNING
from cardenvs.contract.registry import get_game
from cardenvs.contract.spec import GameSpec
from cardenvs.openspiel import euchre as translation
from cardenvs.plugins import require
from cardenvs.policy.contract import Policy

BOTS = ("ismcts", "random")  # the available bots
_WORLDS = 200  # maximum number of worlds drawn until OpenSpiel's rules allow one


class OpenSpielPolicy(Policy):
    """``openspiel``: a bot of OpenSpiel, ``openspiel:ismcts,simulations=1000``; needs the extra ``openspiel``.

    The bot sees what its seat sees: OpenSpiel's state is made of a world that fits the observation, and its search draws
    the hidden cards anew; with one seed it does not always do the same. Where the dealer must have discarded the card that
    was turned up, which OpenSpiel's Euchre does not allow, OpenSpiel's search in Python plays this package's game, a
    hundred times slower. The parameters are OpenSpiel's.

    Source: OpenSpiel (Lanctot et al. 2019), its `ISMCTSBot` with random play-outs.

    Args:
        game: Euchre, its name or spec.
        bot: ``"ismcts"``, information-set Monte Carlo tree search with random play-outs; or ``"random"``.
        simulations: of a decision.
        exploration: OpenSpiel's ``uct_c``; its rewards are points.
    """

    games: ClassVar[tuple[str, ...] | None] = ("euchre",)
    leading: ClassVar[str] = "bot"
    by_default = False
    slow = True

    def __init__(
        self, game: str | GameSpec, bot: str = "ismcts", simulations: int = 1000, exploration: float = 2.0
    ) -> None:
        super().__init__(get_game(game).recalling)
        check_choice("bot", bot, BOTS)
        self.bot = bot
        self.simulations = check_int("simulations", simulations, 1)
        self.exploration = check_number("exploration", exploration, above=True)
        require("pyspiel", "openspiel", "OpenSpiel's bots", package="open_spiel")

    def choose(self, observations: Bytes, action_masks: Bytes, streams: Streams) -> Ints:
        """Returns the bot's action for each row, int64 (n,)."""
        views = self.game.decode(observations)
        out = np.empty(len(observations), np.int64)
        for row, mask in enumerate(action_masks):
            legal = np.flatnonzero(mask)
            out[row] = legal[0] if len(legal) == 1 else self._bot_action(views, row, streams)
        return out

    def _bot_action(self, views: Any, row: int, streams: Streams) -> int:
        world = self._draw_world(views, row, streams)
        if not translation.is_allowed(world):
            return self._action_here(world, streams, row)
        name = translation.game_name(bool(world["stick_the_dealer"]))
        state = translation.new_state(_load_game(name), world)
        translation.replay_actions(state, world)
        if state.current_player() != 0:
            raise ValueError(f"OpenSpiel has seat {state.current_player()} to act where seat 0 is to act here")
        return translation.translate_answer(state, world, lambda position: self._ask_bot(position, streams, row))

    def _draw_world(self, views: Any, row: int, streams: Streams) -> Any:
        """Draws a full deal that fits a view, if possible one that OpenSpiel's rules allow."""
        if views[row]["bidding"] != 0:
            given = self.game.option("bidding").decode(int(views[row]["bidding"]))
            raise ValueError(f"OpenSpiel's Euchre is played with bidding=full, not with bidding={given}")
        if views[row]["over"] != RUNNING:
            raise ValueError(f"OpenSpiel's bots decide in a deal that is played, and the one of row {row} is over")
        worlds = self.game.new_games(1)
        for _ in range(_WORLDS):
            self.game.kernels.redealing(views, row, streams, row, worlds, 0)
            if translation.is_allowed(worlds[0]):
                break
        return worlds[0]

    def _action_here(self, world: Any, streams: Streams, row: int) -> int:
        from open_spiel.python.algorithms import ismcts, mcts

        state = translation.state_here(self.game, world)
        if self.bot == "random":
            legal = state.legal_actions()
            return int(legal[below(streams, row, len(legal))])
        draws = np.random.RandomState(int(below(streams, row, 1 << 31)))
        bot = ismcts.ISMCTSBot(
            state.get_game(), mcts.RandomRolloutEvaluator(1, draws), self.exploration, self.simulations, random_state=draws
        )
        return int(bot.step(state))

    def _ask_bot(self, state: Any, streams: Streams, row: int) -> int:
        import pyspiel

        legal = state.legal_actions()
        if self.bot == "random" or len(legal) == 1:
            return int(legal[below(streams, row, len(legal))])
        seed = int(below(streams, row, 1 << 31))
        bot = pyspiel.ISMCTSBot(
            seed, pyspiel.RandomRolloutEvaluator(1, seed), self.exploration, self.simulations, -1,
            pyspiel.ISMCTSFinalPolicyType.MAX_VISIT_COUNT, False, False,
        )  # fmt: skip
        return int(bot.step(state))


_GAMES: dict[str, Any] = {}


def _load_game(name: str) -> Any:
    import pyspiel

    if name not in _GAMES:
        _GAMES[name] = pyspiel.load_game(name)
    return _GAMES[name]
