"""Who joins a talk, and what one who has joined does not know."""

from __future__ import annotations

from typing import Any

import pytest

from gm.base.config import DaySettings, Settings
from gm.model.world import World
from gm.scene.dialogue.turns import Turn
from gm.scene.folding.joining import draw_in
from gm.scene.pieces.at_hand import pieces_at_hand
from tests.build import agent, entry, line, reply, scene, words, world

NAMES = ("emre", "finn", "nami", "vera")
TO_FINN = Turn("vera", reply(line("Finn?", "finn")))
TO_NAMI = Turn("emre", reply(line("Nami?", "nami")))
PIECE = "gallery/concepts/day-001_wand_v1.md"


def there(together: Any = "auto") -> World:
    return world(
        *(agent(name, at="kueche" if name == "nami" else "atelier") for name in NAMES),
        settings=Settings(day=DaySettings(together=together), places={"atelier": "", "kueche": ""}),
    )


@pytest.mark.parametrize(
    ("kind", "together", "joined"),
    [("ENCOUNTER", "auto", ("finn",)), ("WORK", "auto", ()), ("ENCOUNTER", 4, ())],
    ids=["a talk", "work of all at once", "scenes side by side"],
)
def test_who_is_in_the_room_and_spoken_to_joins_a_talk(kind: str, together: Any, joined: tuple[str, ...]) -> None:
    one = there(together)
    found = draw_in(one, scene("vera", "emre", type=kind), [TO_FINN, TO_NAMI], words)
    assert (found.cast, found.joined) == (("vera", "emre", *joined), joined)
    assert draw_in(one, found, [TO_FINN, TO_NAMI], words) == found


def test_no_character_joins_a_talk_that_is_full_or_has_moved() -> None:
    one = there()
    full = scene("vera", "emre", "gustav", type="ENCOUNTER")
    assert draw_in(one, full, [TO_FINN], words).joined == ()
    away = Turn("vera", reply("Komm mit.", move_to="kueche"))
    talk = scene("vera", "emre", type="ENCOUNTER")
    assert draw_in(one, talk, [away, TO_NAMI, TO_FINN], words).joined == ()
    assert draw_in(one, talk, [TO_FINN, away], words).joined == ("finn",)


def test_what_brought_the_others_together_stays_theirs() -> None:
    talk = scene("vera", "emre", type="ENCOUNTER", topic="die Wand", answers=(PIECE,))
    found = draw_in(there(), talk, [TO_FINN], words)
    assert found.seen_by("vera") is found
    seen = found.seen_by("finn")
    assert (seen.topic, seen.answers, seen.premises, seen.cast) == ("", (), {}, found.cast)
    assert seen.premise == found.premises["finn"] != found.premise
    one = there()
    assert [piece.path for piece in pieces_at_hand(one, found, one.agents["vera"])] == [PIECE]
    assert pieces_at_hand(one, seen, one.agents["finn"]) == []


def test_a_talk_remains_the_one_of_those_who_were_invited() -> None:
    told = entry(1, "ENCOUNTER", "vera", "emre", "finn", joined=["finn"])
    assert (told.participants, told.invited) == (("vera", "emre", "finn"), ("vera", "emre"))
