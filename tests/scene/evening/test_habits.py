from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pytest

from gm.base.config import CalendarSettings, Settings, WorldSettings
from gm.layers.diary import DIARY, DiaryEntry
from gm.model.logged import LogEntry
from gm.model.mind import Mind
from gm.model.node import Node
from gm.model.persona import Persona
from gm.model.world import Agent, Sentences, World
from gm.scene.evening.habits import (
    Habits,
    angle_of,
    diary_endings,
    ending_of,
    habits_of,
    has_number,
    importance_counts,
    insight_endings,
    sentences_of,
)
from tests.build import agent, entry, node, post, world

GERMAN = Settings(language="de")
ENGLISH = Settings(language="en")


def with_angles(angles: str) -> Sentences:
    def words(key: str, /, **_values: object) -> str:
        return {"number_words": "zwei drei", "reflect_angles": angles}[key]

    return words


words = with_angles("one | two | three | four")


def spoke(day: int, *texts: str, who: str = "vera", type: str = "WORK", action: str = "") -> LogEntry:
    lines = [{"text": text} for text in texts]
    return entry(day, type, who, turns=[{"agent": who, "action": action, "lines": lines}])


def arrived(day: int, action: str, who: str = "vera") -> LogEntry:
    return spoke(day, who=who, type="ARRIVAL", action=action)


def habits(*log: LogEntry, day: int = 5, vera: Agent | None = None) -> Habits:
    one = world(vera or agent("vera"), agent("emre"), day=day, log=log, settings=GERMAN)
    return habits_of(one, one.agents["vera"], words)


def test_a_character_without_a_past_has_no_habits() -> None:
    assert habits() == Habits()


def test_what_happened_in_other_scenes_or_by_others_or_long_ago_is_no_arrival() -> None:
    log = [
        arrived(1, "Vera stolpert."),
        arrived(2, "Vera pfeift."),
        arrived(3, "Emre hustet.", who="emre"),
        arrived(3, ""),
        spoke(3, action="Vera dreht die Platte."),
        arrived(4, "Vera hängt den Mantel auf."),
    ]
    assert habits(*log, day=6).arrivals == ("Vera hängt den Mantel auf.", "Vera pfeift.")


def test_the_last_three_arrivals_are_told_in_short_and_once_each() -> None:
    long = "Vera " + "geht ganz langsam durch den Flur und " * 5
    log = [arrived(2, "Vera pfeift."), arrived(3, "Vera winkt."), arrived(4, long), arrived(5, "Vera winkt.")]
    first, second = habits(*log).arrivals
    assert first == "Vera winkt."
    assert second.endswith(" …")
    assert len(second) <= 90


def test_first_words_that_come_three_times_are_an_opening_in_speech_and_in_what_is_done() -> None:
    log = [
        spoke(4, "Ja, aber das geht nicht.", "Und jetzt ist Schluss.", action="Vera dreht den Stift hin."),
        spoke(5, "ja, aber das weiß ich.", "Und jetzt ist Ruhe.", action="Vera dreht den Stift um."),
        spoke(5, "Gut so.", "Gut so.", "Ja, aber das war gestern.", action="Vera dreht den Stift zurück."),
    ]
    assert set(habits(*log).openings) == {"Ja aber das", "dreht den Stift"}


def test_an_opening_is_a_habit_no_more_once_the_latest_lines_begin_otherwise() -> None:
    said = ["Und die Schuhe sind dabei."] * 3
    assert habits(spoke(4, *said), spoke(5, *(f"{start} ist das nun" for start in ("Wo", "Was", "Wer")))).openings
    others = [f"{start} ist das nun" for start in ("Wo", "Was", "Wer", "Wie")]
    assert habits(spoke(4, *said), spoke(5, *others)).openings == ()
    long = [f"Heute gilt Satz{number} davon." for number in range(11)]
    assert habits(spoke(3, *said[:2]), spoke(4, *long), spoke(5, said[2])).openings == (), "two are long ago"


def test_openings_are_told_the_most_frequent_first() -> None:
    said = [f"{start} wir das schon" for _ in range(3) for start in ("Weil", "Ob")]
    found = habits(spoke(5, "Dass wir das schon können", *said, "Ob wir das schon können")).openings
    assert found == ("Ob wir das", "Weil wir das")


@pytest.mark.parametrize(
    ("lines", "expected"),
    [
        (["Zwei Meter.", "Nein.", "Um 15 Uhr.", "Ja.", "Doch.", "Gut."], (2, 6)),
        (["Zwei Meter.", "Nein.", "Ja.", "Doch.", "Gut.", "Schön."], (0, 0)),
        (["Zwei Meter.", "Drei Meter.", "Ja."], (0, 0)),
        ([*["Zwei."] * 9, *["Nein."] * 12], (0, 0)),
        ([*["Nein."] * 9, *["Zwei."] * 12], (12, 12)),
    ],
    ids=["a third", "less than a third", "too few lines", "numbers of long ago", "the last twelve"],
)
def test_numbers_are_a_habit_when_a_third_of_the_last_lines_hold_one(
    lines: Sequence[str], expected: tuple[int, int]
) -> None:
    assert habits(spoke(5, *lines)).numbers == expected


def test_a_number_is_a_digit_or_a_whole_word() -> None:
    assert [has_number(line, ["zwei"]) for line in ("Gleis 9", "ZWEI davon", "Zweifel", "eins")] == [
        True,
        True,
        False,
        False,
    ]


def remembers(name: str, *texts: str, days: Sequence[int] = (4, 5), prose: str = "", **others: Any) -> Agent:
    stream = [
        node(number, agent=name, created=f"day-{day:03d}/scene-01", description=text, **others)
        for number, (day, text) in enumerate(((day, text) for day in days for text in texts), start=1)
    ]
    made = agent(name, stream=stream)
    return replace(made, persona=Persona({}, prose)) if prose else made


def motifs(*cast: Agent, settings: Settings = GERMAN, **others: Any) -> tuple[str, ...]:
    one = world(*cast, day=5, settings=settings, **others)
    return habits_of(one, one.agents["vera"], words).motifs


def three(text: str, **others: Any) -> list[Agent]:
    return [remembers(name, text, **others) for name in ("emre", "finn", "vera")]


CHALK = "Auf dem Boden lag wieder Kreide."


def test_what_several_have_in_mind_on_several_days_is_a_motif() -> None:
    assert motifs(*three(CHALK)) == ("Boden", "Kreide")
    assert motifs(*three("She talks and starts with some chalk on Saturday again.", days=(4, 5)), settings=ENGLISH) == (
        "chalk",
    )


def test_a_motif_is_told_in_the_words_of_its_reader_and_not_to_others() -> None:
    others = [remembers(name, "Da lag wieder Kreidestaub.") for name in ("emre", "finn", "nami")]
    assert motifs(*others, remembers("vera", "Wegen des Kreidestaubs huste ich.")) == ("Kreidestaubs",)
    assert motifs(*others, agent("vera")) == (), "she has never heard of it"


@pytest.mark.parametrize(
    ("cast", "others"),
    [
        (three(CHALK, days=(5,)), {}),
        (three(CHALK, days=(1, 2)), {}),
        ([remembers("emre", CHALK), agent("finn"), remembers("vera", CHALK)], {}),
        (three(CHALK, type="plan"), {}),
        (three(CHALK, metadata={"importance_by": "gm"}), {}),
        (three("Es ist eben immer so."), {}),
        (three(CHALK), {"posts": [post("Kreide auf den Boden.")]}),
        (three(CHALK), {"settings": replace(GERMAN, places={"kreide": "Ein Boden."})}),
        (three(CHALK), {"settings": replace(GERMAN, world=WorldSettings(premise="Boden", rules=("Kreide",)))}),
        (three(CHALK), {"settings": replace(GERMAN, calendar=CalendarSettings(weekdays=("Kreide", "Boden")))}),
        (three(CHALK, prose="Kreide, Boden."), {}),
        (three("Das sagte dann auch Vera."), {}),
    ],
    ids=[
        "on one day",
        "long ago",
        "of two",
        "plans",
        "written by the rules",
        "nouns alone",
        "the brief",
        "places",
        "premise and rules",
        "weekdays",
        "personas",
        "names",
    ],
)
def test_what_is_no_motif(cast: Sequence[Agent], others: dict[str, Any]) -> None:
    assert motifs(*cast, **others) == ()


def test_at_most_four_motifs_are_told_those_of_most_memories_first() -> None:
    many = "Da waren Gabel, Löffel, Messer, Teller, Tasse."
    found = motifs(*(remembers(name, many) for name in ("emre", "finn", "vera")), remembers("nami", "Der Tasse fehlt"))
    assert found == ("Tasse", "Gabel", "Löffel", "Messer")


LENS = {"at": "retrieval", "replace": {"Kreide": "Asche"}, "who": ["vera"]}


def test_a_motif_is_none_where_a_lens_keeps_its_reader_from_reading_it() -> None:
    assert motifs(*three(CHALK), settings=replace(GERMAN, lenses=(LENS,))) == ("Boden",)


def insight(number: int, text: str, **others: Any) -> Node:
    return node(number, type="reflection", depth=1, description=text, **others)


def of_vera(*stream: Node, day: int = 5) -> tuple[World, Agent]:
    one = world(agent("vera", stream=stream), day=day)
    return one, one.agents["vera"]


def test_an_ending_is_the_last_words_of_the_last_sentence() -> None:
    assert ending_of("Erst so. Dann »anders!« Am Ende bleibt der Rest.") == "Am Ende bleibt der Rest."
    assert ending_of("Eins zwei drei vier fünf sechs sieben acht.") == "… zwei drei vier fünf sechs sieben acht."
    assert ending_of("") == ""
    assert sentences_of("»Wer?« Ich. Du …  Er") == ["»Wer?«", "Ich.", "Du …", "Er"]


def test_the_last_three_insights_say_how_they_ended_and_other_memories_do_not() -> None:
    nodes = [insight(number, f"Das war es. Satz {number}.") for number in range(1, 5)]
    assert insight_endings(*of_vera(*nodes, node(5))) == ("Satz 4.", "Satz 3.", "Satz 2.")


def test_an_ending_reads_as_its_reader_reads_the_memory() -> None:
    one, vera = of_vera(insight(1, "Am Ende bleibt Kreide."))
    assert insight_endings(replace(one, settings=Settings(lenses=(LENS,))), vera) == ("Am Ende bleibt Asche.",)


def test_diary_entries_say_how_they_ended() -> None:
    entries = tuple(DiaryEntry(day, f"Heute. Es war Tag {day}.") for day in (1, 2))
    vera = replace(agent("vera"), mind=Mind({DIARY.name: entries}))
    assert diary_endings(vera) == ("Es war Tag 2.", "Es war Tag 1.")


def test_what_a_character_has_given_is_counted_by_the_steps_of_the_scale() -> None:
    given = [node(number, created="day-005/scene-01", importance=5) for number in range(1, 10)]
    last = node(10, created="day-005/scene-01", importance=8)
    assert importance_counts(*of_vera(*given, last)) == ((1, 2, 0), (3, 4, 0), (5, 6, 9), (7, 8, 1), (9, 10, 0))
    assert importance_counts(*of_vera(*given)) == (), "too few"
    assert importance_counts(*of_vera(*given, last, day=15)) == (), "too long ago"
    rule = replace(last, metadata={"importance_by": "heuristic"})
    assert importance_counts(*of_vera(*given, rule)) == (), "it is not her who weighed it"


def looked_back(day: int, angle: str, who: str = "vera") -> LogEntry:
    return entry(day, "REFLECTION", who, angle=angle)


def test_an_angle_is_chosen_by_day_and_character_and_is_none_of_the_last_two() -> None:
    picked = []
    log: list[LogEntry] = []
    for day in range(1, 40):
        one = world(agent("vera"), day=day, log=log)
        picked.append(angle_of(one, "vera", 1, words))
        assert angle_of(one, "vera", 1, words) == picked[-1], "the same dice"
        log.append(looked_back(day, picked[-1]))
    assert all(len({*picked[place : place + 3]}) == 3 for place in range(len(picked) - 2))
    assert {*picked} == {"one", "two", "three", "four"}


def test_angles_of_others_and_of_other_scenes_do_not_count() -> None:
    log = [looked_back(1, "one"), looked_back(2, "two"), looked_back(3, "three", "emre"), entry(3, "WORK", "vera")]
    found = {angle_of(world(agent("vera"), day=4, log=log), "vera", seed, words) for seed in range(40)}
    assert found == {"three", "four"}


def test_a_world_with_a_single_angle_keeps_it_and_one_without_has_none() -> None:
    log = [looked_back(1, "only")]
    one = world(agent("vera"), day=2, log=log)
    assert angle_of(one, "vera", 1, with_angles("only")) == "only"
    assert angle_of(one, "vera", 1, with_angles("")) == ""


def test_a_name_is_no_motif_in_any_inflection() -> None:
    cast = three("Da lagen Namis Kreide und Darius' alte Schnur und Tobis Blatt.")
    assert motifs(*cast, *map(agent, ("nami", "darius", "tobi"))) == ("Blatt", "Kreide", "Schnur")
