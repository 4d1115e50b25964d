"""People at one table who do not trust each other: what each of them can ask for, and what the others are told."""

import itertools
import json
import os
import random
import re
import signal
import urllib.error
import urllib.request

import aiohttp
import pytest

from cardenvs.contract.loops import RUNNING
from cardenvs.contract.registry import get_game
from cardenvs.play import Table, seat_view
from cardenvs.play.web import read_room
from cardenvs.play.web.connection import ENDED
from cardenvs.policy.random import RandomPolicy
from tests.helpers.pages import at, full_disk, room_of, run, seated, serving, state_of
from tests.helpers.tables import GAMES, cards_in, knows, old_text, people, play_on, played

# --- seeds ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("game", GAMES)
def test_no_seed_is_told_before_its_deal_is_over(game):
    seed = 918273645546372
    table = Table(game, people(game), seed=seed)
    table.act(table.to_act, table.legal()[0])
    assert str(seed) not in table.public_text("here")
    table.new_deal(seed=seed + 1)
    table.act(table.to_act, table.legal()[0])
    table.new_deal()
    assert not re.search(r"9182736455\d+", table.public_text("here")), (
        "a deal that was left unfinished may be taken up again"
    )
    table.new_deal(seed=seed + 2)
    play_on(table)
    told = table.public_text("here")
    assert f"# seed of the deal: {seed + 2}\n" in told, "when the deal is over its seed tells nothing more"
    assert str(seed + 1) not in told and table._secret not in told


async def test_no_message_of_a_table_has_a_seed_or_the_secret(tmp_path):
    seed = 918273645546372
    room = room_of("euchre", "human human high high", seed=seed, folder=tmp_path)
    async with seated(room, 0, 1, None) as (_, _, one, two, look):
        await one.ask("saved", type="save")
        await two.send(type="new", seed=seed + 1)
        await one.ask("saved", type="save")
        await one.send(type="same")
        await one.ask("error", type="new", seed="x")
        saved = await one.ask("saved", type="save")
        await one.send(type="load", text=saved["text"])
        await two.ask("saved", type="save")
        raw = [*one.raw, *two.raw, *look.raw]
        assert not any(str(seed)[:-1] in text or room.table._secret in text for text in raw)
        assert room.table._secret in room.file.read_text()
        assert room.file.stat().st_mode & 0o777 == 0o600


@pytest.mark.parametrize("game", GAMES)
def test_later_deals_cannot_be_known_from_the_first_seed(game):
    def deals(**options):
        table = Table(game, people(game), seed=7, **options)
        lines = [table.line]
        for _ in range(3):
            table.new_deal()
            lines.append(table.line)
        return lines

    one, two = deals(), deals()
    assert one[0] == two[0] == get_game(game).text(get_game(game).deal(7)[0])
    assert not set(one[1:]) & set(two[1:]) and deals(repeatable=True) == deals(repeatable=True)


def test_what_is_random_in_policies_cannot_be_known_from_the_first_seed():
    moves = [Table("whist", ["random"] * 4, seed=7).snapshot().seed for _ in range(2)]
    assert moves[0] != moves[1]
    same = [Table("whist", ["random"] * 4, seed=7, repeatable=True).snapshot().seed for _ in range(2)]
    assert same[0] == same[1]


async def test_a_repeatable_table_says_so_to_all_and_keeps_its_seed_to_itself(tmp_path):
    room = room_of("euchre", "human human high high", folder=tmp_path, seed=918273645546372, repeatable=True)
    table = room.table
    async with seated(room, 0, 1, None) as (_, _, *pages):
        for page in pages:
            assert page.state["repeatable"] is True
            assert any("repeatable" in line for line in page.state["log"])
        await pages[0].send(type="new")
        for page in pages:
            await page.until(lambda page: page.state["version"] == table.version)
            assert any("repeatable" in line for line in page.state["log"]), "in every deal"
    play_on(table)
    assert "918273645546372" not in table.public_text()
    again = read_room(room.file)
    assert again.table.repeatable
    assert seat_view(Table("euchre", people("euchre"), seed=1), 0)["repeatable"] is False


def test_a_record_from_others_does_not_bring_the_secret_of_the_deals_to_come(tmp_path):
    table = played("euchre", 5, moves=4)
    record = tmp_path / "record.txt"
    record.write_text(table.to_text())
    drawn = [Table.from_text(record.read_text(), exactly=exactly) for exactly in (True, False)]
    for copy in (table, *drawn):
        copy.new_deal()
    assert drawn[0].line == table.line and drawn[1].line != table.line


async def test_all_are_told_how_a_deal_was_asked_for():
    room = room_of("euchre", "human human high high", seed=5, pause=60)
    async with serving(room) as house:
        one, two, look = pages = [await house.page(seat) for seat in (0, 1, None)]

        async def told(said):
            for page in pages:
                await page.until(lambda page: any(said in line for line in page.state["log"]), 20)

        await told("this deal was asked for by its seed")
        await one.send(type="new", seed=6)
        await told("player 0 asked for this deal by its seed")
        await two.send(type="same")
        await told("player 1 began the same deal again")
        room.table.act(room.table.to_act, "pass")
        await one.send(type="new")
        await told("player 0 began a new deal; the one before was not over")
        await two.until(lambda page: not any("asked" in line or "again" in line for line in page.state["log"]))
        line = get_game("euchre").text(get_game("euchre").deal(3)[0])
        await two.send(type="new", line=line)
        await told("player 1 asked for this deal as text")
        saved = (await two.ask("saved", type="save"))["text"]
        await one.send(type="load", text=saved)
        await told("player 0 took a deal of this table up again after 0 moves")
        play_on(room.table)
        await one.send(type="same")
        await told("the same deal again: its cards are known")
        assert look.state["hands"] is None


@pytest.mark.parametrize("game", GAMES)
def test_a_table_file_of_earlier_versions_keeps_the_people_and_gets_a_secret(game):
    table = play_on(Table(game, people(game), seed=4), 3)
    saved = table.public_text("here")
    table.new_deal()
    lines = old_text(table.to_text()).splitlines(True)
    old = "".join(line for line in lines if not line.startswith(("# secret", "# people in")))
    again = Table.from_text(f"# seed: 4\n{old}")
    assert again.sat == set(table.people)
    for seat in table.people:
        again.set_seat(seat, "random")
    again.load(saved, key="here")
    assert again.sat == set(table.people) and seat_view(again, None)["hands"] is None
    later = Table.from_text(f"# seed: 4\n{old}")
    assert again._secret != later._secret and "4" not in (again._secret, later._secret)


@pytest.mark.parametrize("game", GAMES)
def test_what_is_told_stays_in_its_place_in_the_log_and_in_the_file(game):
    table = Table(game, people(game), seed=3)
    logs = []
    table.tell("first of all")
    for _ in range(6):
        logs.append(seat_view(table, 0)["log"])
        table.act(table.to_act, table.legal()[0])
    table.tell("then\nthat")
    play_on(table)
    logs.append(seat_view(table, 0)["log"])
    table.tell("at last")
    logs.append(seat_view(table, 0)["log"])
    assert logs[-1][0] == "first of all" and logs[-1][-1] == "at last" and "then that" in logs[-1]
    for earlier, later in itertools.pairwise(logs):
        assert later[: len(earlier)] == earlier
    assert seat_view(Table.from_text(table.to_text()), 0)["log"] == logs[-1]
    assert "at last" not in table.public_text()


async def test_a_link_ends_when_its_seat_changes_hands_and_no_old_one_comes_back(tmp_path):
    room = room_of("euchre", "human human human high", folder=tmp_path, pause=60)
    async with seated(room, 0, 1, 2) as (house, _, one, two, absent):
        old = room.path(2)
        await absent.close()
        await one.until(lambda page: not page.state["seats"][2]["connected"])
        await one.send(type="seat", seat=2, policy="high")
        for page in (one, two):
            await page.until(lambda page: page.state["seats"][2]["kind"] == "policy")
            assert any("player 0 gave seat 2 to high" in line for line in page.state["log"])
        assert await house.status(old) == 403
        assert not [reply for reply in one.replies if reply["type"] == "link"]
        between = room.path(2)
        await one.send(type="new")
        link = await one.ask("link", type="seat", seat=2, policy="human")
        assert link["seat"] == 2 and link["path"] not in (old, between)
        for page in (one, two):
            await page.until(lambda page: any("gave seat 2 to a person" in line for line in page.state["log"]))
        assert [await house.status(path) for path in (old, between, link["path"])] == [403, 403, 200]
        with pytest.raises(aiohttp.WSServerHandshakeError):
            await house.at(old)
        assert read_room(room.file).path(2) == link["path"]


async def test_who_comes_in_the_middle_of_a_deal_sees_no_hand_of_it(tmp_path):
    """Else a second window would show the one who asks another seat's cards."""
    room = room_of("whist", "human human high high", folder=tmp_path, pause=60)
    async with seated(room, 0, 1) as (house, _, one, two):
        path = (await one.ask("link", type="seat", seat=2, policy="human"))["path"]
        window = await house.at(path)
        assert window.state["you"] is None and window.state["hand"] is None and not window.state["control"]
        assert (window.state["waits"], one.state["waits"]) == (2, None)
        for message in ({"type": "hint", "policy": "high"}, {"type": "act", "action": "pass"}, {"type": "same"}):
            assert await window.refused(**message)
        await one.send(type="same")
        await two.until(lambda page: any("same deal again" in line for line in page.state["log"]))
        await window.until(lambda page: page.state["version"] == room.table.version)
        assert window.state["you"] is None, "the same cards"
        again = read_room(room.file)
        assert (again.coming, again.path(2)) == ({2}, path)
        await two.send(type="new")
        await window.until(lambda page: page.state["you"] == 2)
        assert len(window.state["hand"]) == 13
        await two.until(lambda page: any("sits down at seat 2" in line for line in page.state["log"]))
        assert "is at the table" in await one.refused(type="seat", seat=2, policy="high")


async def test_who_plays_alone_invites_others_in_the_middle_of_a_deal():
    async with seated(room_of("whist", "human high high high", pause=60), 0) as (house, _, one):
        await one.send(type="seat", seat=2, policy="human")
        friend = await house.at((await one.reply("link"))["path"])
        assert friend.state["you"] == 2 and friend.state["hand"]


async def test_the_hand_of_an_absent_person_is_given_to_nobody_in_that_deal():
    async with seated(room_of("whist", "human high human high", pause=60), 0) as (house, _, one):
        await one.send(type="seat", seat=2, policy="high")
        await one.send(type="seat", seat=2, policy="human")
        window = await house.at((await one.reply("link"))["path"])
        assert window.state["hand"] is None


async def test_a_page_whose_seat_goes_to_a_policy_is_closed_with_the_reason():
    async with seated(room_of("euchre", "human human high high", pause=60), 0, 0, 1) as (house, room, one, window, two):
        version = one.state["version"]
        await one.send(type="seat", seat=0, policy="hybrid")
        for page in (one, window):
            code, reason = await page.closed()
            assert code == ENDED and "changed hands" in reason
            assert next(reply for reply in page.replies if reply["type"] == "ended")["path"] == room.path(None)
            assert page.state["version"] == version, "no state of the policy's hand was sent"
        await two.until(lambda page: page.state["seats"][0]["policy"] == "hybrid")
        # The page of a policy's seat, if somebody had a link to it, shows no hand.
        look = await house.page(0)
        assert look.state["you"] is None and look.state["hand"] is None
        await two.send(type="new")
        await look.until(lambda page: page.state["version"] == room.table.version)
        assert look.state["hand"] is None and look.state["hands"] is None


async def test_a_seat_goes_from_person_to_person_by_a_new_link():
    async with seated(room_of("euchre", "human human high high", pause=60), 0, 1) as (house, room, one, two):
        old = room.path(0)
        path = (await one.ask("link", type="seat", seat=0, policy="human"))["path"]
        assert (await one.closed())[0] == ENDED
        assert path != old and await house.status(old) == 403
        await two.until(lambda page: any("gave seat 0 to another person" in line for line in page.state["log"]))
        assert (await house.at(path)).state["you"] == 0
        assert "person already" in await two.refused(type="seat", seat=0, policy="human")


async def test_what_was_asked_before_a_link_ended_is_not_answered_after():
    async with seated(room_of("euchre", "human high high high", pause=60), 0) as (_, room, one):
        await one.send(type="seat", seat=0, policy="high")
        for message in ({"type": "save"}, {"type": "new", "seed": 3}, {"type": "seat", "seat": 0, "policy": "human"}):
            await one.send(**message)
        assert (await one.closed())[0] == ENDED
        assert {reply["type"] for reply in one.replies} == {"welcome", "ended"}
        assert room.table.people == [] and room.table.given == "seed" and len(room.table.earlier) == 0


async def test_a_seat_does_not_change_hands_while_the_table_cannot_be_saved(tmp_path, monkeypatch):
    """What is told must be there after a kill: else the old link would open the seat again."""
    async with seated(room_of("euchre", "human human high high", folder=tmp_path, pause=60), 0) as (_, room, one):
        tokens = list(room.tokens)
        with monkeypatch.context() as patch:
            patch.setattr(os, "fsync", full_disk)
            assert "No space left" in await one.refused(type="seat", seat=1, policy="high")
            assert room.tokens == tokens and room.table.seats[1] == "human"
        await one.send(type="seat", seat=1, policy="high")
        await one.until(lambda page: page.state["seats"][1]["kind"] == "policy")
        assert read_room(room.file).tokens == room.tokens and room.tokens[1] != tokens[1]


@pytest.mark.parametrize("game", GAMES)
async def test_hands_are_opened_only_if_nobody_sat_in_the_deal(game, tmp_path):
    seats = get_game(game).seats
    policy = "random"
    room = room_of(game, "human human" + f" {policy}" * (seats - 2), folder=tmp_path, pause=60)
    table = room.table

    async def closed(page):
        await page.until(lambda page: page.state["version"] == table.version)
        assert page.state["hands"] is None and page.state["text"] is None and page.state["readouts"] is None
        assert cards_in(game, json.dumps(page.state)) <= knows(table, None)
        assert f"\n{game} " not in "\n" + (await page.ask("saved", type="save"))["text"]

    async with seated(room, None, 0) as (_, _, look, one):
        play_on(table, 3)
        saved = (await one.ask("saved", type="save"))["text"]
        await one.send(type="seat", seat=1, policy=policy)
        await one.send(type="seat", seat=0, policy=policy)
        await one.closed()
        assert table.people == []
        await closed(look)
        await look.send(type="same")
        await look.until(lambda page: not page.state["log"])
        await closed(look)
        await look.send(type="load", text=saved)
        await look.until(lambda page: len(page.state["log"]) >= 3)
        await closed(look)
        again = read_room(room.file)
        assert seat_view(again.table, None)["hands"] is None and again.table.sat == {0, 1}
        # People who sit down then have the deal as it was; the next deal, in which nobody sits, is open.
        await look.send(type="new")
        await look.until(lambda page: page.state["hands"] is not None)
        assert look.state["text"] == table.line
        await look.send(type="load", text=saved)
        await look.until(lambda page: page.state["hands"] is None)
        assert table.over == RUNNING


async def test_all_are_told_that_a_deal_was_open_before_somebody_sat_down():
    async with seated(room_of("whist", "high high high high", pause=60), None) as (house, _, look):
        assert look.state["hands"]
        await look.send(type="seat", seat=0, policy="human")
        page = await house.at((await look.reply("link"))["path"])
        assert any("open to everybody" in line for line in page.state["log"])
        assert page.state["hand"] and look.state["you"] is None
        await look.until(lambda page: page.state["hands"] is None)


async def test_pages_never_show_the_folders_of_policies_files():
    def make(game, name, **parameters):
        return RandomPolicy(game)

    names = ["/home/secret/a/net.zip", "/home/secret/b/net.zip", "learned:policy=runs/x/y.zip"]
    async with seated(room_of("euchre", " ".join(["human", *names]), make=make), 0, None) as (_, room, page, look):
        shown = {seat["policy"] for seat in page.state["seats"][1:]}
        assert shown == {"net.zip", "net.zip (2)", "learned:policy=y.zip"}
        assert set((await page.reply("welcome"))["policies"]) >= shown
        choose = random.Random(1)
        await page.turn()
        assert (await page.ask("hint", type="hint", policy="net.zip (2)"))["policy"] == "net.zip (2)"
        await page.send(type="seat", seat=1, policy="net.zip (2)")
        await page.until(lambda page: page.state["seats"][1]["policy"] == "net.zip (2)")
        assert room.table.seats[1] == names[1]
        assert "no policy by name" in await page.refused(type="hint", policy="other.zip")
        await page.finish(choose)
        await page.ask("saved", type="save")
        assert not [text for text in (*page.raw, *look.raw) if "secret" in text or "runs" in text or "/x/" in text]


def test_seats_links_and_deals_to_come_survive_a_kill(start, tmp_path):
    folder = str(tmp_path / "tables")
    first = start("euchre", "--seats", "human,human,high,high", "--folder", folder, "--port", "0", "--pause", "60")
    old = first.links["seats"][1]["url"]

    async def change(page):
        await page.send(type="seat", seat=1, policy="high")
        await page.until(lambda page: page.state["seats"][1]["kind"] == "policy")
        await page.send(type="seat", seat=1, policy="human")
        return (await page.reply("link"))["path"]

    path = run(at(first.links["seats"][0]["url"], change))
    first.end(signal.SIGKILL)
    kept = read_room(next((tmp_path / "tables").glob("euchre-*.json"))).table
    kept.new_deal()
    again = start("euchre", "--resume", "--folder", folder)
    assert again.links["seats"][1]["url"] == again.links["url"] + path

    with pytest.raises(urllib.error.HTTPError, match="403"):
        urllib.request.urlopen(old, timeout=10)
    newcomer = run(at(again.links["url"] + path, state_of))
    assert newcomer["you"] is None and newcomer["hand"] is None

    async def deal(page):
        await page.send(type="new")
        await page.until(lambda page: any("sits down at" in line for line in page.state["log"]))
        return page.state["turned"]

    turned = run(at(again.links["seats"][0]["url"], deal))
    assert turned == seat_view(kept, 0)["turned"], "the deal that the killed server would have dealt"
    assert again.end(signal.SIGINT)[0] == 0
