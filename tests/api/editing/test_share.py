"""Memories passed on by hand: whole or not at all, each once, and answered in time."""

from __future__ import annotations

import json
from collections.abc import Callable

import pytest

from gm.api.answers.document import as_json
from gm.api.editing.accumulators import describe_accumulators
from gm.api.editing.check.whole import check_world
from gm.api.editing.share import ShareFilter, answer_request, copy_memories, describe_links, request_memories
from gm.api.reports.status import describe_status
from gm.base.errors import BrokenWorldError, GmError, UsageError
from gm.files.commits.writer import Writer
from gm.files.layout import Layout
from gm.files.load import load_world
from tests.stories.playing import edit, play, records, set_sections, tree

ON = "share: {enabled: true}"


def at(seconds: float) -> Callable[[], float]:
    """A clock on the wall that stands still."""
    return lambda: seconds


def sources(layout: Layout, name: str) -> list[str]:
    found = (record["metadata"].get("copied_from") for record in records(layout.stream(name)))
    return [source for source in found if source]


def ids(layout: Layout, name: str) -> list[str]:
    return [record["id"] for record in records(layout.stream(name))]


def only_of(layout: Layout, name: str, other: str) -> list[str]:
    """The ids of a character's memories without what both were told in the same scene: a brief on the board."""
    told = {(record["created"], record["description"]) for record in records(layout.stream(other))}
    return [
        record["id"]
        for record in records(layout.stream(name))
        if (record["created"], record["description"]) not in told
    ]


def problems(layout: Layout) -> list[str]:
    return [str(item) for item in check_world(layout).problems if item.severity != "info"]


def test_a_person_copies_a_whole_bank_and_a_second_time_nothing(played: Layout) -> None:
    bank, before = only_of(played, "vera", "emre"), played.stream("vera").read_bytes()
    document, _ = copy_memories(played, "Vera", "emre", ShareFilter())
    assert sources(played, "emre") == bank
    assert (document.giver, document.receiver, document.copied) == ("vera", "emre", len(bank))
    assert played.stream("vera").read_bytes() == before
    assert copy_memories(played, "vera", "emre", ShareFilter())[0].copied == 0
    assert problems(played) == []


def archive(layout: Layout, name: str, count: int) -> list[str]:
    """Move the oldest lines of a character's stream to the archive, and return their ids."""
    lines = layout.stream(name).read_text(encoding="utf-8").splitlines(keepends=True)
    layout.archived(name).parent.mkdir(exist_ok=True)
    layout.archived(name).write_text("".join(lines[:count]), encoding="utf-8")
    layout.stream(name).write_text("".join(lines[count:]), encoding="utf-8")
    return [json.loads(line)["id"] for line in lines[:count]]


def test_the_archive_is_a_part_of_the_bank_and_its_ids_are_known(played: Layout) -> None:
    bank = only_of(played, "vera", "emre")
    gone = archive(played, "vera", 6)
    archive(played, "emre", 6)
    assert copy_memories(played, "vera", "leo", ShareFilter(ids=(gone[3],)))[0].copied == 1
    assert sources(played, "leo") == [gone[3]]
    copy_memories(played, "vera", "emre", ShareFilter())
    assert sources(played, "emre") == bank
    assert copy_memories(played, "vera", "emre", ShareFilter())[0].copied == 0
    assert problems(played) == []


def test_a_request_that_is_answered_passes_the_archive_as_well(played: Layout) -> None:
    set_sections(played.settings, ON)
    bank = only_of(played, "vera", "emre")
    archive(played, "vera", 6)
    request_memories(played, "emre", "vera", (), at(1000))
    answer_request(played, "vera", "emre", at(1001), share=True)
    assert [item for item in sources(played, "emre") if item in bank] == bank


def test_what_was_remembered_since_is_copied_alone(played: Layout) -> None:
    copy_memories(played, "vera", "emre", ShareFilter())
    known, last = sources(played, "emre"), len(ids(played, "vera"))
    play(played)
    fresh = [item for item in only_of(played, "vera", "emre") if int(item[5:]) > last]
    copy_memories(played, "vera", "emre", ShareFilter())
    assert fresh
    assert sources(played, "emre") == [*known, *fresh]
    assert problems(played) == []


def test_a_copy_stands_in_no_window_in_no_accumulator_and_is_counted_all_the_same(played: Layout) -> None:
    before = load_world(played).world.agents["emre"]
    copied = copy_memories(played, "vera", "emre", ShareFilter())[0].copied
    world = load_world(played).world
    assert world.agents["emre"].stream == before.stream
    assert world.agents["emre"].state == before.state
    assert describe_status(played)[0].agents["emre"].memories == len(before.stream) + copied
    assert as_json(describe_accumulators(world, ["emre"], recompute=True))["agents"]["emre"]["difference"] == 0


def test_memories_are_chosen_by_tag_words_and_id(played: Layout) -> None:
    first = records(played.stream("vera"))[0]
    assert copy_memories(played, "vera", "emre", ShareFilter(ids=(first["id"].upper(),)))[0].copied == 1
    assert sources(played, "emre") == [first["id"]]
    tagged = [record["id"] for record in records(played.stream("vera")) if "plan" in record["tags"]]
    copy_memories(played, "vera", "leo", ShareFilter(tags=("PLAN",)))
    assert sources(played, "leo") == tagged
    with pytest.raises(UsageError, match="emre-001"):
        copy_memories(played, "vera", "leo", ShareFilter(ids=("emre-001",)))


def test_a_request_is_answered_within_its_window(played: Layout) -> None:
    set_sections(played.settings, ON)
    request_memories(played, "emre", "vera", ("plan",), at(1000))
    assert [item["from"] for item in as_json(describe_links(load_world(played).world))["requests"]] == ["emre"]
    before = load_world(played).world.agents["emre"].state.importance_accumulator
    document, _ = answer_request(played, "vera", "emre", at(1120), share=True)
    assert document.shared is True
    assert document.copied == len(sources(played, "emre")) > 0
    assert as_json(describe_links(load_world(played).world))["requests"] == []
    remembered = [item for item in records(played.stream("emre")) if item["metadata"].get("kind") == "link"]
    assert remembered[0]["description"].startswith("Vera hat mir Erinnerungen zu »plan« überlassen; ich weiß jetzt")
    after = load_world(played).world.agents["emre"].state.importance_accumulator
    assert after == before + remembered[0]["importance"]
    assert problems(played) == []


def test_a_request_that_is_too_old_by_the_clock_is_over(played: Layout) -> None:
    set_sections(played.settings, ON)
    request_memories(played, "emre", "vera", (), at(1000))
    with pytest.raises(GmError, match="older than 120 seconds"):
        answer_request(played, "vera", "emre", at(1121), share=True)
    assert as_json(describe_links(load_world(played).world))["requests"] == []
    with pytest.raises(UsageError, match="has not asked"):
        answer_request(played, "vera", "emre", at(1121), share=True)


def test_without_a_window_or_without_the_derived_note_only_the_story_counts(played: Layout) -> None:
    set_sections(played.settings, "share: {enabled: true, window_seconds: null}")
    request_memories(played, "emre", "vera", (), at(0))
    assert answer_request(played, "vera", "emre", at(10**9), share=True)[0].shared
    text = played.settings.read_text(encoding="utf-8")
    played.settings.write_text(text.replace("window_seconds: null", "window_seconds: 1"), encoding="utf-8")
    request_memories(played, "leo", "vera", (), at(0))
    played.links_note.unlink()
    assert answer_request(played, "vera", "leo", at(10**9), share=True)[0].shared


def test_no_clock_of_the_wall_is_in_a_file_that_git_tracks(played: Layout) -> None:
    set_sections(played.settings, ON)
    request_memories(played, "emre", "vera", (), at(1_234_567_890.5))
    kept = {path: data for path, data in tree(played.root).items() if b"1234567890" in data}
    assert kept == {}
    assert b"1234567890" in played.links_note.read_bytes()


def test_who_refuses_gives_nothing_even_when_it_is_late(played: Layout) -> None:
    set_sections(played.settings, ON)
    request_memories(played, "emre", "vera", (), at(0))
    document, _ = answer_request(played, "vera", "emre", at(10**6), share=False)
    assert (document.copied, document.shared) == (0, False)
    assert sources(played, "emre") == []


def test_characters_do_not_ask_where_it_is_off_and_never_ask_themselves(played: Layout) -> None:
    before = tree(played.root)
    with pytest.raises(UsageError, match="not shared in this world"):
        request_memories(played, "emre", "vera", (), at(0))
    with pytest.raises(UsageError, match="are the same character"):
        copy_memories(played, "vera", "Vera", ShareFilter())
    with pytest.raises(UsageError, match="nobody here is called 'otto'"):
        copy_memories(played, "vera", "otto", ShareFilter())
    assert tree(played.root) == before


def test_what_a_person_wrote_into_the_file_of_requests_stays(played: Layout) -> None:
    set_sections(played.settings, ON)
    asked = '{"from": "leo", "to": "vera", "about": [], "at": "day-001", "why": "x"}'
    text = f'{{"note": "von Hand",\n "requests": [{asked}]}}\n'
    played.links.write_text(text, encoding="utf-8")
    request_memories(played, "emre", "vera", (), at(0))
    written = json.loads(played.links.read_text(encoding="utf-8"))
    assert written["note"] == "von Hand"
    assert [item["from"] for item in written["requests"]] == ["leo", "emre"]
    assert written["requests"][0]["why"] == "x"


def test_a_file_of_requests_that_cannot_be_read_stops_it_before_anything_is_written(played: Layout) -> None:
    set_sections(played.settings, ON)
    played.links.write_text('{"requests": [{"from": "leo"}]}', encoding="utf-8")
    before = tree(played.root)
    with pytest.raises(BrokenWorldError):
        request_memories(played, "emre", "vera", (), at(0))
    assert tree(played.root) == before


def test_a_copy_that_is_interrupted_is_there_as_a_whole_afterwards(
    played: Layout, monkeypatch: pytest.MonkeyPatch
) -> None:
    def die(self: Writer, *_: object) -> None:
        raise KeyboardInterrupt

    bank = only_of(played, "vera", "emre")
    with monkeypatch.context() as broken:
        broken.setattr(Writer, "_carry_out", die)
        with pytest.raises(KeyboardInterrupt):
            copy_memories(played, "vera", "emre", ShareFilter())
    copy_memories(played, "vera", "emre", ShareFilter())
    assert sources(played, "emre") == bank
    assert problems(played) == []


@pytest.mark.soak
def test_fifteen_thousand_memories_pass_in_one_go(dinner: Layout) -> None:
    """The memories of years: one commit, each line once, evidence remapped."""
    one, two = dinner.agent_names()[:2]
    lines = [
        {
            "id": f"{one}-{number:03d}",
            "created": "day-001/scene-01",
            "type": "observation",
            "depth": 0,
            "description": f"Nummer {number}.",
            "importance": 1,
            "tags": ["zahl"],
            "evidence": [f"{one}-{number - 1:03d}"] if number % 100 == 0 else [],
            "metadata": {},
        }
        for number in range(1, 15_001)
    ]
    text = "".join(json.dumps(line) + "\n" for line in lines)
    dinner.stream(one).write_text(text, encoding="utf-8")
    edit(dinner.world, {"day": 1})
    document, _ = copy_memories(dinner, one, two, ShareFilter())
    assert document.copied == 15_000
    assert sources(dinner, two) == [line["id"] for line in lines]
    cited = next(record for record in records(dinner.stream(two)) if record["evidence"])
    assert cited["evidence"][0].startswith(f"{two}-")
    assert copy_memories(dinner, one, two, ShareFilter())[0].copied == 0
