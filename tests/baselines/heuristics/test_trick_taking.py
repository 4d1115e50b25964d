"""The paper's agents against slow, obvious versions of them, and whole games in one kernel against games by observation."""

import itertools
from collections import Counter

import numpy as np
import pytest

from cardenvs import get_game, policy
from cardenvs.baselines.heuristics import counting
from cardenvs.baselines.heuristics.calling import CALLERS
from cardenvs.baselines.heuristics.trick_taking import HighLow
from cardenvs.baselines.match import kernel as published
from cardenvs.baselines.match import play_deals, play_match, policy_streams
from cardenvs.compiled.streams import seed_streams
from cardenvs.contract.cards import EUCHRE_DECK, FULL_DECK
from tests.helpers.positions import rows_of
from tests.naive import euchre, euchre_agents, whist

pytestmark = pytest.mark.compiled

SUITS = "cdhs"
DRAWS = 240
"""How often an agent is asked for its choice; one it makes with chance 1/13 is missed once in 200 million positions."""


# --- the values of cards ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("trump", SUITS)
def test_markov_counts_every_trick_in_euchre(trump):
    counts = counting.trick_counts(EUCHRE_DECK, bowers=True)[SUITS.index(trump)]
    wins = euchre_agents.tricks_won(euchre_agents.EUCHRE, trump)
    assert counts.tolist() == [wins[EUCHRE_DECK.text(card)] for card in range(24)]
    assert counts.sum() == 24 * 23 * 22 * 21


def test_markov_counts_every_trick_in_whist():
    counts = counting.trick_counts(FULL_DECK, bowers=False)
    wins = euchre_agents.tricks_won(euchre_agents.WHIST, "s")
    assert counts[3].tolist() == [wins[FULL_DECK.text(card)] for card in range(52)]
    assert (counts.sum(1) == 52 * 51 * 50 * 49).all()


@pytest.mark.parametrize("name", ["euchre", "whist"])
@pytest.mark.parametrize("seats", [3, 4])
def test_markov2_counts_every_completion(name, seats):
    """For random tricks and every card: the table's number if the card takes the trick, which the sets must tell."""
    rules, deck, bowers = (
        (euchre_agents.EUCHRE, EUCHRE_DECK, True) if name == "euchre" else (euchre_agents.WHIST, FULL_DECK, False)
    )
    counts = counting.completion_counts(deck, bowers)[seats - 3]
    takers = counting.taking_sets(deck, bowers)
    rng = np.random.default_rng(0)
    for before, trump in itertools.product(range(seats), range(4)):
        for _ in range(1 if before == 0 else 4):
            trick = [rules.deck[k] for k in rng.permutation(len(rules.deck))[:before]]
            power = dict(zip(rules.deck, euchre_agents.worth(rules, SUITS[trump], trick[0]), strict=True)) if trick else {}
            winning = max(trick, key=power.__getitem__, default=None)
            cards = [card for card in rules.deck if card not in trick]
            for card in cards if name == "euchre" else cards[:: 1 if before else 7]:
                number = deck.card(card)
                takes = winning is None or takers[trump, deck.card(winning)] >> number & 1
                wanted = euchre_agents.completions(rules, SUITS[trump], tuple(trick), card, seats)
                assert (counts[before, trump, number] if takes else 0) == wanted, (trick, card, SUITS[trump])


@pytest.mark.parametrize("name", ["euchre", "whist"])
def test_planes_add_up_to_the_numbers(name):
    lookups = counting.card_lookups(get_game(name).trick_game)
    n = lookups.suit_of.shape[1] - 1
    rng = np.random.default_rng(1)
    for trump in range(5):
        for _ in range(20):
            chosen = rng.random(n) < 0.4
            cards = sum(1 << int(k) for k in np.flatnonzero(chosen))
            got = sum((int(plane) & cards).bit_count() << b for b, plane in enumerate(lookups.strengths[trump]))
            assert got == lookups.strength[trump, :-1][chosen].sum()


def test_leads_that_markov2_published_cannot_value():
    lost = EUCHRE_DECK.format(int(counting.card_lookups(get_game("euchre").trick_game).lost_leads[0]), " ").split()
    assert set(lost) == {rank + suit for rank in "KA" for suit in SUITS} | {"Qc", "Qd", "Qh"}


# --- the agents against their naive versions -------------------------------------------------------------------------


def observed(spec, state):
    """Observation and mask of the seat to act, as often as an agent is asked."""
    rows, masks = rows_of(spec, state)
    return np.tile(rows, (DRAWS, 1)), np.tile(masks, (DRAWS, 1))


def positions(game, deals, seed, **options):
    """The positions of the play in random deals: (state, what the naive agents know)."""
    spec = get_game(game)
    rng = np.random.default_rng(seed)
    sensible = policy.make(spec, "hybrid")
    for k in range(deals):
        state = spec.deal(seed + k, **options)
        line = spec.text(state[0], actions=False)
        deal = euchre.read(line) if game == "euchre" else whist.read(line)
        while int(state[0]["to_act"]) >= 0:
            legal = spec.legal(state)
            actions = [a for a in range(spec.num_actions) if legal >> a & 1]
            if isinstance(deal, euchre.Deal) and deal.phase != "playing":
                # Passes are kept rare, so that most deals are played.
                calls = [a for a in actions if spec.actions[a] != "pass"]
                action = int(rng.choice(calls if rng.random() < 0.5 else actions))
            else:
                known = euchre_agents.euchre_position if isinstance(deal, euchre.Deal) else euchre_agents.whist_position
                yield state, known(deal)
                # Half the cards are chosen with sense.
                observations, masks = observed(spec, state)
                action = int(rng.choice(actions))
                if rng.random() < 0.5:
                    action = int(sensible.act(observations[:1], masks[:1], rng)[0])
            spec.kernels.step(state, 0, action)
            deal.play(spec.actions[action])


@pytest.mark.parametrize(
    ("game", "deals", "options"),
    [("euchre", 20, {"bidding": "forced-spades"}), ("euchre", 20, {"stick_the_dealer": True}), ("whist", 4, {})],
    ids=["forced-spades", "euchre", "whist"],
)
def test_agents_choose_as_the_naive_ones(game, deals, options):
    """In every position: the same set of cards to choose from, each of which is chosen now and then."""
    spec = get_game(game)
    agents = {name: (policy.make(spec, name), agent) for name, agent in euchre_agents.SIMPLE.items()}
    for name, agent in euchre_agents.WITH_THRESHOLD.items():
        agents[name] = (policy.make(spec, name), lambda p, agent=agent: agent(p, 0.25))
        for threshold in (0.0, 0.125, 0.75):
            player = policy.make(spec, name, threshold=threshold)
            agents[f"{name} {threshold}"] = (player, lambda p, agent=agent, t=threshold: agent(p, t))
    seen = Counter()
    differing = Counter()
    for number, (state, known) in enumerate(positions(game, deals, seed=1, **options)):
        observations, masks = observed(spec, state)
        sets = {}
        for name, (player, agent) in agents.items():
            wanted = agent(known)
            chosen = player.choose(observations, masks, seed_streams(number, DRAWS))
            names = {spec.actions[a] for a in np.unique(chosen)}
            assert names == wanted, (name, spec.text(state[0]))
            sets[name] = wanted
            seen[len(known.trick), known.absent is not None] += 1
        for name, wanted in sets.items():
            differing[name] += wanted != sets["coop-high-low"]
    assert all(seen[cards, False] for cards in range(4))
    assert game == "whist" or "bidding" in options or all(seen[cards, True] for cards in range(3))
    # No agent is another one in disguise; a hybrid that counts every hand as strong is, and so is left out.
    assert all(differing[name] for name in agents if name != "coop-high-low" and not name.endswith(" 0.0"))


def position(line):
    spec = get_game("euchre")
    state = spec.parse(line)
    observations, masks = observed(spec, state)
    return observations, masks


def choices(name, line):
    """The cards that an agent chooses now and then in the position that a line describes."""
    spec = get_game("euchre")
    chosen = policy.make(spec, name).choose(*position(line), seed_streams(0, DRAWS))
    return {spec.actions[a] for a in np.unique(chosen)}


def test_markov2_published_plays_low_on_a_led_king():
    """The same hand, which any trump takes the trick with: to a king's or a red queen's lead the slip finds no values."""
    deal = "hands=KhQhTc9c9d/ThJh9hTdJd/AhQdKdAdQc/JsAsTsJcAc turned=9s dealer=3"
    for lead, published_choice in (("Kh,Th,Ah", {"Ac"}), ("Qh,Th,Ah", {"Ac"}), ("9d,Td,Qd", {"Js"})):
        line = f"euchre bidding=forced-spades {deal} actions={lead}"
        assert choices("markov2", line) == {"Js"}
        assert choices("markov2-published", line) == published_choice


def test_card_counting_leads_to_its_partners_ruff():
    """The partner has shown out of hearts and may hold trump: a heart is led, the worst one."""
    line = (
        "euchre bidding=forced-spades hands=Ah9hKcJsTd/ThJdQdQc9c/TcAcJc9sKd/KhQhJhKsAd turned=Ts dealer=3 "
        "actions=Ah,Th,Tc,Jh"
    )
    assert choices("card-counting", line) == {"9h"}
    assert choices("coop-high-low", line) == {"Js"}


# --- whole games in one kernel ---------------------------------------------------------------------------------------

PAIRS = [
    ("random", "high-low"),
    ("markov", "markov2-published"),
    ("card-counting", "hybrid2:threshold=0.5"),
    ("hybrid+low", "coop-high-low+random"),
    ("markov2+high", "high-low-corrected+hybrid"),
]


@pytest.mark.parametrize("game", ["euchre", "whist"])
@pytest.mark.parametrize(
    ("first", "second"), [*(pytest.param(*pair, marks=pytest.mark.slow) for pair in PAIRS[:-2]), *PAIRS[-2:]]
)
def test_one_kernel_gives_the_games_that_observations_give(game, first, second):
    """Every figure of the match, and every single game."""
    shown: list[int] = []
    deals = 200
    one = play_match(game, first, second, deals=deals, seed=11, protocol="published")
    two = play_match(
        game, first, second, deals=deals, seed=11, protocol="published", observer=lambda games, _: shown.append(len(games))
    )
    timing = {"seconds": 0.0, "decisions_per_s": []}
    assert one.but(**timing) == two.but(**timing)
    assert sum(shown) == one.deals, "the second match was to go through observations"
    part = play_deals(game, first, second, range(deals // 2, deals), seed=11, protocol="published")
    whole = play_deals(game, first, second, range(deals), seed=11, protocol="published")
    assert (part.points == whole.points[deals // 2 :]).all()
    assert whole.points.sum((0, 1)).tolist() == one.points
    assert whole.tricks.sum((0, 1)).tolist() == one.tricks_won


@pytest.mark.parametrize("calling", [*CALLERS, None])
def test_one_kernel_bids_as_the_policies_do(calling):
    """Full Euchre in the kernel, which the published protocol never asks for, against a match of single deals."""
    spec = get_game("euchre")
    parameters = {"calling": calling} if calling else {}
    sides = [policy.make(spec, name, **parameters) for name in ("card-counting", "high-low")]
    agents = published.agents_at(spec, [sides[0], sides[1]] * 2)
    result = play_deals("euchre", *sides, range(300), seed=4)
    # In the first copy of a duplicate deal the first side has the even seats.
    randomness = policy_streams(4, range(300), 2, 4)[:300]
    played = published.play_games(spec, agents, seed_streams(4, 300), randomness)
    assert (played.points == result.points[:, 0]).all()
    assert (played.tricks == result.tricks[:, 0]).all()
    assert played.dealt == 300


def test_other_policies_are_not_taken_for_kernel_agents():
    class Own(HighLow):
        def choose(self, observations, action_masks, streams):
            return action_masks.argmax(1).astype(np.int64)

    spec = get_game("euchre")
    plain, own = policy.make(spec, "high-low"), Own(spec)
    assert published.agents_at(spec, [plain] * 4) is not None
    assert published.agents_at(spec, [plain, plain, own, plain]) is None
    five_o = get_game("five-o")
    assert published.agents_at(five_o, [policy.make(five_o, "random")] * 2) is None


def test_a_threshold_stands_in_the_name():
    assert policy.make("whist", "hybrid2:threshold=1").threshold == 1.0
