"""What pages ask of a table besides plays: names, undo, the replay and the review of a deal."""

import asyncio
import json
import random
import threading
import time

import pytest

from cardenvs.play import seat_view
from cardenvs.play.commands import COMMANDS
from cardenvs.play.reviewers import ReviewedDeal, ReviewedMove
from cardenvs.play.terminal.commands import Commands
from cardenvs.play.web import read_room
from cardenvs.play.web.messages import Messages
from cardenvs.play.web.server import links
from tests.helpers.pages import eventually, room_of, seated, serving
from tests.helpers.players import Named


def test_every_command_has_an_effect_where_it_can_be_asked_for():
    for name, command in COMMANDS.items():
        assert command.fields is None or hasattr(Messages, f"do_{name}"), name
        assert command.help is None or hasattr(Commands, f"do_{name}"), name


async def test_a_person_tells_a_name_which_all_are_shown():
    async with seated(room_of("euchre", "human human high high", pause=60), 0, 1, None) as (_, room, one, two, look):
        await two.send(type="name", name="  Zoë   <b> ")
        for page in (one, look):
            await page.until(lambda page: page.state["seats"][1]["name"] == "Zoë <b>")
        await two.until(lambda page: page.state["seats"][1]["given"] == "Zoë <b>")
        assert two.state["seats"][1]["name"] == "You"
        before = room.table.version
        for said, page, name in (
            ("control characters", one, "\u202ex"), ("characters at most", one, "x" * 25), ("needs a letter", one, "."),
            ("the same name", one, "zoë <B>"), ("could be taken", one, "You"), ("needs 'name'", one, 3),
            ("looks on", look, "Eve"),
        ):  # fmt: skip
            assert said in await page.refused(type="name", name=name)
        assert "needs 'name'" in await one.refused(type="name") and room.table.version == before
        await two.send(type="name", name="")
        await one.until(lambda page: page.state["seats"][1]["name"] == "player 1")
        assert all(message.isascii() for message in two.raw), "a name is data, however it is sent"
        assert json.loads(two.raw[0])


async def test_the_file_of_a_table_has_names_the_score_sheet_and_what_was_taken_back(tmp_path):
    room = room_of("whist", "human high high high", folder=tmp_path, seed=6, episode="game", target=10)
    choose = random.Random(2)
    async with seated(room, 0) as (_, _, page):
        await page.send(type="name", name="Zoë")
        await page.finish(choose)
        await page.send(type="next")
        await page.until(lambda page: not page.state["deal_over"])
        while not page.state["can"]["undo"]:
            await page.play(choose)
            await page.until(lambda page: page.state["legal"])
        await page.send(type="undo")
        await page.until(lambda page: page.state["undone"] == 1)
        shown = page.state
    again = read_room(room.file).table
    for key in ("sheet", "undone", "seats", "tricks", "can"):
        expected = [{**seat, "connected": None} for seat in shown[key]] if key == "seats" else shown[key]
        assert seat_view(again, 0, thinking=-1)[key] == expected
    assert len(shown["sheet"]["deals"]) == 1 and again.names[0] == "Zoë"


async def test_the_only_person_takes_a_decision_back_while_policies_are_at_it():
    room = room_of("whist", "human high high high", seed=6)
    table, choose = room.table, random.Random(6)
    async with seated(room, 0, None) as (_, _, page, look):
        assert "looks on" in await look.refused(type="undo")
        while not page.state["can"]["undo"]:
            await page.play(choose)
            await page.until(lambda page: page.state["legal"])
        before, version = table.line, table.version
        assert "moved on" in await page.refused(type="undo", version=version - 1)
        assert table.line == before
        await page.send(type="undo", version=version)
        await page.until(lambda page: page.state["undone"] == 1 and page.state["legal"])
        await look.until(lambda page: page.state["undone"] == 1)
        assert before.startswith(table.line) and before != table.line
        assert len(page.state["legal"]) > 1
        # A policy that is at work when the decision is taken back does not move.
        await page.send(type="speed", seconds=5)
        await page.until(lambda page: page.state["pause"] == 5)
        await page.play(choose)
        await page.send(type="undo")
        await page.until(lambda page: page.state["undone"] == 2 and page.state["legal"])
        line = table.line
        saved = (await page.ask("saved", type="save"))["text"]
        assert "# decisions taken back: 2" in saved and "whist hands" not in saved
        assert table.line == line


async def test_nothing_is_taken_back_where_two_people_play():
    room = room_of("whist", "human human high high", seed=6)
    async with serving(room) as house:
        pages = [await house.page(0), await house.page(1)]
        while len(room.table.events) < 8:
            for page in pages:
                if page.state["legal"] and page.state["version"] == room.table.version:
                    await page.play(random.Random(1))
            await asyncio.sleep(0.001)
        line = room.table.line
        for page in pages:
            assert not page.state["can"]["undo"]
            assert "one person plays" in await page.refused(type="undo")
        assert room.table.line.startswith(line) and room.table.undone == 0


async def test_a_finished_deal_is_sent_position_by_position_to_whoever_asks():
    async with seated(room_of("euchre", "human high high high", seed=3), 0, None) as (_, room, page, look):
        for one in (page, look):
            assert not one.state["can"]["replay"]
            assert "not over yet" in await one.refused(type="replay")
        await page.finish(random.Random(3))
        await look.until(lambda page: page.state["deal_over"])
        for one, you in ((page, 0), (look, None)):
            assert one.state["can"]["replay"]
            reply = await one.ask("replay", type="replay")
            assert reply["version"] == room.table.version
            assert len(reply["positions"]) == len(room.table.events) + 1
            assert {position["you"] for position in reply["positions"]} == {you}
            assert all(position["hands"] for position in reply["positions"])


@pytest.fixture
def reviewer(monkeypatch):
    """Reviews by a reviewer of the test; what it does is set by ``reviewer.work``."""

    class Announced:
        asked = 0

        def work(self, deal, progress):
            progress(0, 1)

        def review(self, deal, progress):
            self.asked += 1
            self.work(deal, progress)
            assert deal.game.parse(deal.line)["over"][0]
            moves = [
                ReviewedMove(k % 4, name, "best", k / 8, None, None, False, f"{k} points")
                for k, name in enumerate(deal.game.history(deal.state[0]))
            ]
            return ReviewedDeal("tester:worlds=1", "points", tuple(moves), ("1 points",) * 4, ("So it is.",))

    announced = Announced()
    monkeypatch.setattr("cardenvs.play.reviewers.REVIEWERS.entries", {"euchre": Named(announced.review)})
    return announced


async def review_of(page, status):
    """Waits until a page is told a status of its review; the reply, after which all are forgotten."""
    await page.until(lambda page: any(reply.get("status") == status for reply in page.replies))
    reply = next(reply for reply in page.replies if reply.get("status") == status)
    page.replies.clear()
    return reply


async def test_a_review_is_computed_once_and_told_to_each_as_it_sees_the_table(reviewer):
    room = room_of("euchre", "human high human high", seed=3)
    async with serving(room) as house:
        pages = {seat: await house.page(seat) for seat in (0, 2, None)}
        assert "not over yet" in await pages[0].refused(type="review")
        assert not pages[0].state["can"]["review"]
        await asyncio.gather(*(pages[seat].finish(random.Random(seat)) for seat in (0, 2)))
        go = threading.Event()
        reviewer.work = lambda deal, progress: (progress(3, 9), go.wait(30))
        for page in pages.values():
            await page.until(lambda page: page.state["can"]["review"])
            working = await page.ask("review", type="review")
            assert (working["status"], working["moves"]) == ("working", [])
            while working["text"] != "3 of 9 decisions":
                working = await page.reply("review")
        go.set()
        for seat, page in pages.items():
            done = await review_of(page, "done")
            assert [move["index"] for move in done["moves"]] == list(range(len(room.table.events)))
            assert (done["by"], done["unit"]) == ("tester:worlds=1", "points")
            assert "So it is." in done["text"]
            names = [player["name"] for player in done["players"]]
            assert [name == "You" for name in names] == [at == seat for at in range(4)]
            assert {move["name"] for move in done["moves"]} <= set(names)
            dearest = [done["moves"][index] for index in done["dearest"]]
            if seat is not None:
                assert dearest[0]["seat"] == seat
            assert all(move["cost"] > 0 for move in dearest)
        # The next one who asks is answered from memory.
        await pages[0].send(type="review")
        assert (await pages[0].reply("review"))["status"] == "done" and reviewer.asked == 1


async def test_a_review_ends_when_another_deal_begins_or_nobody_waits(reviewer):
    room, began, ended = room_of("euchre", "human high high high", seed=3), threading.Event(), []

    def work(deal, progress):
        began.set()
        try:
            while True:
                progress(1, 2)
                time.sleep(0.005)
        except Exception as error:
            ended.append(str(error))
            raise

    reviewer.work = work
    async with seated(room, 0) as (house, _, page):
        await page.finish(random.Random(1))
        assert (await page.ask("review", type="review"))["status"] == "working"
        await eventually(began.is_set)
        began.clear()
        await page.send(type="new", seed=4)
        assert (await review_of(page, "failed"))["text"] == "another deal has begun"
        await eventually(lambda: ended == ["another deal has begun"])
        await page.until(lambda page: not page.state["deal_over"])
        await page.finish(random.Random(1))
        other = await house.page(None)
        assert (await other.ask("review", type="review"))["status"] == "working"
        await eventually(began.is_set)
        await other.close()
        await eventually(lambda: ended[1:] == ["nobody waits for the review"])
        # It can be asked for again.
        reviewer.work = lambda deal, progress: None
        await page.send(type="review")
        await review_of(page, "done")


async def test_a_review_that_fails_or_takes_too_long_says_so(reviewer, monkeypatch):
    monkeypatch.setattr("cardenvs.play.web.reviews._SECONDS", 0.1)

    def fails(deal, progress):
        raise RuntimeError("no idea\nat all")

    def forever(deal, progress):
        while True:
            progress(1, 2)
            time.sleep(0.005)

    async with seated(room_of("euchre", "human high high high", seed=3), 0) as (_, _, page):
        await page.finish(random.Random(1))
        for reviewer.work, said in ((fails, "no idea at all"), (forever, "more than 0.1 seconds")):
            await page.send(type="review")
            assert said in (await review_of(page, "failed"))["text"]


async def test_where_no_reviewer_is_installed_none_is_offered(monkeypatch):
    monkeypatch.setattr("cardenvs.play.reviewers.REVIEWERS.entries", {})
    async with seated(room_of("euchre", "human high high high", seed=3), 0) as (_, _, page):
        await page.finish(random.Random(1))
        assert (page.state["can"]["review"], page.state["can"]["replay"]) == (False, True)
        await page.send(type="review")
        assert (await review_of(page, "failed"))["text"] == "no reviewer for euchre is installed"


def test_the_links_call_policies_by_where_they_sit():
    room = room_of("euchre", "high human high human", names=[None, "Anna", None, None])
    told = links(room, "http://127.0.0.1:1")
    assert [seat["called"] for seat in told["seats"]] == ["high (right)", "Anna", "high (left)", "player 3"]
    assert [seat["name"] for seat in told["seats"]] == ["high", "Anna", "high", "player 3"]
    watched = links(room_of("five-o", "reflex1 reflex2"), "http://127.0.0.1:1")
    assert [seat["called"] for seat in watched["seats"]] == ["reflex1 (south)", "reflex2 (north)"]
