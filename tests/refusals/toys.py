"""Lines of text that are no deals of games that are made by the small door."""

from tests.refusals import refuse
from tests.toys import climb, kuhn, wolves

REFUSALS = [
    refuse(words, spec.parse, line)
    for spec, line, words in (
        (kuhn.SPEC, "kuhn", "nothing is no deal of kuhn: 'card' (the own card)"),
        (kuhn.SPEC, "kuhn cards=JQ deck=K", "has the keys first, cards, not cards, deck"),
        (kuhn.SPEC, "kuhn cards=JJ", "cards=JJ is no deal of kuhn: 'card_other'"),
        (kuhn.SPEC, "kuhn cards=J", "cards='J': must have 2 words, each one of J, Q, K"),
        (kuhn.SPEC, "kuhn cards=JX", "cards='JX': must have 2 words, each one of J, Q, K"),
        (kuhn.SPEC, "kuhn cards=JQ first=2", "first=2 is no deal of kuhn: 'first'"),
        (kuhn.SPEC, "kuhn cards=JQ first=x", "first='x': must have 1 word, each a number"),
        (kuhn.SPEC, "kuhn cards=JQ actions=pass,pass,pass", "action 3, 'pass', is illegal"),
        (wolves.SPEC, "wolves", "nothing is no deal of wolves: 'who' "),
        (wolves.SPEC, "wolves who=wwvvv actions=left-1,left-5", "unknown action 'left-5'"),
        # Seat 1 is out after these votes, three of which are against it.
        (
            wolves.SPEC,
            "wolves who=vwvwv actions=left-1,left-1,left-4,left-3,left-1,left-1",
            "action 6, 'left-1', is illegal",
        ),
        (climb.SPEC, "climb", "has the key deal, not none"),
        (climb.SPEC, "climb deal=12", "deal='12': must be 16 digits"),
        (climb.SPEC, f"climb deal={'0' * 16}", "not all of them 0"),
        (climb.SPEC, f"climb deal={'g' * 16}", "must be 16 digits"),
        (climb.SPEC, f"climb deal={'1' * 16} hands=1", "has the key deal, not deal, hands"),
    )
]
