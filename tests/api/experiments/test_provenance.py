"""Provenance: played days become one file, which repeats them to the byte or says why not."""

from __future__ import annotations

import getpass
import hashlib
import io
import json
import os
import re
import shutil
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

import gm
from gm.api.editing.board import put_up_brief, put_up_post
from gm.api.experiments.provenance.contents import CITE
from gm.api.experiments.provenance.keep import make_provenance
from gm.api.experiments.provenance.pack import open_file, parse_file, world_files
from gm.api.experiments.provenance.replay import find_differences, replay
from gm.api.worlds.create import create_world
from gm.base.errors import GmError, UsageError
from gm.files.layout import Layout
from gm.llm.rehearsal.backend import Rehearsal
from gm.model.world import Change, World
from gm.play.report import Report
from gm.scene.directing.choosing import SceneRequest
from tests.cli.running import Run
from tests.stories.playing import play, play_with


@pytest.fixture(scope="module")
def two_days(tmp_path_factory: pytest.TempPathFactory) -> Layout:
    """A dinner after two days, with a brief and a post between them. Shared: read it, do not write into it."""
    layout = create_world(tmp_path_factory.mktemp("two-days") / "dinner", "dinner")
    put_up_brief(layout, "Cook something with lemons.")
    play(layout)
    put_up_post(layout, "The oven is broken.")
    edit(layout.stream("casey"), '"importance": ', '"importance":  ')
    play(layout)
    put_up_post(layout, "Afterwards.")
    return layout


@pytest.fixture(scope="module")
def file(two_days: Layout, tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("file") / "dinner.gmrun.zip"
    path.write_bytes(make_provenance(two_days).data)
    return path


@pytest.fixture
def copy(two_days: Layout, tmp_path: Path) -> Layout:
    return Layout(Path(shutil.copytree(two_days.root, tmp_path / "copy")))


def edit(path: Path, old: str, new: str) -> None:
    text = path.read_text(encoding="utf-8")
    assert old in text
    path.write_text(text.replace(old, new, 1), encoding="utf-8")


def members(file: Path) -> dict[str, bytes]:
    with zipfile.ZipFile(file) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def packed(files: dict[str, bytes]) -> bytes:
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    return data.getvalue()


def changed(file: Path, path: Path, change: Callable[[dict[str, bytes], dict[str, Any]], None]) -> Path:
    """Write a file whose entries were changed, with the digests of what is in it now."""
    files = members(file)
    note = json.loads(files.pop("provenance.json"))
    change(files, note)
    note["files"] = {name: hashlib.sha256(data).hexdigest() for name, data in files.items()}
    path.write_bytes(packed({"provenance.json": json.dumps(note).encode(), **files}))
    return path


def test_days_are_repeated_in_an_empty_folder_with_what_was_done_by_hand(
    run: Run, two_days: Layout, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(two_days.root)
    before = {path: data for path, data in world_files(two_days).items() if path != "state/bulletin.json"}
    said = run("provenance", "-o", os.path.relpath(tmp_path / "run.gmrun.zip"))
    assert said.code == 0, said.err
    assert "days 1 to 2 of Dinner for Noor" in said.out
    assert "changed by hand before day-002: state/bulletin.json, state/memories/casey.jsonl" in said.out
    assert "the world's own" in run("provenance", "-o", "state/world.json").err
    (tmp_path / "notes.txt").write_text("mine", encoding="utf-8")
    assert "gm did not make it" in run("provenance", "-o", tmp_path / "notes.txt").err
    again = run("replay", tmp_path / "run.gmrun.zip", tmp_path / "again", "--json")
    assert again.code == 0, again.err
    found = again.document
    assert found["expected"] == found["found"]
    assert found["other"] == []
    assert found["asked_otherwise"] == 0
    there = world_files(Layout(tmp_path / "again"))
    assert {path: data for path, data in there.items() if path in before} == before
    assert b"Afterwards." not in there["state/bulletin.json"], "what was posted after the last day is no part of it"
    assert run("check", "-w", tmp_path / "again").code == 0


def test_a_world_that_was_repeated_gives_the_same_file(file: Path, tmp_path: Path, two_days: Layout) -> None:
    assert make_provenance(two_days).data == file.read_bytes()
    replay(open_file(file), tmp_path / "again")
    assert make_provenance(Layout(tmp_path / "again")).data == file.read_bytes()


def test_the_file_says_what_days_were_played_with(file: Path, two_days: Layout) -> None:
    note, run = open_file(file).note, open_file(file).run
    assert (note.gm, note.cite, note.days, note.seed) == (gm.__version__, CITE, (1, 2), 1)
    assert note.models["rehearsal"]["calls"] == note.calls == len(run.traces) == note.asked
    assert note.models["rehearsal"]["input_tokens"] > 0
    assert note.libraries["click"]
    assert note.prompts["reply.j2"]
    assert note.settings["retrieval.last"] == {"value": 50, "set": False}
    assert note.settings["seed"]["value"] == 1
    persona = "world/state/personas/alex.md"
    assert note.files[persona] == hashlib.sha256(two_days.persona("alex").read_bytes()).hexdigest()


def test_nothing_of_the_machine_or_its_user_is_inside(file: Path, two_days: Layout) -> None:
    names = [str(two_days.root), str(Path.cwd()), os.path.expanduser("~"), "/tmp/"]
    user = getpass.getuser()
    for name, data in members(file).items():
        text = data.decode()
        assert not [found for found in names if found in text], name
        assert user == "root" or not re.search(rf"\b{re.escape(user)}\b", text), name


def test_one_day_of_several(two_days: Layout, tmp_path: Path) -> None:
    made = make_provenance(two_days, 2, 2)
    (tmp_path / "f.zip").write_bytes(made.data)
    assert made.note.days == (2,)
    assert not made.note.by_hand
    assert b"The oven is broken." in made.run.start["state/bulletin.json"]
    assert replay(open_file(tmp_path / "f.zip"), tmp_path / "again").is_same


def test_a_dry_run_writes_nothing(run: Run, two_days: Layout, tmp_path: Path) -> None:
    said = run("provenance", "-w", two_days.root, "-o", tmp_path / "x.zip", "--days", "1..1", "--dry-run")
    assert said.code == 0
    assert "would be written" in said.out
    assert not (tmp_path / "x.zip").exists()
    assert run("provenance", "-w", two_days.root, "--days", "1-9").err.startswith("error: day 9 has not been played")


def test_the_seed_of_each_day_is_named_and_repeated(dinner: Layout, tmp_path: Path) -> None:
    for seed in (7, None, 9):
        play(dinner, seed=seed)
    made = make_provenance(dinner)
    assert (made.note.seed, made.note.seeds) == (1, {"day-001": 7, "day-002": 1, "day-003": 9})
    assert not made.note.asked_otherwise
    (tmp_path / "f.zip").write_bytes(made.data)
    assert replay(open_file(tmp_path / "f.zip"), tmp_path / "again").is_same


def test_a_server_at_an_address_of_ones_own_is_named_by_its_kind(dinner: Layout) -> None:
    play(dinner)
    assert make_provenance(dinner).note.servers == ()
    path = next(dinner.traces.rglob("alex*.json"))
    edit(path, '"backend": "rehearsal"', '"backend": "rehearsal", "server": "here"')
    assert make_provenance(dinner).note.servers == ("rehearsal: here",)


def test_days_played_with_another_seed_want_it_named(dinner: Layout) -> None:
    play(dinner, seed=7)
    dinner.seed_note.unlink()
    assert make_provenance(dinner, seed=7).note.seed == 7


@pytest.mark.slow
def test_a_day_that_language_models_played_is_repeated(tmp_path: Path) -> None:
    made = make_provenance(create_world(tmp_path / "studio", "studio", days=1))
    (tmp_path / "f.zip").write_bytes(made.data)
    found = replay(open_file(tmp_path / "f.zip"), tmp_path / "again")
    assert found.is_same
    assert found.asked == made.note.calls
    assert (tmp_path / "again/state/logbook/day-001.jsonl").is_file()


def test_what_was_done_inside_a_day_is_refused_and_named(copy: Layout) -> None:
    request = SceneRequest("encounter", ("alex", "casey"))
    play_with(copy, Rehearsal(), Report(), lambda master: master.play_requested(request))
    put_up_post(copy, "In the middle of the day.")
    play(copy)
    with pytest.raises(GmError, match=r"day.003 cannot be repeated") as error:
        make_provenance(copy)
    assert "requested scenes" in error.value.hint
    assert make_provenance(copy, 1, 2).note.days == (1, 2), "the days before it can be had"


def test_an_edit_inside_a_day_is_named(copy: Layout) -> None:

    class Poster(Report):
        def day_ends(self, world: World, change: Change) -> None:
            edit(copy.stream("alex"), '"importance": ', '"importance":  ')

    play(copy, report=Poster())
    with pytest.raises(GmError, match=r"alex\.jsonl was changed by hand while the day was open"):
        make_provenance(copy, 3, 3)


def test_an_edit_that_no_commit_saw_is_taken_as_it_is(copy: Layout) -> None:
    edit(copy.bulletin, "Afterwards.", "Later.")
    made = make_provenance(copy, 1, 2)
    assert made.note.days == (1, 2)


def test_settings_edited_since_are_noticed_by_the_questions(run: Run, copy: Layout) -> None:
    edit(copy.settings, "language: en\n", "language: en\nretrieval: {last: 5}\n")
    said = run("provenance", "-w", copy.root, "--dry-run")
    assert "differ from those that were answered" in said.err


def test_a_world_without_its_record_cannot_say_what_was_done_by_hand(copy: Layout) -> None:
    shutil.rmtree(copy.changes)
    with pytest.raises(GmError, match="cannot be repeated"):
        make_provenance(copy)
    with pytest.raises(GmError, match="nothing that is kept leads back to day-001"):
        make_provenance(copy, 2)
    shutil.rmtree(copy.traces / "day-002")
    with pytest.raises(GmError, match="no answers of day 2 are kept"):
        make_provenance(copy)


def test_an_end_that_is_not_in_the_record_is_refused(run: Run, copy: Layout) -> None:
    record = copy.changes / "day-002.jsonl"
    kept = record.read_text(encoding="utf-8").splitlines(keepends=True)
    record.write_text("".join(line for line in kept if '"moment": "day-002",' not in line), encoding="utf-8")
    said = run("provenance", "-w", copy.root, "--dry-run")
    assert said.code == 1
    assert "does not say how day 2 ended" in said.err
    assert "changes/day-002.jsonl back, or end with another day (1): --days" in said.err
    assert "the same" not in said.out
    assert make_provenance(copy, 1, 1).note.days == (1,)


def test_another_end_is_said_with_the_files_that_differ(run: Run, file: Path, tmp_path: Path) -> None:
    def forge(_files: dict[str, bytes], note: dict[str, Any]) -> None:
        note["end_files"]["state/world.json"] = note["end"] = "0" * 64
        note["gm"], note["prompts"]["reply.j2"] = "0.0.9", "0" * 64

    forged = changed(file, tmp_path / "f.zip", forge)
    assert next(item.what for item in find_differences(open_file(forged).note)) == "gm"
    said = run("replay", forged, tmp_path / "again")
    assert said.code == 1
    assert said.out.startswith("differs: gm: 0.0.9 there")
    assert "differs: prompt reply.j2" in said.out
    assert "Not the same: 1 file differs\n  state/world.json\n" in said.out


def broken() -> Iterator[tuple[str, Callable[[dict[str, bytes], dict[str, Any]], None]]]:
    def without_answer(files: dict[str, bytes], _note: dict[str, Any]) -> None:
        lines = files["traces/day-002.jsonl"].splitlines(keepends=True)
        files["traces/day-002.jsonl"] = b"".join(line for line in lines if b'"day-002/scene-02/' not in line)

    def other_world(files: dict[str, bytes], _note: dict[str, Any]) -> None:
        files["world/gm.yaml"] += b"# edited\n"

    def with_file(name: str, data: bytes = b"x") -> Callable[[dict[str, bytes], dict[str, Any]], None]:
        return lambda files, _note: files.update({name: data})

    def say(key: str, value: object) -> Callable[[dict[str, bytes], dict[str, Any]], None]:
        return lambda _files, note: note.update({key: value})

    line = json.dumps({"path": "day-001/../../../x.json", "text": "{}"}).encode()
    yield r"day-002 cannot be repeated: day-002/scene-02 \w+: nothing was recorded", without_answer
    yield "does not match its digest", other_world
    yield "leads out of the archive", with_file("world/../../x")
    yield "is not a path of a world", with_file("world/.git/hooks/post-checkout")
    yield "is not a path of a world", with_file("world/state/.gm/journal.jsonl")
    yield "is not part of such a file", with_file("elsewhere/x")
    yield "is not part of such a file", with_file("by-hand/day-001/gm.yaml")
    yield "is not the place of an answer", with_file("traces/day-009.jsonl", line)
    yield r"day-009.jsonl:1: ", with_file("traces/day-009.jsonl", b"[]")
    yield "unpacks to more than", with_file("world/library/bomb.md", b"\0" * 30_000_001)
    yield (
        "files in it, expected at most",
        lambda files, _note: files.update({f"world/library/{n}.md": b"" for n in range(2000)}),
    )
    yield "days", say("days", [2, 1])
    yield "days", say("days", ["1"])
    yield "not one of its days", say("by_hand", {"day-007": ["gm.yaml"]})
    yield "is not a path of a world", say("by_hand", {"day-002": ["../../x"]})
    yield "form", say("form", 2)


@pytest.mark.parametrize(("message", "change"), [*broken()])
def test_a_file_that_cannot_be_trusted_leaves_nothing(
    file: Path, tmp_path: Path, message: str, change: Callable[[dict[str, bytes], dict[str, Any]], None]
) -> None:
    path = changed(file, tmp_path / "f.zip", change)
    with pytest.raises(GmError, match=message):
        replay(open_file(path), tmp_path / "again")
    assert [item.name for item in tmp_path.iterdir()] == ["f.zip"]


def test_entries_are_held_against_their_digests(file: Path) -> None:
    files = members(file)
    files["world/gm.yaml"] += b"# edited\n"
    with pytest.raises(UsageError, match=r"world/gm\.yaml is not as its digest says"):
        parse_file(packed(files), "f.zip")
    del files["world/gm.yaml"]
    with pytest.raises(UsageError, match=r"world/gm\.yaml is not in it"):
        parse_file(packed(files), "f.zip")
    with pytest.raises(UsageError, match=r"f\.zip has no provenance\.json"):
        parse_file(packed({"x": b""}), "f.zip")
    link = zipfile.ZipInfo("world/link")
    link.external_attr = 0o120777 << 16
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w") as archive:
        archive.writestr(link, "/etc/passwd")
    with pytest.raises(UsageError, match="is a link or a device"):
        parse_file(data.getvalue(), "f.zip")


def test_what_stops_a_replay_before_it_begins(run: Run, file: Path, tmp_path: Path) -> None:
    (tmp_path / "cut.zip").write_bytes(file.read_bytes()[:9000])
    assert "a damaged archive" in run("replay", tmp_path / "cut.zip", tmp_path / "again").err
    assert "there is no" in run("replay", tmp_path / "gone.zip", tmp_path / "again").err
    assert not (tmp_path / "again").exists()
    (tmp_path / "full").mkdir()
    (tmp_path / "full/x").touch()
    assert "already exists" in run("replay", file, tmp_path / "full").err


def test_the_citation_names_this_version() -> None:
    citation = yaml.safe_load((Path(__file__).parents[3] / "CITATION.cff").read_text(encoding="utf-8"))
    assert citation["cff-version"] == "1.2.0"
    assert citation["message"]
    assert citation["title"]
    assert citation["version"] == gm.__version__
    assert citation["version"] in CITE
    assert citation["authors"] == [{"name": "The gm authors"}]
    assert citation["license"] == "MIT"
