"""What stands in a book: the right days, people, scenes, pieces and threads, and nothing that is kept back."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from dataclasses import fields, is_dataclass, replace
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from gm.api.editing.threads import NewThread, open_thread
from gm.api.views.day import view_day
from gm.api.worlds.create import create_world
from gm.base.errors import UsageError
from gm.base.markup.blocks import BlockQuote, Break, Heading, Paragraph, Rule, TextRun, parse_blocks
from gm.faces.book.build import build_book
from gm.faces.book.export.markdown import bind_markdown
from gm.faces.book.sources import ExportOptions, parse_hidden
from gm.faces.book.texts import align_levels
from gm.faces.book.values import BookEntry, BookScene, BookSection, CastMember, Manuscript, Plate, Points, SpokenLine
from gm.files.layout import Layout
from gm.files.load import load_world
from gm.files.media.pieces import load_piece
from gm.layers.privacy import CHAPTERS, NOTES, PLATES, book_words
from gm.layers.relationships import HISTORY, RELATIONSHIPS
from gm.model.node import NODE
from gm.model.turns import turns_of
from tests.handmade import make_handmade


def book_of(layout: Layout, *what: str, **options: Any) -> Manuscript:
    return build_book(layout, ExportOptions(what, **options))[0]


def kinds(book: Manuscript) -> list[str]:
    return [chapter.kind for chapter in book.chapters]


def items(book: Manuscript, kind: type) -> list[Any]:
    return [item for chapter in book.chapters for item in chapter.items if isinstance(item, kind)]


def texts(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, tuple):
        for part in value:
            yield from texts(part)
    elif is_dataclass(value):
        for part in fields(value):
            yield from texts(getattr(value, part.name))


def records(layout: Layout, day: int) -> list[dict[str, Any]]:
    return [json.loads(line) for line in layout.day_log(day).read_text(encoding="utf-8").splitlines()]


def write_log(layout: Layout, log: list[dict[str, Any]]) -> None:
    """Write the logbook of the first day."""
    text = "".join(json.dumps(entry, ensure_ascii=False) + "\n" for entry in log)
    layout.day_log(1).write_text(text, encoding="utf-8")


@pytest.fixture
def studio_days(tmp_path: Path) -> Layout:
    """The studio with its three recorded days."""
    return create_world(tmp_path / "studio", "studio", days=3)


def test_a_day_is_told_with_everything_that_was_said_thought_and_done(played: Layout) -> None:
    book = book_of(played, "day-001")
    assert kinds(book) == ["cast", "day", "plates", "closing"]
    assert (book.title, book.subtitle, book.language) == ("Studio Brandsohle", "Tag 1, Montag", "de")
    told, log = items(book, BookScene), [entry for entry in records(played, 1) if entry["type"] != "SUMMARY"]
    assert [scene.number for scene in told] == [entry["scene"] for entry in log]
    for scene, entry in zip(told, log, strict=True):
        shown, logged = (
            Counter((turn.action, " ".join(line.text for line in turn.lines), turn.thought) for turn in turns)
            for turns in (scene.turns, turns_of(entry))
        )
        assert shown == logged
        assert scene.reason == entry["why"]
        assert len(scene.cast) == len(entry["participants"])
        assert len(scene.pieces) == len(entry["artifacts"])


def test_a_brief_stands_before_the_scenes_of_the_day_that_takes_it_up_and_of_no_other(five_days: Layout) -> None:
    (brief,) = [post for post in load_world(five_days).world.posts if post.type == "brief" and not post.index]
    found = {
        day: [item for chapter in book_of(five_days, str(day)).chapters for item in chapter.items[:1]] for day in (1, 2)
    }
    (letter,) = [item for item in found[1] if isinstance(item, BookSection)]
    assert letter.title == f"Am Brett: {brief.author}"
    assert isinstance(letter.blocks[0], BlockQuote)
    assert " ".join(brief.content.split()) == " ".join(" ".join(texts(letter.blocks)).split())
    assert not [item for item in found[2] if isinstance(item, BookSection) and "Am Brett" in item.title]


def test_without_thoughts_a_look_back_is_told_with_its_weightiest_insight_and_a_mind_with_all(
    five_days: Layout,
) -> None:
    world = load_world(five_days).world
    vera = [node for node in world.agents["vera"].stream if node.depth > 0]
    days = sorted({node.when.day for node in vera})
    day = view_day(five_days, days[0])
    assert day is not None
    looks = {int(scene.number) for scene in day.scenes if "REFLECTION" in scene.type}
    made = [node for node in vera if node.when.day == days[0] and node.when.scene in looks]
    assert len(made) > 1
    best = max(made, key=lambda node: (node.importance, node.depth, node.when))
    scenes = items(book_of(five_days, str(days[0]), hidden=frozenset({"thoughts"})), BookScene)
    told = [text for scene in scenes for text in scene.insights]
    assert [node for node in made if any(" ".join(node.description.split()) in text for text in told)] == [best]
    mind = ["".join(texts(entry)) for entry in items(book_of(five_days, "vera", least_importance=1), BookEntry)]
    assert all(any(" ".join(node.description.split()) in text for text in mind) for node in made)


def test_those_who_look_back_one_after_another_do_so_in_one_scene(five_days: Layout) -> None:
    days = (view_day(five_days, day) for day in five_days.logged_days())
    runs = {day.day: [int(scene.number) for scene in day.scenes if "REFLECTION" in scene.type] for day in days if day}
    day, looks = next((day, numbers) for day, numbers in runs.items() if len(numbers) > 1)
    with_all, without = (
        items(book_of(five_days, str(day), hidden=frozenset(hidden)), BookScene) for hidden in ((), ("thoughts",))
    )
    assert [scene.number for scene in with_all if scene.number in looks] == looks[:1]
    evening, quiet = (next(scene for scene in scenes if scene.number == looks[0]) for scenes in (with_all, without))
    assert (evening.type, evening.premise, evening.insights) == ("Rückschau", "", ())
    assert [turn.agent for turn in evening.turns] == list(evening.cast)
    assert len(evening.cast) == len(looks)
    assert not quiet.turns
    assert [text.partition(": ")[0] for text in quiet.insights] == list(evening.cast)
    kept_back = items(book_of(five_days, str(day), hidden=frozenset(("thoughts", "reflections"))), BookScene)
    assert not [scene for scene in kept_back if scene.number in looks], "nothing of them would be told"


def test_a_scene_is_told_in_the_same_order_as_on_the_page_of_its_day(played: Layout) -> None:
    page = view_day(played, 1)
    assert page is not None
    told = [
        [
            (turn.action, " ".join(line.text for line in turn.lines), turn.thought, bool(turn.mark))
            for turn in scene.turns
        ]
        for scene in items(book_of(played), BookScene)
    ]
    shown = [
        [(turn.action, " ".join(line.text for line in turn.lines), turn.thought, bool(mark)) for mark, turn in turns]
        for turns in (scene.marked_turns for scene in page.scenes)
    ]
    assert told == shown
    assert any(mark for turns in shown for *_, mark in turns), "turns that were simultaneous"


def test_a_book_says_in_its_language_which_turns_were_simultaneous(played: Layout) -> None:
    marks = [turn.mark for scene in items(book_of(played), BookScene) for turn in scene.turns if turn.mark]
    assert set(marks) <= {"zur gleichen Zeit", "unterdessen", "danach"}
    assert bind_markdown(book_of(played)).decode().count("*zur gleichen Zeit*") == marks.count("zur gleichen Zeit") > 0


def test_where_more_than_two_speak_at_once_lines_name_their_addressees(studio_days: Layout) -> None:
    book = book_of(studio_days)
    lines = [
        (len(scene.cast) > 2 and any(turn.mark for turn in scene.turns), turn.agent, line)
        for scene in items(book, BookScene)
        for turn in scene.turns
        for line in turn.lines
    ]
    assert {is_round for is_round, _, _ in lines} == {True, False}
    assert all(is_round for is_round, _, line in lines if line.to)
    who, to = next((who, line.to) for is_round, who, line in lines if is_round and line.to)
    assert f"**{who}** {to}: »" in bind_markdown(book).decode()


def test_without_notes_a_scene_is_its_place_its_time_and_what_was_done_said_and_thought(played: Layout) -> None:
    log = records(played, 1)
    log[1] |= {"clock": "09:00", "location": "kontor", "moved_to": ["flur"]}
    write_log(played, log)
    with_all, without = (
        items(book_of(played, hidden=frozenset(hidden)), BookScene) for hidden in ((), (NOTES, "reasons"))
    )
    assert all(scene.cast and scene.type for scene in with_all)
    assert any(scene.premise for scene in with_all)
    assert any(scene.pieces for scene in with_all)
    for full, scene in zip(with_all, without, strict=True):
        heading = f"{full.place or full.type}, {full.time.partition(', ')[0]}"
        turns = tuple(
            replace(turn, mark=here.mark) for turn, here in zip(full.turns, scene.turns, strict=True)
        )  # of marks there is a test of their own
        assert scene == BookScene(full.number, heading, "", "", "", (), summary=full.summary, turns=turns)
    assert [scene.title for scene in without[:2]] == ["Ankunft, Morgen", "Kontor → Flur, Morgen"]


def test_without_notes_and_plates_what_was_written_in_a_scene_stands_below_it(played: Layout) -> None:
    """A talk about a paper is followed by who has seen the paper."""
    hidden = frozenset((NOTES, PLATES, CHAPTERS))
    below = [
        (one.number, two)
        for chapter in book_of(played, "1", hidden=hidden).chapters
        for one, two in pairwise(chapter.items)
        if isinstance(one, BookScene) and isinstance(two, BookSection) and "»" in two.title
    ]
    made = [scene for scene in items(book_of(played, "1"), BookScene) if scene.number and scene.pieces]
    assert [number for number, _ in below] == [scene.number for scene in made]
    assert below[0][1].title.endswith(f": »{made[0].pieces[0].title}«")
    assert isinstance(below[0][1].blocks[0], BlockQuote)
    with_plates = {section.title for section in items(book_of(played, "1", hidden=frozenset((NOTES,))), BookSection)}
    assert with_plates.isdisjoint(section.title for _, section in below), "what has a plate stands there"


def test_of_a_later_version_only_what_is_new_is_printed(studio_days: Layout) -> None:
    whole = book_of(studio_days, "3", hidden=frozenset((NOTES, PLATES, CHAPTERS)))
    told = {section.title: " ".join(texts(section.blocks)) for section in items(whole, BookSection)}
    first, later = (text for title, text in told.items() if "Fährmann" in title)
    assert "Klammer" in later
    assert "Klammer" not in first
    assert "[…]" in later
    assert len(later) < len(first) / 2


def is_look(scene: BookScene) -> bool:
    return scene.title.startswith("Rückschau")


def test_without_notes_marks_of_turns_at_once_stand_only_where_they_are_answered(studio_days: Layout) -> None:
    for full, scene in zip(
        *(
            [
                scene
                for scene in items(book_of(studio_days, "2", hidden=frozenset(hidden)), BookScene)
                if scene.number and not is_look(scene)
            ]
            for hidden in ((), (NOTES, CHAPTERS))
        ),
        strict=True,
    ):
        marks, left = ([turn.mark for turn in one.turns] for one in (full, scene))
        assert left == ([""] * len(marks) if full.type == "Ankunft" else marks)
        assert any(marks) == (full.number in (1, 2)), "others are played turn by turn"


def test_without_notes_a_day_ends_with_what_was_done(played: Layout) -> None:
    open_thread(played, NewThread("vera", "Karten legen", "appointment", ("leo",), 2, "15:00", "flur"))
    (agreed,) = (thread.id for thread in load_world(played).world.threads if thread.text == "Karten legen")
    log = records(played, 1)
    log[-1] |= {"missed": [agreed], "turns": [{"agent": "vera", "action": "Vera geht."}]}
    write_log(played, log)
    told, story = (
        {item.title for item in items(book_of(played, hidden=frozenset(hidden)), Points)} for hidden in ((), (NOTES,))
    )
    assert told - story == {"Was blieb", "Was verabredet war und ausfiel"}
    assert "Feierabend" in [item.title for item in items(book_of(played, hidden=frozenset((NOTES,))), BookSection)]


def test_without_notes_the_characters_with_the_three_weightiest_insights_look_back(studio_days: Layout) -> None:
    weights = {"emre": (7, 1), "finn": (9, 1), "leo": (7, 2), "nami": (7, 2), "vera": (6, 3)}
    for name, (importance, depth) in weights.items():
        nodes = map(json.loads, studio_days.stream(name).read_text(encoding="utf-8").splitlines())
        changed = [
            node | {"importance": importance, "depth": depth}
            if node["depth"] and node["created"].startswith("day-002")
            else node
            for node in nodes
        ]
        lines = "".join(json.dumps(node, ensure_ascii=False) + "\n" for node in changed)
        studio_days.stream(name).write_text(lines, encoding="utf-8")
    everyone, three = (
        next(scene for scene in items(book_of(studio_days, "2", hidden=frozenset(hidden)), BookScene) if is_look(scene))
        for hidden in ((), (NOTES, CHAPTERS))
    )
    assert [turn.agent for turn in everyone.turns] == ["Emre", "Finn", "Leo", "Nami", "Vera"]
    assert three.number == everyone.number, "that of the first who looked back"
    assert (three.title, [turn.agent for turn in three.turns]) == ("Rückschau, Abend", ["Finn", "Leo", "Nami"])
    silent = items(book_of(studio_days, "2", hidden=frozenset((NOTES, CHAPTERS, "thoughts"))), BookScene)
    assert "Rückschau, Abend" not in [scene.title for scene in silent], "nothing of it would be told"


def test_an_evening_has_all_diaries_and_without_notes_two_of_those_who_have_not_looked_back(
    studio_days: Layout,
) -> None:
    def diaries(*hidden: str) -> list[str]:
        found = items(book_of(studio_days, "1", hidden=frozenset(hidden)), BookSection)
        return [section.title for section in found if section.title.startswith("Tagebuch: ")]

    everyone = ["Darius", "Emre", "Finn", "Leo", "Nami", "Tobi", "Vera"]
    assert diaries() == [f"Tagebuch: {name}" for name in everyone]
    assert diaries("diary") == diaries(NOTES, CHAPTERS, "diary") == []
    assert diaries(NOTES, CHAPTERS) == ["Tagebuch: Nami", "Tagebuch: Emre"], "of those whose day weighed most"


def test_what_one_says_to_the_same_one_in_a_turn_is_one_paragraph(played: Layout) -> None:
    said = [{"to": to, "text": text} for to, text in (("leo", "A."), ("leo", "B."), ("emre", "C."), ("leo", "D."))]
    turns = [{"agent": "vera", "round": 1, "lines": said}, {"agent": "leo", "round": 1, "action": "Leo nickt."}]
    log = records(played, 1)
    for entry, cast in ((log[0], ["vera", "leo", "emre"]), (log[1], ["vera", "leo"])):
        entry |= {"participants": cast, "turns": turns}
    write_log(played, log)
    book = book_of(played)
    woven, pair = ([line for turn in scene.turns for line in turn.lines] for scene in items(book, BookScene)[:2])
    assert woven == [SpokenLine("A. B.", "zu Leo"), SpokenLine("C.", "zu Emre"), SpokenLine("D.", "zu Leo")]
    assert pair == [SpokenLine("A. B. C. D.")]
    assert "**Vera** zu Leo: »A. B.«\n\n**Vera** zu Emre: »C.«" in bind_markdown(book).decode()


def test_a_work_has_a_plate_and_the_scene_names_its_number(played: Layout) -> None:
    book = book_of(played)
    plates = {plate.number: plate.title for plate in items(book, Plate)}
    pieces = [piece for scene in items(book, BookScene) for piece in scene.pieces]
    assert pieces
    assert all(plates[piece.plate] == piece.title for piece in pieces)
    assert list(plates) == list(range(1, len(plates) + 1))


def test_a_scene_names_of_the_versions_of_a_work_the_last_one(played: Layout) -> None:
    told = records(played, 1)
    made = next(record for record in told if record.get("artifacts"))
    (old,) = made["artifacts"][:1]
    new = old.replace("_v1.md", "_v9.md")
    text = (played.root / old).read_text("utf-8")
    (played.root / new).write_text(text.replace("---\n", f"---\nreplaces: {old}\n", 1), encoding="utf-8")
    made["artifacts"] = [old, new]
    played.day_log(1).write_text("".join(json.dumps(one, ensure_ascii=False) + "\n" for one in told), encoding="utf-8")
    (scene,) = (one for one in items(book_of(played, "1"), BookScene) if one.number == made["scene"])
    assert len(scene.pieces) == 1


def test_days_can_be_named_in_every_spelling(five_days: Layout) -> None:
    assert kinds(book_of(five_days)).count("day") == 5
    for spelling in ("day-003..day-005", "3..5", "3-5", "day-003-day-005"):
        book = book_of(five_days, spelling)
        assert [chapter.label for chapter in book.chapters if chapter.kind == "day"] == ["Tag 3", "Tag 4", "Tag 5"]
        assert book.subtitle == "Tag 3 bis 5"
    assert kinds(book_of(five_days, "2", "day-004")).count("day") == 2


@pytest.mark.parametrize("what", ["99", "day-099", "0", "niemand", "3-1", "2026-01-01", "", "day-001/scene-02"])
def test_what_does_not_exist_is_named(played: Layout, what: str) -> None:
    with pytest.raises(UsageError):
        book_of(played, what)


def test_the_book_of_a_mind_holds_what_it_understood_and_what_that_rests_on(five_days: Layout) -> None:
    book = book_of(five_days, "Vera", least_importance=8)
    assert set(kinds(book)) == {"mind", "plates"}
    assert book.title == "Vera Hollstein"
    stream = [json.loads(line) for line in five_days.stream("vera").read_text(encoding="utf-8").splitlines()]
    insights = [node["description"] for node in stream if node["depth"]]
    weighty = [node["description"] for node in stream if not node["depth"] and node["importance"] >= 8]
    told = [next(texts(entry.blocks)) for entry in items(book, BookEntry)]
    assert told == [" ".join(text.split()) for text in (*insights, *weighty)]
    assert all(entry.rests_on for entry in items(book, BookEntry)[: len(insights)])


def test_each_speaker_of_a_talk_in_a_persona_begins_a_line(five_days: Layout) -> None:
    with five_days.persona("vera").open("a", encoding="utf-8") as file:
        file.write("\n## So redest du\n\nLeo: Morgen.\nVera: Ja, so\nist es.\n")
    told = next(item for item in items(book_of(five_days, "Vera"), BookSection) if item.blocks)
    said = (TextRun("Leo: Morgen."), Break(), TextRun("Vera: Ja, so"), TextRun(" "), TextRun("ist es."))
    assert told.blocks[-1] == Paragraph(said)


def test_a_book_that_ends_early_tells_no_later_mood(five_days: Layout) -> None:
    early, late = (items(book_of(five_days, day), CastMember)[0].facts for day in ("3", "5"))
    assert "Stimmung" not in dict(early)
    assert "Stimmung" in dict(late)


def test_threads_are_told_as_they_stood_at_the_end_of_the_days(five_days: Layout) -> None:
    events = [json.loads(line) for line in five_days.threads.read_text(encoding="utf-8").splitlines()]
    opened = {event["id"]: event for event in events if event["event"] == "open" and event["at"] < "day-004"}
    opened = {name: event for name, event in opened.items() if event["kind"] != "silence"}  # it is only kept
    closed = {event["id"] for event in events if event["event"] == "close" and event["at"] < "day-004"}
    closing = next(item for item in items(book_of(five_days, "1-3"), Points) if item.title == "Offene Fäden")
    still_open = [" ".join(event["text"].split()) for name, event in opened.items() if name not in closed]
    assert len(closing.points) == len(still_open)
    assert all(text in point for text, point in zip(still_open, closing.points, strict=True))


@pytest.mark.parametrize(
    ("part", "absent"),
    [
        ("thoughts", lambda scene: not any(turn.thought for turn in scene.turns)),
        ("reasons", lambda scene: not scene.reason),
        ("reflections", lambda scene: not scene.insights),
        ("plates", lambda scene: all(piece.plate == 0 for piece in scene.pieces)),
    ],
)
def test_what_is_left_out_is_in_no_scene(five_days: Layout, part: str, absent: Any) -> None:
    with_all = items(book_of(five_days, "1-4"), BookScene)
    without = items(book_of(five_days, "1-4", hidden=frozenset({part})), BookScene)
    assert not all(map(absent, with_all))
    assert all(map(absent, without))


def test_what_is_kept_back_stands_nowhere(five_days: Layout) -> None:
    private = parse_hidden(
        ("reflections,memories",), ("thoughts", "private", "reasons", "cost", "prompts", "soul", "diary")
    )
    book = book_of(five_days, "1-4", "vera", hidden=private | {"plates"})
    told = "\n".join(texts(book))
    stream = five_days.stream("vera").read_text(encoding="utf-8").splitlines()
    nodes = [node for node in map(json.loads, stream) if node["type"] in ("observation", "reflection")]
    hidden = [node["description"] for node in nodes if node["depth"] and node["created"] < "day-005"]
    assert hidden
    assert not [text for text in hidden if text in told]
    for day in range(1, 5):
        for entry in records(five_days, day):
            assert "why" not in entry or entry["why"] not in told
    assert "Halswirbel" not in told  # what a persona tells nobody


def test_a_memory_with_the_tag_private_stands_nowhere_when_private_things_are_left_out(played: Layout) -> None:
    lines = [json.loads(line) for line in played.stream("vera").read_text(encoding="utf-8").splitlines()]
    secret = "Das weiß nur ich, und niemand liest es je in einem Buch."
    new = lines[-1] | {
        "id": "vera-800",
        "description": secret,
        "tags": ["Privat"],
        "importance": 9,
        "type": "observation",
    }
    new |= {"depth": 0, "evidence": []}
    insight = new | {"id": "vera-801", "description": "Einsicht", "tags": [], "depth": 1, "type": "reflection"}
    insight |= {"evidence": ["vera-800", lines[0]["id"]]}
    played.archived("vera").parent.mkdir(exist_ok=True)
    played.archived("vera").write_text(json.dumps(new | {"id": "vera-799"}) + "\n", encoding="utf-8")
    stream = "".join(json.dumps(node, ensure_ascii=False) + "\n" for node in (*lines, new, insight))
    played.stream("vera").write_text(stream, encoding="utf-8")
    log = records(played, 1)
    log[-1]["highlights"] = [f"Vera: {secret}"]
    played.day_log(1).write_text("".join(json.dumps(entry) + "\n" for entry in log), encoding="utf-8")
    shown = list(texts(book_of(played, "1", "vera")))
    assert (shown.count(secret), "Einsicht" in shown) == (3, True)
    told = list(texts(book_of(played, "1", "vera", hidden=parse_hidden((), ("private",)))))
    assert not [text for text in told if secret in text or text == "Einsicht"]


def test_parts_that_do_not_exist_are_named() -> None:
    assert parse_hidden(("thoughts,reasons", "diary")) == {"thoughts", "reasons", "diary"}
    with pytest.raises(UsageError, match="not a part of a book"):
        parse_hidden(("gedanken",))
    assert parse_hidden((), book_words()) == set(book_words())


def test_a_world_without_a_day_is_a_book_that_says_so(studio: Layout) -> None:
    book = book_of(studio)
    assert [chapter.title for chapter in book.chapters] == ["Es ist noch kein Tag gespielt worden."]


def test_an_english_world_makes_an_english_book(dinner: Layout) -> None:
    book = book_of(dinner, "alex")
    assert (book.language, book.words("contents")) == ("en", "Contents")
    assert book.chapters[0].title == "Who Alex is"


def test_a_world_of_other_tools_has_its_book(tmp_path: Path) -> None:
    book = book_of(make_handmade(tmp_path / "welt"))
    assert [(chapter.label, chapter.title, chapter.lead) for chapter in book.chapters if chapter.kind == "day"] == [
        ("Tag 2", "Dienstag", ""),
        ("Tag 3", "Mittwoch", ""),
    ]
    assert items(book, BookScene)[0].summary == ("Mina flickt Netze, und das ist nicht wenig.",)
    assert items(book, BookScene)[1].insights == ("Wer wartet, sieht mehr.",)


def test_a_day_that_is_still_played_says_so(played: Layout) -> None:
    clock = json.loads(played.world.read_text(encoding="utf-8")) | {"day_open": True}
    played.world.write_text(json.dumps(clock), encoding="utf-8")
    day = next(chapter for chapter in book_of(played).chapters if chapter.kind == "day")
    assert day.lead == "Dieser Tag ist noch nicht zu Ende."


def test_dates_stand_where_the_world_has_them(played: Layout) -> None:
    text = played.settings.read_text(encoding="utf-8").replace("calendar:\n", "calendar:\n  start: 2026-03-02\n", 1)
    played.settings.write_text(text, encoding="utf-8")
    book = book_of(played, "2026-03-02")
    assert book.subtitle == "Tag 1, Montag, 2.3.2026"


def test_the_identifier_depends_on_what_the_book_is_about(played: Layout) -> None:
    assert book_of(played).identifier == book_of(played).identifier
    assert book_of(played).identifier != book_of(played, "vera").identifier


def test_headings_of_a_text_begin_at_one_and_skip_no_level() -> None:
    blocks = align_levels(parse_blocks("### a\n\n###### b\n\n#### c\n\n> # d\n\n## e"))
    levels = [block.level for block in blocks if isinstance(block, Heading)]
    assert levels == [1, 2, 2, 2]
    assert [quote.blocks[0] for quote in blocks if isinstance(quote, BlockQuote)] == [Heading(1, (TextRun("d"),))]


def test_a_piece_is_read_from_the_gallery_and_from_nowhere_else(played: Layout) -> None:
    (played.root / "geheim.md").write_text("geheim", encoding="utf-8")
    (played.gallery / "weg.md").symlink_to(played.root / "geheim.md")
    (played.gallery / "kreis.md").symlink_to(played.gallery / "kreis.md")
    for path in (
        "geheim.md",
        "gallery/../geheim.md",
        "weg.md",
        "kreis.md",
        "/etc/passwd",
        "a\0b",
        "x" * 5000,
        "",
        "gallery",
    ):
        assert load_piece(played, path) is None
    (played.gallery / "da.md").write_text("---\ntitle: [unclosed\n---\nText", encoding="utf-8")
    piece = load_piece(played, "da.md")
    assert piece is not None
    assert (piece.path, piece.front, piece.text) == ("gallery/da.md", {}, "Text")


def test_a_picture_that_is_not_in_the_gallery_is_told_in_words(played: Layout) -> None:
    folder = next(path for path in played.gallery.iterdir() if path.is_dir())
    (folder / "day-001_x_v1.md").write_text("![Ein Turm](http://a.example/b.png) ![B](/etc/passwd)", encoding="utf-8")
    plate = next(item for item in items(book_of(played), Plate) if item.title == "x")
    assert plate.blocks == (Paragraph((TextRun("Ein Turm"), TextRun(" "), TextRun("B"))),)


def test_a_book_tells_when_where_and_what_of_what_was_arranged_came_to_nothing(played: Layout) -> None:
    open_thread(played, NewThread("vera", "Karten legen", "appointment", ("leo",), 2, "15:00", "flur"))
    (agreed,) = (thread.id for thread in load_world(played).world.threads if thread.text == "Karten legen")
    lines = records(played, 1)
    lines[1] |= {"clock": "09:00", "location": "kontor", "moved_to": ["flur"]}
    lines[-1]["missed"] = [agreed]
    text = "".join(json.dumps(line, ensure_ascii=False) + "\n" for line in lines)
    played.day_log(1).write_text(text, encoding="utf-8")
    book = book_of(played)
    scene = items(book, BookScene)[1]
    assert (scene.place, scene.time.endswith(", 09:00")) == ("Kontor → Flur", True)
    told = {item.title: item.points for item in items(book, Points)}
    assert "Vera hat sich mit Leo verabredet: Karten legen (an Tag 2, 15:00, Flur)" in told["Offene Fäden"]
    assert told["Was verabredet war und ausfiel"] == ("Vera hat sich mit Leo verabredet: Karten legen (15:00, Flur)",)


@pytest.mark.parametrize(
    ("old", "new", "told"),
    [
        (0, 0.15, "Vera traut Leo jetzt mehr als am Anfang."),
        (-0.2, 0.4, "Vera traut Leo jetzt viel mehr als am Anfang."),
        (0.3, 0.2, "Vera traut Leo jetzt weniger als am Anfang."),
        (0.5, -0.5, "Vera traut Leo jetzt viel weniger als am Anfang."),
    ],
)
def test_a_change_of_trust_is_told_in_words(played: Layout, old: float, new: float, told: str) -> None:
    path = played.layer(RELATIONSHIPS, "vera", HISTORY)
    path.parent.mkdir(exist_ok=True)
    line = {"at": "day-001/scene-02", "with": "leo", "old": {"trust_level": old}, "new": {"trust_level": new}}
    path.write_text(json.dumps({**line, "why": "Er hat gewartet."}) + "\n", encoding="utf-8")
    points = [text for item in items(book_of(played), Points) for text in item.points]
    assert f"{told} Er hat gewartet." in points
    assert not any("→" in text and "trau" in text for text in points)


def test_a_scene_stands_under_what_tells_it_apart_else_its_place_or_type(played: Layout) -> None:
    day = view_day(played, 1)
    assert day is not None
    told = items(book_of(played, "day-001"), BookScene)
    assert [scene.title for scene in told if scene.type not in ("Ankunft", "Rückschau")] == [
        scene.title for scene in day.scenes if scene.title
    ]
    assert all(scene.title for scene in told)


def test_the_author_is_the_one_of_the_world_unless_another_is_asked_for(played: Layout) -> None:
    assert book_of(played).author == ""
    settings = played.settings.read_text(encoding="utf-8")
    played.settings.write_text(settings.replace("world:\n", "world:\n  author: A. Schreiber\n", 1), encoding="utf-8")
    assert book_of(played).author == "A. Schreiber"
    assert book_of(played, author="B").author == "B"


@pytest.mark.parametrize("hidden", [(), (NOTES,)])
def test_a_chapter_stands_before_the_scenes_and_in_a_story_in_their_place(
    played: Layout, hidden: tuple[str, ...]
) -> None:
    *scenes, closing = records(played, 1)
    write_log(played, [*scenes, closing | {"chapter": "Vera kam.\n\n***\n\n# Sie ging."}])
    day = next(chapter for chapter in book_of(played, "1", hidden=frozenset(hidden)).chapters if chapter.kind == "day")
    (chapter,) = [item for item in day.items if isinstance(item, BookSection) and Rule() in item.blocks]
    blocks = (Paragraph((TextRun("Vera kam."),)), Rule(), Paragraph((TextRun("# Sie ging."),)))
    assert chapter == BookSection("" if hidden else "Als Kapitel", blocks)
    assert bool(items(book_of(played, "1", hidden=frozenset(hidden)), BookScene)) is not bool(hidden)
    colophon = "Die Kapitel hat eine Erzählstimme geschrieben"
    assert any(text.startswith(colophon) for text in texts(book_of(played, "1")))


def test_a_chapter_that_quotes_what_is_kept_back_is_left_out_and_the_scenes_tell_the_day(played: Layout) -> None:
    secret = load_world(played).world.agents["vera"].stream[0]
    line = json.dumps({**NODE.write(secret), "tags": ["private"]}, ensure_ascii=False)
    others = played.stream("vera").read_text(encoding="utf-8").splitlines()[1:]
    played.stream("vera").write_text("\n".join((line, *others)) + "\n", encoding="utf-8")
    *scenes, closing = records(played, 1)
    write_log(played, [*scenes, closing | {"chapter": f"Vera kam. {secret.description}"}])
    book = book_of(played, "1", hidden=frozenset({"private", NOTES}))
    assert secret.description not in "".join(texts(book))
    assert items(book, BookScene)
