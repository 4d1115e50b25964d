"""What pages ask of a table besides plays: names, undo, the replay and the review of a deal."""

from __future__ import annotations

import json

from tests.helpers.pages import room_of, run, serving


def test_a_person_tells_a_name_which_all_are_shown():
    async def play():
        room = room_of("euchre", ["human", "human", "high", "high"], pause=60)
        async with serving(room) as house:
            one, two, look = await house.page(0), await house.page(1), await house.page(None)
            await two.send(type="name", name="  Zoë   <b> ")
            for page in (one, look):
                await page.until(lambda page: page.state["seats"][1]["name"] == "Zoë <b>")
            await two.until(lambda page: page.state["seats"][1]["given"] == "Zoë <b>")
            assert two.state["seats"][1]["name"] == "You"
            before = room.table.version
            for said, page, name in (
                ("control characters", one, "\u202ex"),
                ("characters at most", one, "x" * 25),
                ("a name needs a letter", one, "."),
                ("the same name", one, "zoë <B>"),
                ("could be taken", one, "You"),
                ("needs 'name'", one, 3),
                ("looks on", look, "Eve"),
            ):
                assert said in await page.refused(type="name", name=name)
            assert "needs 'name'" in await one.refused(type="name")
            assert room.table.version == before
            await two.send(type="name", name="")
            await one.until(lambda page: page.state["seats"][1]["name"] == "player 1")
            assert all(message.isascii() for message in two.raw), "a name is data, however it is sent"
            assert json.loads(two.raw[0])

    run(play())
