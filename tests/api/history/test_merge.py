"""Two worlds that grew apart become one, in which nothing is lost and every reference leads where it led."""

from __future__ import annotations

import json
import random
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from gm.api.history.merge.documents import merge_agent, merge_clock, to_integer
from gm.api.history.merge.plan import make_plan, rename_front, rename_ids
from gm.api.history.merge.world import merge_worlds
from gm.base.errors import errors_in
from gm.files.check.whole import check_files
from gm.files.layout import Layout
from gm.model.clock import CLOCK
from gm.model.record import Key, Merge
from gm.model.state import AGENT_STATE
from tests.api.history.branches import NAMES, Grower, World, grown, grown_on

PAIRS = 200


def nodes(world: World) -> dict[str, dict[str, Any]]:
    rows = [row for name in NAMES for row in world[f"state/memories/{name}.jsonl"].decode().splitlines()]
    return {record["id"]: record for row in rows if (record := json.loads(row))}


def merged_of(base: World, ours: World, theirs: World) -> World:
    merged = merge_worlds(base, ours, theirs)
    assert not [item.conflicts for item in merged.values() if item.conflicts]
    return {path: item.data for path, item in merged.items() if item.data is not None}


def said(world: World) -> Counter[str]:
    return Counter(node["description"] for node in nodes(world).values())


def meaning(world: World) -> dict[str, list[str]]:
    """What each memory rests on, by what was said: ids may change, this may not."""
    known = nodes(world)
    return {node["description"]: [known[name]["description"] for name in node["evidence"]] for node in known.values()}


def as_layout(world: World, folder: Path) -> Layout:
    for path, data in world.items():
        target = folder / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(data)
    return Layout(folder)


@pytest.mark.matrix
@pytest.mark.parametrize("block", range(10))
def test_nothing_is_lost_and_every_reference_leads_where_it_led(block: int, tmp_path: Path) -> None:
    size = PAIRS // 10
    for seed in range(block * size, (block + 1) * size):
        base, ours, theirs = grown(seed)
        merged = merged_of(base, ours, theirs)
        assert said(merged) == said(ours) | said(theirs), seed
        assert meaning(merged) == {**meaning(theirs), **meaning(ours)}, seed
        ours_ids = {name: node["description"] for name, node in nodes(ours).items()}
        assert ours_ids.items() <= {name: node["description"] for name, node in nodes(merged).items()}.items(), seed
        _check_logbooks(merged)
        _check_artifacts(merged, ours, theirs)
        problems = check_files(as_layout(merged, tmp_path / str(seed))).problems
        assert errors_in(problems) == [], (seed, errors_in(problems))


def test_a_branch_can_be_merged_again_after_both_have_gone_on(tmp_path: Path) -> None:
    for seed in range(60):
        base, ours, theirs = grown(seed)
        first = merged_of(base, ours, theirs)
        later_ours = grown_on(first, seed + 1000, "unser zweites", seed % 3)
        later_theirs = grown_on(theirs, seed + 2000, "ihr zweites", 1 + seed % 2)
        merged = merged_of(theirs, later_ours, later_theirs)
        assert said(merged) == said(later_ours) | said(later_theirs), seed
        assert meaning(merged) == {**meaning(later_theirs), **meaning(later_ours)}, seed
        _check_logbooks(merged)
        _check_artifacts(merged, later_ours, later_theirs)
        problems = check_files(as_layout(merged, tmp_path / str(seed))).problems
        assert errors_in(problems) == [], (seed, errors_in(problems))


def _check_logbooks(world: World) -> None:
    known = nodes(world)
    listed: list[str] = []
    for path, data in world.items():
        if "/logbook/" in path:
            records = [json.loads(row) for row in data.decode().splitlines()]
            scenes = [record["scene"] for record in records if record["type"] != "SUMMARY"]
            assert len(scenes) == len(set(scenes))
            assert [record["type"] for record in records].count("SUMMARY") == 1
            assert records[-1]["type"] == "SUMMARY"
            for record in records[:-1]:
                ref = f"{path[-13:-6]}/scene-{record['scene']:02d}"
                assert all(known[item["id"]]["created"] == ref for item in record["memories"])
                listed += [item["id"] for item in record["memories"]]
    assert Counter(listed) == Counter(list(known))
    totals = json.loads(world["state/world.json"])
    assert totals["scenes_total"] == sum(
        '"SUMMARY"' not in row
        for path, data in world.items()
        if "/logbook/" in path
        for row in data.decode().splitlines()
    )
    opened = [json.loads(row) for row in world.get("state/threads.jsonl", b"").decode().splitlines()]
    names = [row["id"] for row in opened if row["event"] == "open"]
    assert len(names) == len(set(names))
    assert {row["id"] for row in opened} == set(names)


def _check_artifacts(world: World, ours: World, theirs: World) -> None:
    known = nodes(world)
    works = {path: data.decode() for path, data in world.items() if path.startswith("gallery/")}
    bodies = {
        data.rsplit(b"---\n", 1)[-1] for side in (ours, theirs) for path, data in side.items() if "gallery/" in path
    }
    assert {text.rsplit("---\n", 1)[-1].encode() for text in works.values()} == bodies
    for path, text in works.items():
        name = text.split("node: ")[1].split("\n")[0]
        assert known[name]["metadata"]["artifact_path"] == path
        assert text.split("created: ")[1].split("\n")[0] == known[name]["created"]


def test_merging_with_oneself_or_with_the_past_changes_nothing() -> None:
    for seed in range(20):
        base, ours, _ = grown(seed)
        assert merged_of(base, ours, ours) == ours
        assert merged_of(base, ours, base) == ours
        assert merged_of(base, base, ours) == ours


def test_the_plan_is_the_same_whichever_file_is_merged() -> None:
    base, ours, theirs = grown(3)
    assert make_plan(base, ours, theirs).names == make_plan(dict(reversed(base.items())), ours, theirs).names


def memory(world: World, name: str, **values: Any) -> World:
    path = "state/memories/vera.jsonl"
    rows = [json.loads(row) for row in world[path].decode().splitlines()]
    changed = [{**row, **values} if row["id"] == name else row for row in rows]
    return {**world, path: "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in changed).encode()}


def small() -> World:
    grower = Grower({}, random.Random(1), "basis")
    grower.begin()
    for _ in range(3):
        grower.remember("vera", "day-001/scene-01")
    return grower.files


def test_only_the_same_memory_edited_differently_is_a_conflict() -> None:
    base = small()
    ours = memory(base, "vera-002", importance=9)
    fine = merge_worlds(base, ours, memory(base, "vera-001", importance=2))["state/memories/vera.jsonl"]
    assert fine.conflicts == ()
    assert merge_worlds(base, ours, ours)["state/memories/vera.jsonl"].conflicts == ()
    wrong = merge_worlds(base, ours, memory(base, "vera-002", importance=2))["state/memories/vera.jsonl"]
    assert wrong.conflicts == ("vera-002",)
    text = (wrong.data or b"").decode()
    assert text.count("<<<<<<< ours") == text.count(">>>>>>> theirs") == 1
    assert '"importance": 9' in text.split("=======")[0]
    assert text.count('"id": "vera-001"') == text.count('"id": "vera-003"') == 1


def test_a_memory_that_one_deleted_and_the_other_left_alone_is_gone() -> None:
    base = small()
    path = "state/memories/vera.jsonl"
    gone = {**base, path: b"".join(base[path].splitlines(keepends=True)[1:])}
    for ours, theirs in ((gone, base), (base, gone), (gone, gone)):
        assert merge_worlds(base, ours, theirs)[path].data == gone[path]
    assert merge_worlds(base, gone, memory(base, "vera-001", importance=1))[path].conflicts == ("vera-001",)


def test_experiences_of_both_sides_count_and_values_of_ones_own_survive() -> None:
    base = small()
    path = "state/agents/vera.json"

    def with_values(**values: Any) -> World:
        return {**base, path: json.dumps({**json.loads(base[path]), **values}).encode()}

    before = json.loads(base[path])["importance_accumulator"]
    ours = with_values(importance_accumulator=before + 10, mood="froh", eigenes=[1])
    theirs = with_values(importance_accumulator=before + 7, mood="müde", position="garten")
    found = merge_worlds(base, ours, theirs)[path]
    document = json.loads(found.data or b"")
    assert document["importance_accumulator"] == before + 17
    assert (document["mood"], document["position"], document["eigenes"]) == ("froh", "garten", [1])
    assert found.notes == ("mood: ours stays",)


def test_how_a_character_is_now_is_as_the_later_day_says() -> None:
    base = small()

    def on_day(day: int, mood: str) -> World:
        agent = {**json.loads(base["state/agents/vera.json"]), "mood": mood, "today_plan": [mood]}
        clock = {**json.loads(base["state/world.json"]), "day": day, "studio_status": mood}
        return {
            **base,
            "state/agents/vera.json": json.dumps(agent).encode(),
            "state/world.json": json.dumps(clock).encode(),
        }

    for ours, theirs in ((on_day(2, "spät"), on_day(1, "früh")), (on_day(1, "früh"), on_day(2, "spät"))):
        merged = merged_of(base, ours, theirs)
        agent, clock = (json.loads(merged[f"state/{name}.json"]) for name in ("agents/vera", "world"))
        assert (agent["mood"], agent["today_plan"], clock["day"]) == ("spät", ["spät"], 2)
        assert clock["studio_status"] == "spät"


MERGED = {  # of base, ours and theirs of the same day; then of theirs of a later day
    Merge.ANY: ((1, 2, 3), 2, 2),
    Merge.SUM: ((1, 2, 4), 5, 5),
    Merge.MOST: ((1, 3, 2), 3, 3),
    Merge.LATER: ((1, 2, 3), 2, 3),
    Merge.BOTH: ((True, True, False), False, False),
    Merge.UNION: ((["a"], ["a", "b"], ["a", "c"]), ["a", "b", "c"], ["a", "c"]),
    Merge.THEIRS: ((1, 2, 3), 3, 3),
    Merge.PLAN: ((["a"], ["b", "DONE c"], ["DONE b", "c"]), ["DONE b", "DONE c"], ["DONE b", "DONE c"]),
    Merge.COUNTED: ((1, 2, 3), 2, 2),
}


@pytest.mark.parametrize(
    "key", [key for record in (CLOCK, AGENT_STATE) for key in record.keys], ids=lambda key: key.name
)
def test_each_key_is_merged_as_its_declaration_says(key: Key) -> None:
    sides, same, later = MERGED[key.merge]
    base, ours, theirs = ({"day": 1, key.name: side} for side in sides)
    if key not in CLOCK.keys:
        merged = [merge_agent(base, ours, theirs, [], is_later=is_later) for is_later in (False, True)]
        later = sides[2] if key.merge is Merge.ANY else later
    elif key.name == "day":
        merged = [merge_clock(base, ours, {"day": day}, []) for day in (sides[1], sides[2])]
    else:
        merged = [merge_clock(base, ours, theirs | {"day": day}, []) for day in (1, 2)]
    assert [item[key.name] for item in merged] == [same, later]


@pytest.mark.parametrize("is_later", [False, True])
def test_what_either_side_struck_off_the_same_plan_is_struck_off(is_later: bool) -> None:
    base = {"today_plan": ["Kleben", "Reden", "Lesen"]}
    ours = {"today_plan": ["DONE: Kleben", "Reden", "Lesen"]}
    theirs = {"today_plan": ["Kleben", "MOVED: Reden", "Lesen"]}
    merged = merge_agent(base, ours, theirs, [], is_later=is_later)
    assert merged["today_plan"] == ["DONE: Kleben", "MOVED: Reden", "Lesen"]
    other = {"today_plan": ["Schlafen"]}
    wanted = other if is_later else ours
    assert merge_agent(base, ours, other, [], is_later=is_later)["today_plan"] == wanted["today_plan"]


@pytest.mark.parametrize("is_later", [False, True])
def test_a_key_of_any_spelling_that_both_changed_is_that_of_the_later_day(is_later: bool) -> None:
    base, ours, theirs = ({"my:note": text, "more": {"a: b": text}} for text in ("old", "ours", "theirs"))
    notes: list[str] = []
    merged = merge_agent(base, ours, theirs, notes, is_later=is_later)
    assert merged == (theirs if is_later else ours)
    said = "theirs, of the later day" if is_later else "ours stays"
    assert notes == [f"my:note: {said}", f"more: {said}"]


def test_a_number_without_end_counts_as_none() -> None:
    assert to_integer(float("inf")) == to_integer(float("nan")) == to_integer(True) == 0
    assert to_integer(10**400) == 10**400


def test_names_change_only_where_they_stand_alone() -> None:
    names = {"vera-001": "vera-009", "größe-001": "größe-004"}
    text = '{"id":"vera-001",  "description": "Siehe vera-001, \\"vera-001\\".", "evidence": ["gr\\u00f6\\u00dfe-001"]}'
    assert rename_ids(text, names) == (
        '{"id":"vera-009",  "description": "Siehe vera-001, \\"vera-001\\".", "evidence": ["größe-004"]}'
    )
    front = "---\ntitle: 'vera-001'\nnode: vera-001\n---\nnode: vera-001\n"
    assert rename_front(front, names) == "---\ntitle: 'vera-001'\nnode: vera-009\n---\nnode: vera-001\n"


GOALS, STREAM, OTHERS = "state/goals/vera.jsonl", "state/memories/vera.jsonl", "state/goals/emre.jsonl"


def goal(number: int, text: str, event: str = "open", day: int = 1) -> str:
    record = {"id": f"goal-{number:02d}", "at": f"day-{day:03d}", "event": event, "text": text}
    return json.dumps(record, ensure_ascii=False) + "\n"


def about_goal(number: int, identifier: str, text: str) -> str:
    metadata = {"kind": "goal_progress", "goal": identifier}
    record = {"id": f"vera-{number:03d}", "created": "day-001/scene-01", "type": "observation", "depth": 0}
    values = {"description": text, "importance": 5, "tags": [], "evidence": [], "metadata": metadata}
    return json.dumps({**record, **values}, ensure_ascii=False) + "\n"


def test_goals_that_both_have_opened_are_numbered_behind_each_other_for_each_character() -> None:
    base = {GOALS: goal(1, "Alt.").encode(), STREAM: b"", OTHERS: b""}
    ours = {**base, GOALS: (goal(1, "Alt.") + goal(2, "Unser.")).encode(), OTHERS: goal(1, "Emres.").encode()}
    theirs = {
        **base,
        GOALS: (goal(1, "Alt.") + goal(2, "Ihr.") + goal(2, "Weiter.", "progress")).encode(),
        STREAM: about_goal(1, "goal-02", "Ihr Ziel.").encode(),
    }
    merged = merged_of(base, ours, theirs)
    opened = (goal(1, "Alt."), goal(2, "Unser."), goal(3, "Ihr."), goal(3, "Weiter.", "progress"))
    assert merged[GOALS].decode() == "".join(opened)
    assert merged[STREAM].decode() == about_goal(1, "goal-03", "Ihr Ziel.")
    assert merged[OTHERS] == ours[OTHERS], "every character counts for itself"


def test_a_goal_that_a_merge_has_renumbered_is_known_again_by_the_next_merge() -> None:
    base = {GOALS: b"", STREAM: b""}
    ours = {**base, GOALS: goal(1, "Unser.").encode()}
    theirs = {GOALS: goal(1, "Ihr.").encode(), STREAM: about_goal(1, "goal-01", "Ihr Ziel.").encode()}
    first = merged_of(base, ours, theirs)
    assert first[GOALS].decode() == goal(1, "Unser.") + goal(2, "Ihr.")
    later = {**theirs, GOALS: (goal(1, "Ihr.") + goal(1, "Fertig.", "reached", 2) + goal(2, "Neu.", day=2)).encode()}
    merged = merged_of(theirs, first, later)
    rows = (goal(1, "Unser."), goal(2, "Ihr."), goal(2, "Fertig.", "reached", 2), goal(3, "Neu.", day=2))
    assert merged[GOALS].decode() == "".join(rows)
    assert merged[STREAM] == first[STREAM]


LOG = "state/logbook/day-001.jsonl"


def logged(*scenes: tuple[int, str]) -> bytes:
    rows = [json.dumps({"scene": number, "type": "WORK", "summary": text}) for number, text in scenes]
    return "".join(row + "\n" for row in rows).encode()


def lived(number: int, created: str) -> bytes:
    record = {"id": f"vera-{number:03d}", "created": created, "type": "observation", "description": created}
    return (json.dumps(record) + "\n").encode()


def test_a_half_scene_goes_along_when_its_scene_is_renumbered_also_in_the_next_merge() -> None:
    theirs = {LOG: logged((1, "Ihre.")), STREAM: lived(1, "day-001/scene-01b")}
    first = merged_of({LOG: b"", STREAM: b""}, {LOG: logged((1, "Unsere.")), STREAM: b""}, theirs)
    assert first[LOG] == logged((1, "Unsere."), (2, "Ihre."))
    assert b'"created": "day-001/scene-02b"' in first[STREAM]
    later = {**theirs, STREAM: theirs[STREAM] + lived(2, "day-001/scene-01b")}
    merged = merged_of(theirs, first, later)
    assert [json.loads(row)["created"] for row in merged[STREAM].splitlines()] == ["day-001/scene-02b"] * 2


def test_all_summaries_of_a_day_become_one() -> None:
    def closed(*texts: str) -> bytes:
        rows = [json.dumps({"type": "SUMMARY", "summary": text, "finished": [text]}) for text in texts]
        return logged((1, "Eine.")) + "".join(row + "\n" for row in rows).encode()

    merged = merged_of({LOG: b""}, {LOG: closed("Unser Tag.", "Noch einer.")}, {LOG: closed("Ihr Tag.")})[LOG]
    (summary,) = (row for row in map(json.loads, merged.splitlines()) if row["type"] == "SUMMARY")
    assert summary["summary"] == "Unser Tag. Noch einer. Ihr Tag."
    assert summary["finished"] == ["Unser Tag.", "Noch einer.", "Ihr Tag."]


def test_sentences_that_both_have_added_to_a_soul_stand_side_by_side_and_every_other_byte_stays() -> None:
    path = "state/souls/vera.yaml"
    base = {path: b"# mine\nbeliefs:   # two\n  - One.\n"}
    ours = {path: b"# mine\nbeliefs:   # two\n  - One.\n  - Ours.\n"}
    theirs = {path: b"# mine\nbeliefs:   # two\n  - One.\n  - Theirs.\nfears:\n  - Dark.\n"}
    merged = merged_of(base, ours, theirs)[path]
    assert merged == b"# mine\nbeliefs:   # two\n  - One.\n  - Ours.\n  - Theirs.\nfears:\n  - Dark.\n"


@pytest.mark.parametrize("theirs", [b"current_subgoal: b\n", b"- no mapping\n", b"known: [\n"])
def test_where_both_changed_one_line_of_a_page_a_person_decides(theirs: bytes) -> None:
    path = "state/working/vera.yaml"
    merged = merge_worlds({path: b"current_subgoal: x\n"}, {path: b"current_subgoal: a\n"}, {path: theirs})
    assert merged[path].conflicts == (path,)
    assert merged[path].data == b"current_subgoal: a\n"


def reflecting(world: World, accumulator: int, last: str | None = None, position: str = "hall") -> World:
    path = "state/agents/vera.json"
    values = {"importance_accumulator": accumulator, "last_reflection": last, "position": position}
    agent = {**json.loads(world[path]), **values}
    return {**world, path: json.dumps(agent).encode()}


def accumulated(base: World, ours: World, theirs: World) -> tuple[int, str | None]:
    agent = json.loads(merge_worlds(base, ours, theirs)["state/agents/vera.json"].data or b"")
    return agent["importance_accumulator"], agent["last_reflection"]


def test_importance_counts_from_the_last_reflection_in_the_merged_stream() -> None:
    """Theirs comes behind ours: what ours gained lies before their reflection, and what theirs gained behind ours."""
    base = reflecting(small(), 41)
    ours, theirs = reflecting(base, 75), reflecting(base, 3, "vera-050")
    assert accumulated(base, ours, theirs) == (3, "vera-050")
    assert accumulated(base, theirs, ours) == (3 + 75 - 41, "vera-050")
    assert accumulated(base, reflecting(base, 5, "vera-049"), theirs) == (3, "vera-050")


def test_the_same_sum_on_both_sides_is_not_the_same_experience() -> None:
    base = reflecting(small(), 36)
    ours, theirs = (reflecting(base, 97, position=place) for place in ("yard", "cellar"))
    assert accumulated(base, ours, theirs)[0] == 97 + 61


def test_a_promise_that_both_have_kept_is_closed_once_and_lines_stay_in_story_time() -> None:
    path = "state/threads.jsonl"

    def event(thread: str, at: str, name: str, **values: str) -> bytes:
        return json.dumps({"id": thread, "at": at, "event": name, "by": "vera", **values}).encode() + b"\n"

    start = event("thread-001", "day-001/scene-01", "open", kind="promise", text="A plank.")
    base = {**small(), path: start}
    later = event("thread-002", "day-004/scene-01", "open", kind="promise", text="Two planks.")
    kept = event("thread-001", "day-002/scene-02", "close", outcome="kept", text="Here.")
    other = event("thread-001", "day-002/scene-03", "close", outcome="kept", text="There.")
    new = event("thread-002", "day-002/scene-03", "open", kind="question", text="Which plank?")
    merged = merge_worlds(base, {**base, path: start + kept + later}, {**base, path: start + other + new})
    assert merged[path].data == start + kept + new.replace(b"thread-002", b"thread-003") + later


def test_a_merge_gives_no_number_again_that_was_deleted() -> None:
    base = small()
    other = Grower(base, random.Random(2), "anders")
    other.remember("vera", "day-001/scene-01")
    theirs = {**other.files, **deleted(other.files, 3)}
    ours = {**base, **deleted(base, 4)}
    merged = merge_worlds(base, ours, theirs)
    assert [json.loads(row)["id"] for row in (merged["state/memories/vera.jsonl"].data or b"").splitlines()][3:] == [
        "vera-005"
    ]
    assert json.loads(merged["state/agents/vera.json"].data or b"")["deleted_until"] == 4
    assert json.loads(merge_worlds(base, theirs, ours)["state/agents/vera.json"].data or b"")["deleted_until"] == 4


def deleted(world: World, number: int) -> World:
    path = "state/agents/vera.json"
    return {path: json.dumps({**json.loads(world[path]), "deleted_until": number}).encode()}


def test_two_entries_of_a_diary_about_a_day_that_both_have_played_become_one() -> None:
    path = "state/diary/ana.jsonl"
    first = '{"day": "day-001", "text": "Base."}\n'
    ours = f'{first}{{"day": "day-002", "mood": "calm", "text": "Ours.", "tags": ["a"]}}\n'
    theirs = f'{first}{{"day": "day-002", "mood": "cross", "text": "Theirs.", "tags": ["b"]}}\n{{"day": "day-003"}}\n'
    (merged,) = merge_worlds({path: first.encode()}, {path: ours.encode()}, {path: theirs.encode()}).values()
    assert merged.data is not None
    before, joined, _ = merged.data.decode().splitlines()
    assert f"{before}\n" == first
    assert json.loads(joined) == {"day": "day-002", "mood": "calm", "text": "Ours. Theirs.", "tags": ["a", "b"]}
    again = merge_worlds({path: theirs.encode()}, {path: merged.data}, {path: theirs.encode()})
    assert again[path].data == merged.data
