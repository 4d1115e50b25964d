"""Reports written as text with placeholders."""

import types

import pytest

from cardenvs.baselines.reports.document import Code, Heading, Items, Name, Strong, Table, Words, in_file
from cardenvs.baselines.reports.template import fill_report

TEXT = """# Deals of {game}

[file] [if command] Written by `{command} --report FILE`,
on **{result.deals:,}** deals of {name}; {{this}} stays.

[terminal] Short.

[unless command] No command.

## Wins of {name}

{table}

{nothing}

{word}
"""
TABLE = Table(["a"], [["1"]])


@pytest.fixture
def fill(tmp_path):
    def filled(text, **values):
        path = tmp_path / f"{len(list(tmp_path.iterdir()))}.md"
        path.write_text(text, "utf-8")
        return fill_report(path, **values)

    return filled


RESULT = types.SimpleNamespace(deals=1000)
VALUES = {"game": "`euchre`", "result": RESULT, "name": Name("*a*"), "table": TABLE, "nothing": None}


def test_paragraphs_become_blocks_of_the_renderings_that_they_are_for(fill):
    document = fill(TEXT, command="cardenvs x", word="**plain**", **VALUES)
    assert document.title == ("Deals of `euchre`",), "marks in values are text"
    rest = [Heading(("Wins of ", Name("*a*"))), TABLE, Words("**plain**")]
    written = ("Written by ", Code("cardenvs x --report FILE"), ", on ", Strong("1,000"), " deals of ", Name("*a*"))
    assert document.blocks(terminal=False) == [Words((*written, "; {this} stays.")), *rest]
    assert document.blocks(terminal=True) == [Words(("Short.",)), *rest]
    without = fill(TEXT, command="", word=[in_file(TABLE), TABLE], **VALUES)
    assert without.blocks(terminal=False) == [Words(("No command.",)), *rest[:2], TABLE, TABLE]
    assert without.blocks(terminal=True) == [Words(("Short.",)), Words(("No command.",)), *rest[:2], TABLE]


@pytest.mark.parametrize(
    ("text", "error"), [("# {a}", KeyError), ("# a\n\n[if b] c", KeyError), ("# a\n\n{name.deals}", AttributeError)]
)
def test_placeholders_without_a_value_are_errors(fill, text, error):
    with pytest.raises(error):
        fill(text, name=Name("a"))


def test_lists_and_values_by_keys(fill):
    won = {"fast one": {"a": "`50`"}}
    document = fill("# T\n\n- `x` wins {won.fast one.a}%\n  or so\n- {name}: **b**", won=won, name=Name("a"))
    assert document.parts == [Items([(Code("x"), " wins `50`% or so"), (Name("a"), ": ", Strong("b"))])]
