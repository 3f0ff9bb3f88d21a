from __future__ import annotations

from dataclasses import replace
from typing import Any

from gm.base.config import Settings, parse_settings
from gm.layers.diary import DIARY, DiaryEntry
from gm.layers.now import NOW, Now
from gm.layers.working import WORKING, Page, PageChange, change_page
from gm.model.mind import Mind
from gm.model.solo_replies import DiaryReply
from gm.model.world import Change, World
from gm.scene.evening.nightfall import close_day
from gm.scene.evening.off_scene import (
    RecalledLine,
    RecalledScene,
    close_evening,
    evening_scene,
    parts_of_day,
    writers,
)
from tests.build import agent, entry, node, thread, words, world

REPLY = DiaryReply(text="Der Turm hält.", mood="müde\n und froh", tags=["Turm", "vera", "turm"])
WROTE = DiaryEntry(2, "Heute war viel.")


def house(diary: str = "on") -> World:
    nami = replace(agent("nami"), mind=Mind({DIARY.name: (WROTE,)}))
    yesterday = replace(agent("emre", at="roof"), mind=Mind({DIARY.name: (replace(WROTE, day=1),)}))
    played = [entry(1, "WORK", "finn"), entry(2, "WORK", "vera", "emre"), entry(2, "WORK", "nami", "gast", scene=2)]
    return world(agent("vera"), yesterday, nami, agent("finn"), day=2, log=played, settings=Settings(diary=diary))


def test_who_took_part_in_a_scene_and_has_not_written_yet_writes() -> None:
    assert writers(house()) == ("emre", "vera")


def test_no_character_writes_where_there_are_no_diaries() -> None:
    assert writers(house("off")) == ()


def test_one_writes_after_the_last_scene_where_one_is() -> None:
    scene = evening_scene(house(), "emre")
    assert (str(scene.ref), scene.cast, scene.place, scene.time_of_day) == ("day-002", ("emre",), "roof", "evening")
    assert (scene.why, scene.premise) == ("", "")


def evening(said: dict[str, Any], *, name: str = "emre", **values: Any) -> Change:
    """Close the day in which a character has written a diary and, with ``values``, had a page of working memory."""
    before = replace(house(), settings=parse_settings({"diary": True, "working": {"enabled": True}})[0])
    agents = dict(before.agents)
    if values:
        agents[name] = replace(agents[name], mind=agents[name].mind.with_value(WORKING, Page(values)))
    reply = DiaryReply.model_validate({**REPLY.model_dump(), **said})
    return close_evening(replace(before, agents=agents), {name: reply}, "2026-03-04", words)


def test_what_is_written_lands_with_the_close_of_the_day() -> None:
    change = evening({})
    (written,) = (entry for entry in [change.minds["emre"][DIARY]] if entry)
    assert written == DiaryEntry(2, "Der Turm hält.", "müde und froh", "roof", "2026-03-04", written.tags)
    assert "turm" in written.tags
    assert change.clock["day_open"] is False
    assert close_evening(house(), {"ghost": REPLY}, "", words) == close_day(house(), words)


def test_the_mood_of_the_evening_is_the_one_of_the_next_morning() -> None:
    quiet = REPLY.model_copy(update={"mood": " "})
    assert close_evening(house(), {"emre": REPLY}, "", words).agents["emre"]["mood"] == " ".join(REPLY.mood.split())
    assert "mood" not in close_evening(house(), {"emre": quiet}, "", words).agents.get("emre", {})


def test_an_entry_that_was_written_by_hand_meanwhile_stays_and_the_page_is_written_all_the_same() -> None:
    change = evening({"now": {"occupies": ["Der Fährmann."], "thinks": []}}, name="nami")
    assert change.minds["nami"][DIARY] is None
    assert change.minds["nami"][NOW] == Now(2, ("Der Fährmann.",))


def test_a_page_of_notes_that_is_written_anew_in_the_evening_keeps_what_is_unfinished() -> None:
    said = [{"key": "current_subgoal", "text": "Leim holen"}, {"key": "known", "text": "LEKTION: Erst fragen"}]
    change = evening({"working": said}, current_subgoal="Gips holen", known=["Emre wartet"], note="weg damit")
    page = change_page(
        Page({"current_subgoal": "Gips holen", "known": ["Emre wartet"], "note": "weg damit"}),
        change.minds["emre"][WORKING] or PageChange(),
    )
    assert page == Page({"current_subgoal": "Leim holen", "known": []})
    assert [node.description for node in change.nodes["emre"]] == ["LEKTION: Erst fragen"]


def test_what_is_said_in_the_evening_of_the_items_of_a_plan_counts_and_the_rest_is_moved() -> None:
    made = node(1, agent="emre", created="day-002/scene-01", type="plan", metadata={"kind": "plan"})
    before = house()
    emre = replace(agent("emre", plan=["Turm", "Gips", "Leim"], stream=[made]), mind=before.agents["emre"].mind)
    said = [
        {"item": 1, "status": "done", "text": ""},
        {"item": 3, "status": "dropped", "text": "Niemand braucht ihn."},
        {"item": 4, "status": "done", "text": ""},
    ]
    reply = DiaryReply.model_validate({**REPLY.model_dump(), "plan_status": said})
    change = close_evening(replace(before, agents={**before.agents, "emre": emre}), {"emre": reply}, "", words)
    assert change.agents["emre"]["today_plan"] == ["DONE: Turm", "MOVED: Gips", "DROPPED: Leim"]
    assert change.line.record["plans"]["emre"] == [
        {"text": "Turm", "status": "done"},
        {"text": "Gips", "status": "moved"},
        {"text": "Leim", "status": "dropped", "why": "Niemand braucht ihn."},
    ]
    assert change.warnings == ("emre: item 4 of a plan of 3, left out",)


def test_what_did_not_fit_on_a_page_is_said() -> None:
    change = evening({"now": {"occupies": list("abcd")}})
    assert change.warnings == ("emre: now: room for 3 lines under occupies; 1 were left out",)


def test_a_day_is_what_one_had_of_it_together_with_others() -> None:
    said = [{"agent": "vera", "text": f"Satz {number}."} for number in range(6)]
    odd = [{"agent": 3, "text": "x"}, {"agent": "vera"}, "x"]
    log = [
        entry(2, "ARRIVAL", "vera", "emre"),
        entry(2, "WORK", "vera", "emre", scene=2, time_of_day="noon", dialogue=[*said, *odd], place="roof"),
        entry(2, "DANCE", "emre", "vera", scene=3, time_of_day="spät", dialogue="nichts"),
        entry(2, "REFLECTION", "vera", scene=4),
        entry(2, "WORK", "emre", scene=5),
        entry(1, "WORK", "vera"),
    ]
    one = world(agent("vera"), agent("emre"), day=2, log=log)
    first, second = parts_of_day(one, "vera")
    assert first == RecalledScene(
        "noon", "roof", ("emre",), tuple(RecalledLine("vera", f"Satz {number}.") for number in range(6))
    )
    assert second == RecalledScene("", "hall", ("emre",), ())


LONG = "Der Turm steht schief, und wer hineingeht, hört sich selbst zweimal, Zeile {}."


def recalled(*lines: tuple[str, str, str], known: tuple[str, ...] = ()) -> RecalledScene:
    """What Vera recalls of a scene with these turns: speaker, addressee, text."""
    turns = [{"agent": agent, "lines": [{"to": to, "text": text}]} for agent, to, text in lines]
    log = [entry(2, "ENCOUNTER", "vera", "emre", "finn", turns=turns)]
    (part,) = parts_of_day(world(agent("vera"), agent("emre"), agent("finn"), day=2, log=log), "vera", known)
    return part


def test_a_line_is_told_whole_or_not_at_all() -> None:
    speech = "Wort " * 400
    part = recalled(("vera", "", speech), ("emre", "", "Ja."))
    assert part.lines == (RecalledLine("emre", "Ja.", after_gap=True),), "the end comes first"
    part = recalled(("emre", "", "Ja."), ("vera", "", speech))
    assert part.lines == (RecalledLine("vera", speech.strip(), after_gap=True),)


def test_of_a_long_scene_the_end_and_what_concerned_oneself_are_told() -> None:
    others = [("emre", "finn", LONG.format(number)) for number in range(20)]
    asked, own = ("emre", "vera", "Und du?"), ("vera", "emre", "Nein.")
    part = recalled(*others[:6], asked, own, *others[6:])
    told = [line.text for line in part.lines]
    assert told[:2] == ["Und du?", "Nein."]
    assert told[2:] == [LONG.format(number) for number in range(20 - len(told) + 2, 20)]
    assert [line.after_gap for line in part.lines] == [True, False, True, *[False] * (len(told) - 3)]
    assert not part.goes_on
    assert sum(map(len, told)) <= 1_800
    short = recalled(*[("emre", "finn", f"{number}.") for number in range(30)])
    assert len(short.lines) == 14
    alone = recalled(*[("vera", "", LONG.format(number)) for number in range(20)], ("emre", "", "Gut."))
    assert alone.lines[-1].text == "Gut.", "how it ended is told, however much one said"


def test_what_was_said_to_oneself_last_is_told_before_what_one_said_and_what_came_first() -> None:
    pairs = [(("vera", "emre", LONG.format(place)), ("emre", "vera", f"Zu dir {place}.")) for place in range(30)]
    part = recalled(*(line for pair in pairs for line in pair))
    to_oneself = [line.text for line in part.lines if line.to == "vera"]
    assert to_oneself == [f"Zu dir {place}." for place in range(30 - len(to_oneself), 30)]
    assert [line.text for line in part.lines if line.agent == "vera"] == [LONG.format(29)], "it is one of the last"


def test_of_what_one_did_the_last_actions_are_told_whole() -> None:
    def did(*actions: str) -> str:
        log = [entry(2, "WORK", "vera", turns=[{"agent": "vera", "action": action} for action in actions])]
        return parts_of_day(world(agent("vera"), day=2, log=log), "vera")[0].did

    short = "Vera gießt Gips in die Form und wartet, bis er nicht mehr schwappt."
    long, longest = f"{short} {short}", " ".join([short] * 5)
    assert did(long, " ", long, short, "Vera geht.") == f"[…] {long} {short} Vera geht."
    assert did(short, long, long) == f"[…] {long} {long}"
    assert did(long, f"{long} {short}", short) == f"[…] {long} {short} {short}", "no action is divided"
    assert did(short, longest) == f"[…] {long} {long}", "only one that is too long"
    assert did("Vera gießt. " + "Sie wartet und " * 30) == "Vera gießt. […]"
    assert did(" ") == ""


def test_of_each_scene_is_told_what_one_did() -> None:
    silent = {"agent": "vera", "action": "Vera gießt\n Gips."}
    spoken = {"agent": "emre", "action": "Emre geht.", "lines": [{"text": "Ja."}]}
    log = [entry(2, "WORK", "vera", "emre", turns=[silent, silent, spoken])]
    one = world(agent("vera"), agent("emre"), day=2, log=log)
    assert parts_of_day(one, "vera")[0].did == "Vera gießt Gips. Vera gießt Gips."
    assert parts_of_day(one, "emre")[0].did == "Emre geht."


def test_on_a_day_of_many_scenes_less_is_told_of_each() -> None:
    turns = [{"agent": "emre", "lines": [{"to": "vera", "text": LONG.format(number)}]} for number in range(12)]
    log = [entry(2, "ENCOUNTER", "vera", "emre", scene=number, turns=turns) for number in range(1, 9)]
    parts = parts_of_day(world(agent("vera"), agent("emre"), day=2, log=log), "vera")
    assert len(parts) == 8
    assert 4_000 < sum(len(line.text) for part in parts for line in part.lines) <= 6_000


def test_what_a_memory_tells_word_for_word_is_not_told_again() -> None:
    first, second = LONG.format(1), LONG.format(2)
    part = recalled(
        ("emre", "vera", first),
        ("vera", "", "Ja."),
        ("emre", "", second),
        known=(f"Emre: »{first}«", f"Ja. »{second}«"),
    )
    assert part.lines == (RecalledLine("vera", "Ja.", after_gap=True),), "a few words stand in a memory by chance"
    assert part.goes_on
    assert recalled(("emre", "", first), known=(first,)).lines == ()
    assert not recalled(("emre", "", first), known=(first,)).goes_on


def test_a_thread_that_needed_no_scene_is_settled_in_the_evening_by_its_people() -> None:
    one = replace(house(), threads=(thread(1, "emre", "nami"), thread(2, "nami", "emre"), thread(3, "nami", "vera")))
    closes = [
        {"id": "thread-001", "outcome": "kept", "text": "It lies there."},
        {"id": "thread-003", "outcome": "broken"},
    ]
    reply = DiaryReply.model_validate({**REPLY.model_dump(), "closes": closes})
    change = close_evening(one, {"emre": reply}, "", words)
    settled = [(event.id, event.by, event.outcome) for event in change.threads if event.event == "close"]
    assert settled == [("thread-001", "emre", "kept")]
    assert "emre: closes thread-003, which does not concern them; it stays as it is" in change.warnings


def test_what_is_last_seen_of_each_one_stands_in_the_line_that_closes_the_day() -> None:
    closed = evening({"text": "Es war viel.", "mood": "müde", "action": "Emre zieht\ndie Tür zu."})
    assert closed.line.record["turns"] == [{"agent": "emre", "round": 1, "action": "Emre zieht die Tür zu."}]
    quiet = evening({"text": "Es war viel.", "mood": "müde"})
    assert "turns" not in quiet.line.record
