"""A small card game in the form that audits take, and the same game with a fault each."""

import json

DECK = 4


class Game:
    """Two seats get a card each of four, then each passes (0) or bets (1); the higher card wins what was bet and 1."""

    def __init__(self, state=None):
        self.state = state or State

    def new_initial_state(self):
        return self.state(self, [])

    def deserialize_state(self, text):
        return self.state(self, json.loads(text))

    def num_players(self):
        return 2

    def num_distinct_actions(self):
        return 2


class Move:
    def __init__(self, player, action):
        self.player, self.action = player, action


class State:
    def __init__(self, game, moves):
        self.game, self.moves = game, moves

    def __str__(self):
        return repr(self.moves)

    def current_player(self):
        return (-1, -1, 0, 1, -4)[len(self.moves)]

    def is_chance_node(self):
        return self.current_player() == -1

    def is_terminal(self):
        return self.current_player() == -4

    def legal_actions(self, seat=None):
        if self.is_terminal() or seat not in (None, self.current_player()):
            return []
        return [card for card in range(DECK) if card not in self.moves] if self.is_chance_node() else [0, 1]

    def chance_outcomes(self):
        legal = self.legal_actions()
        return [(card, 1 / len(legal)) for card in legal]

    def apply_action(self, action):
        if action not in self.legal_actions():
            raise ValueError(f"{action} is not legal")
        self.moves.append(action)

    def apply_action_with_legality_check(self, action):
        self.apply_action(action)

    def information_state_string(self, seat):
        return f"{seat} {self.moves[seat : seat + 1]} {self.moves[2:]}"

    def observation_string(self, seat):
        return self.information_state_string(seat)

    def rewards(self):
        return self.returns()

    def returns(self):
        if not self.is_terminal():
            return [0.0, 0.0]
        one, other, *bets = self.moves
        won = (1.0 + sum(bets)) * (1 if one > other else -1)
        return [won, -won]

    def history(self):
        return list(self.moves)

    def full_history(self):
        return [Move(-1 if k < 2 else k - 2, action) for k, action in enumerate(self.moves)]

    def clone(self):
        return type(self)(self.game, list(self.moves))

    def serialize(self):
        return json.dumps(self.moves)

    def resample_from_infostate(self, seat, rng):
        again = self.clone()
        others = [card for card in range(DECK) if card != self.moves[seat]]
        again.moves[1 - seat] = others[int(rng() * len(others))]
        return again


class DealsZeroAgain(State):
    """No fault: chance acts again after an outcome of 0, as often as that comes."""

    def apply_action(self, action):
        if not (self.is_chance_node() and action == 0):
            super().apply_action(action)

    def resample_from_infostate(self, seat, rng):
        again = self.clone()
        others = [card for card in range(1, DECK) if card != self.moves[seat]]
        again.moves[1 - seat] = others[int(rng() * len(others))]
        return again


class TellsHidden(State):
    def observation_string(self, seat):
        return f"{super().observation_string(seat)} {self.moves[:2]}"


class InformationTellsHidden(State):
    def information_state_string(self, seat):
        return f"{super().information_state_string(seat)} {self.moves[:2]}"

    def observation_string(self, seat):
        return State.information_state_string(self, seat)


class TellsLegal(State):
    def legal_actions(self, seat=None):
        legal = super().legal_actions(seat)
        return legal if self.is_chance_node() or 3 not in self.moves[:1] else legal[:1]


class RefusesLegal(State):
    def apply_action(self, action):
        if self.moves[2:] == [1] and action == 1:
            raise ValueError("no")
        super().apply_action(action)


class TakesIllegal(State):
    def legal_actions(self, seat=None):
        return super().legal_actions(seat)[:1] if len(self.moves) == 3 else super().legal_actions(seat)

    def apply_action_with_legality_check(self, action):
        self.moves.append(action)


class PaysMore(State):
    def rewards(self):
        return [2 * won for won in self.returns()]


class SharesClones(State):
    def clone(self):
        return type(self)(self.game, self.moves)


class LosesSerialized(State):
    def serialize(self):
        return json.dumps(self.moves[:-1] + self.moves[-1:] if len(self.moves) < 3 else [3, 2, *self.moves[2:]])


class RedealChangesOwn(State):
    def resample_from_infostate(self, seat, rng):
        return super().resample_from_infostate(1 - seat, rng)


class RedealIsTrue(State):
    def resample_from_infostate(self, seat, rng):
        return self.clone()


class RedealWithoutPast(State):
    def resample_from_infostate(self, seat, rng):
        again = super().resample_from_infostate(seat, rng)
        again.history = self.history
        return again


class RedealWithIllegalPast(State):
    def resample_from_infostate(self, seat, rng):
        again = super().resample_from_infostate(seat, rng)
        again.history = lambda: [again.moves[0], again.moves[0], *again.moves[2:]]
        return again


class RedealRaises(State):
    def resample_from_infostate(self, seat, rng):
        raise RuntimeError("out of cards")


class NoRedeal(State):
    def resample_from_infostate(self, seat, rng):
        raise RuntimeError("not implemented")


class ObservationRaises(State):
    def observation_string(self, seat):
        if len(self.moves) == 3 and 0 in self.moves[:2]:
            raise RuntimeError("no observation")
        return super().observation_string(seat)


FAULTS = {
    TellsHidden: "observation_string tells more",
    InformationTellsHidden: "observation_string lacks",
    TellsLegal: "legal_actions tells more",
    RefusesLegal: "legal action is refused",
    TakesIllegal: "illegal action is taken",
    PaysMore: "rewards do not add up",
    SharesClones: "state.clone() goes on otherwise",
    LosesSerialized: "game.deserialize_state(state.serialize()) goes on otherwise",
    RedealChangesOwn: "re-deal contradicts information_state_string",
    RedealIsTrue: "re-deal is narrow: position",
    RedealWithoutPast: "re-deal contradicts its history",
    RedealWithIllegalPast: "re-deal is impossible",
    RedealRaises: "re-deal raises",
    ObservationRaises: "observation_string tells more",
}
"""The faulty games, and the kind of finding that tells each."""
