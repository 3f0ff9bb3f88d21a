"""The paragraph before a day."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from gm.api.views.recap import MOST_WORDS, view_recap
from gm.files.layout import Layout
from tests.api.views.story import THREADS, lines_of, make_story, write


def test_it_says_what_is_due_who_fell_out_what_is_open_and_how_the_evening_ended(story: Layout) -> None:
    assert view_recap(story, 4) == (
        "Ada has promised Bo something for today: “I will bring you the copper kettle by Thursday, Bo.” "
        "Today Cy has an appointment with Bo: “Rather on Thursday, Bo.” "
        "On Wednesday Bo lost trust in Cy: “Cy put me off.” "
        "Cy has not answered Bo yet: “Where were you on Sunday, Cy?”"
    )
    assert "The last words of the evening were Cy’s: “Rather on Thursday, Bo.”" not in view_recap(story, 4)
    say_last(story, "It's late, that's all.")
    assert view_recap(story, 4).endswith(" The last words of the evening were Cy’s: “It’s late, that’s all.”")


def say_last(layout: Layout, text: str) -> None:
    log = layout.day_log(3)
    lines = [json.loads(line) for line in log.read_text("utf-8").splitlines()]
    spoken = next(line for line in reversed(lines) if line.get("dialogue"))
    spoken["dialogue"][-1]["text"] = text
    write(log, lines_of(lines))


def finish(layout: Layout, name: str, front: str) -> str:
    path = f"gallery/design/{name}.md"
    (layout.root / path).parent.mkdir(parents=True, exist_ok=True)
    write(layout.root / path, f"---\n{front}---\n\nText.\n")
    return path


def test_what_was_finished_the_day_before_comes_first_if_it_says_what_it_is(story: Layout) -> None:
    log = story.day_log(3)
    *scenes, closing = map(json.loads, log.read_text("utf-8").splitlines())
    closing["finished"] = [
        finish(story, "day-003_a_v1", 'title: "A “tin” roof"\nagent: ada\ndescription: A roof\n  for the yard\n'),
        finish(story, "day-003_b_v1", "title: A note\nagent: bo\n"),
        finish(story, "day-003_c_v1", "title: A list\nagent: cy\ndescription: What Cy owes.\n"),
        finish(story, "day-003_d_v1", "title: A bill\nagent: stranger\ndescription: What Bo owes.\n"),
        "gallery/design/day-003_gone_v1.md",
    ]
    write(log, lines_of([*scenes, closing]))
    assert view_recap(story, 4).startswith(
        "On Wednesday Ada finished “A ‘tin’ roof”: A roof for the yard. Cy finished “A list”: What Cy owes. "
        "Ada has promised Bo something for today"
    )


def test_what_was_said_of_a_piece_or_a_promise_is_not_told_twice(story: Layout) -> None:
    log = story.day_log(3)
    *scenes, closing = map(json.loads, log.read_text("utf-8").splitlines())
    front = "title: A list\nagent: cy\ndescription: What Cy owes “everybody” here.\n"
    closing["finished"] = [finish(story, "day-003_c_v1", front)]
    closing["highlights"] = ["Cy: A list: What Cy owes ‘everybody’ here."]
    write(log, lines_of([*scenes, closing]))
    recap = view_recap(story, 4)
    assert recap.startswith("On Wednesday Cy finished “A list”: What Cy owes “everybody” here. Ada has promised Bo")
    assert "took home" not in recap
    say_last(story, "I will bring you the copper kettle by Thursday, Bo. Good night.")
    assert view_recap(story, 4).count("copper kettle") == 1


def test_what_weighed_most_the_day_before_is_quoted_unless_memories_are_kept_back(story: Layout) -> None:
    log = story.day_log(3)
    *scenes, closing = map(json.loads, log.read_text("utf-8").splitlines())
    closing["highlights"] = ["Ada: The kettle was gone. I said nothing.", "Bo: Nobody came.", "Cy: It rained."]
    write(log, lines_of([*scenes, closing]))
    recap = view_recap(story, 4)
    assert " Ada took home: “The kettle was gone. I said nothing.” On Wednesday Bo lost" in recap
    assert recap.count("took home") == 1
    for hidden in ("memories", "reflections"):
        assert "took home" not in view_recap(story, 4, (hidden,))


def test_a_memory_is_quoted_in_whole_sentences(story: Layout) -> None:
    log = story.day_log(3)
    *scenes, closing = map(json.loads, log.read_text("utf-8").splitlines())
    closing["highlights"] = [f"Ada: Cy said: “The kettle is gone.” And then {'so ' * 90}on."]
    write(log, lines_of([*scenes, closing]))
    assert "Ada took home: “Cy said: ‘The kettle is gone.’” On Wednesday" in view_recap(story, 4)


def tell(layout: Layout, text: object) -> None:
    log = layout.day_log(3)
    *scenes, closing = map(json.loads, log.read_text("utf-8").splitlines())
    write(log, lines_of([*scenes, {**closing, "retold": text}]))


def test_where_the_day_before_is_retold_it_is_this_text_and_nothing_else(tmp_path: Path) -> None:
    story = make_story(tmp_path)
    tell(story, "Bo asked Cy where he had been.\nCy put him off.")
    assert view_recap(story, 4) == "Bo asked Cy where he had been. Cy put him off."
    assert "asked Cy" not in view_recap(story, 3) + view_recap(story, 5)


@pytest.mark.parametrize("text", ["", " ", None, 7])
def test_a_retelling_that_says_nothing_leaves_it_to_the_rules(tmp_path: Path, text: object) -> None:
    story = make_story(tmp_path)
    by_rule = view_recap(story, 4)
    tell(story, text)
    assert view_recap(story, 4) == by_rule


@pytest.mark.parametrize("hidden", ["private", "memories"])
def test_a_retelling_that_quotes_a_memory_that_is_kept_back_leaves_it_to_the_rules(tmp_path: Path, hidden: str) -> None:
    story = make_story(tmp_path)
    by_rule = view_recap(story, 4, (hidden,))
    memory = {"id": "bo-001", "created": "day-003/scene-02", "type": "observation", "depth": 0, "importance": 5}
    memory |= {"description": "Cy has the spoon.", "tags": ["private"], "evidence": [], "metadata": {}}
    write(story.stream("bo"), json.dumps(memory) + "\n")
    tell(story, "Bo and Cy met. Cy has the spoon.")
    assert view_recap(story, 4, (hidden,)) == by_rule
    assert view_recap(story, 4) == "Bo and Cy met. Cy has the spoon."


@pytest.mark.parametrize("line", ["Nobody knows of the spoon.", "Nobody knows: the spoon.", "Ada: ", ""])
def test_a_highlight_that_names_no_character_or_says_nothing_is_left_out(story: Layout, line: str) -> None:
    log = story.day_log(3)
    *scenes, closing = map(json.loads, log.read_text("utf-8").splitlines())
    write(log, lines_of([*scenes, {**closing, "highlights": [line]}]))
    assert "took home" not in view_recap(story, 4)
    assert "spoon" not in view_recap(story, 4)


def test_it_is_told_in_the_language_of_the_world(tmp_path: Path) -> None:
    story = make_story(tmp_path, language="de")
    say_last(story, "Well, Bo.")
    recap = view_recap(story, 4)
    assert recap.startswith("Für heute hat Ada Bo etwas zugesagt: »I will bring")
    assert "Am Mittwoch hat Bo Vertrauen zu Cy verloren: »Cy put me off.«" in recap
    assert recap.endswith("Das letzte Wort des Abends hatte Cy: »Well, Bo.«")


def test_before_the_first_day_there_is_nothing_to_tell(story: Layout) -> None:
    assert view_recap(story, 1) == ""


def test_a_day_knows_nothing_of_what_came_after_it(story: Layout) -> None:
    recap = view_recap(story, 2)
    assert "Rather on Thursday" not in recap
    assert "lost trust" not in recap


def test_what_came_to_nothing_and_what_is_late_is_said_the_day_after(tmp_path: Path) -> None:
    layout = make_story(tmp_path)
    write(layout.threads, lines_of(one for one in THREADS if one["event"] == "open" or one["id"] == "thread-005"))
    recap = view_recap(layout, 5)
    assert "On Thursday what Cy had arranged with Bo came to nothing: “Rather on Thursday, Bo.”" in recap
    assert "Ada still owes Bo what was due by day 4" in recap


@pytest.mark.parametrize("language", ["en", "de"])
@pytest.mark.parametrize("kind", ["promise", "question", "appointment"])
@pytest.mark.parametrize("to", [[], ["bo"], ["bo", "cy", "dan", "eve"]])
@pytest.mark.parametrize("due", [3, 4, None])
def test_every_kind_of_open_thread_has_its_words(
    tmp_path: Path, language: str, kind: str, to: list[str], due: int | None
) -> None:
    layout = make_story(tmp_path, language=language)
    write(layout.threads, lines_of([{**THREADS[0], "kind": kind, "to": to, "due": due, "text": "So it is."}]))
    is_told = (due is not None or (kind == "question" and bool(to))) and (kind != "appointment" or due == 4)
    assert ("So it is." in view_recap(layout, 4)) == is_told


def test_a_title_that_is_cut_is_closed(tmp_path: Path) -> None:
    layout = make_story(tmp_path)
    title = "“" + "A very long title of something " * 9 + "”"
    write(layout.threads, lines_of([{**THREADS[0], "text": f"I will bring you {title}."}]))
    assert re.search(r": “I will bring you ‘A very long [^“”]* …’” ", view_recap(layout, 4))


def test_silences_are_never_told_and_regards_only_where_they_are_shown(story: Layout) -> None:
    assert "letter" not in "".join(view_recap(story, day) for day in range(1, 6))
    assert "lost trust" not in view_recap(story, 4, ("relationships",))


@pytest.mark.parametrize(("hidden", "is_told"), [((), True), (("private",), False), (("memories",), False)])
def test_what_quotes_a_memory_that_is_kept_back_is_left_out(
    tmp_path: Path, hidden: tuple[str, ...], is_told: bool
) -> None:
    layout = make_story(tmp_path)
    memory = {"id": "bo-001", "created": "day-001/scene-02", "type": "observation", "depth": 0, "importance": 5}
    memory |= {"description": "Where were you on Sunday, Cy?", "tags": ["private"], "evidence": [], "metadata": {}}
    write(layout.stream("bo"), json.dumps(memory) + "\n")
    assert ("Where were you" in view_recap(layout, 4, hidden)) == is_told


def test_it_stays_short_with_many_open_threads(tmp_path: Path) -> None:
    layout = make_story(tmp_path)
    many = [{**THREADS[0], "id": f"thread-{n:03d}", "text": f"{n} " + "word " * 60} for n in range(1, 40)]
    write(layout.threads, lines_of(many))
    recap = view_recap(layout, 4)
    assert 0 < len(recap.split()) <= MOST_WORDS
    assert "…”" in recap
    assert recap.endswith("The last words of the evening were Cy’s: “Rather on Thursday, Bo.”")
