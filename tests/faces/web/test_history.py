"""The way back by forms: what is shown is done, as the commands do it; and nothing else."""

from __future__ import annotations

import re
from pathlib import Path
from shutil import copytree

import pytest
from starlette.testclient import TestClient

from gm.api.editing.board import put_up_post
from gm.api.history.rewind.apply_rewind import choose_git, find_kept, go_back, undo
from gm.api.history.rewind.branches import make_branch
from gm.api.history.rewind.moments import find_moment
from gm.faces.web.publish import publish
from gm.files.commits.lock import locked
from gm.files.layout import Layout
from gm.model.calendar import SceneRef
from tests.api.repositories import commit_all, git, make_repository
from tests.faces.web.conftest import Browse
from tests.faces.web.forms import carry_out, fields_of, open_form, preview, send
from tests.faces.web.test_forms import ATTACKS, words_of
from tests.handmade import fingerprint

SCENE = "/edit/rewind/day-001_2f_scene-02.html"
START = "/edit/rewind/day-000.html"
UNDO = "/edit/undo/1.html"
BRANCH = "/edit/branch/day-001_2f_scene-02.html"
REF = SceneRef(1, 2)


@pytest.fixture
def twin(played: Layout, tmp_path: Path) -> Layout:
    """A copy, for what the command does."""
    layout = Layout(tmp_path / "twin" / played.root.name)
    copytree(played.root, layout.root, symlinks=True)
    return layout


def every_byte(root: Path) -> dict[str, bytes]:
    """All files with what was kept of a rewind and the world's own record, without locks and indexes."""
    left_out = {"lock", "journal.jsonl", "lines.jsonl", "lexical.sqlite"}
    files = (path for path in root.rglob("*") if path.is_file() and path.name not in left_out)
    return {path.relative_to(root).as_posix(): path.read_bytes() for path in files}


@pytest.mark.parametrize("anew", [False, True])
def test_going_back_does_what_the_command_does_and_not_before_it_was_shown(
    played: Layout, twin: Layout, browse: Browse, anew: bool
) -> None:
    client, before = browse(played), fingerprint(played.root)
    fields = preview(client, SCENE, **({"ask_again": "on"} if anew else {}))
    assert fingerprint(played.root) == before
    answer = send(client, SCENE, fields, "write")
    assert answer.headers["location"] == "/history.html?saved=rewind"
    go_back(twin, find_moment(twin, REF), None, ask_again=anew)
    assert every_byte(played.root) == every_byte(twin.root)
    assert fingerprint(played.root) != before
    assert "Was verschwunden ist, lässt sich hier zurückholen" in client.get(answer.headers["location"]).text


def test_what_is_taken_back_is_named_first(played: Layout, browse: Browse) -> None:
    client = browse(played)
    told = words_of(send(client, START, open_form(client, START)))
    assert re.search(r"Tag 1: \d+ Szenen", told)
    assert "Vera Hollstein: " in told
    assert "gallery/" in told
    assert "der eigenen Aufzeichnung" in told


def test_what_was_taken_back_is_brought_back(played: Layout, twin: Layout, browse: Browse) -> None:
    client = browse(played)
    carry_out(client, SCENE)
    go_back(twin, find_moment(twin, REF), None)
    assert UNDO.removeprefix("/") in client.get("/history.html").text
    assert carry_out(client, UNDO).status_code == 303
    undo(twin, find_kept(twin), None)
    assert every_byte(played.root) == every_byte(twin.root)


def test_what_was_taken_back_stays_so_when_the_world_has_gone_on(played: Layout, browse: Browse) -> None:
    client = browse(played)
    carry_out(client, SCENE)
    fields = preview(client, UNDO)
    put_up_post(played, "Hallo")
    before = fingerprint(played.root)
    page = send(client, UNDO, fields, "write")
    assert page.status_code == 409
    assert "the world went on since" in page.text
    assert fingerprint(played.root) == before
    assert "seither weitergegangen" in client.get("/history.html").text


def test_going_apart_makes_what_the_command_makes(played: Layout, twin: Layout, browse: Browse) -> None:
    client, before = browse(played), fingerprint(played.root)
    fields = preview(client, BRANCH, branch="was-wäre")
    target = played.root.with_name("played-was-wäre")
    assert not target.exists()
    assert send(client, BRANCH, fields, "write").status_code == 303
    made = make_branch(twin, "was-wäre", REF, twin.root.with_name("by-command"))
    assert every_byte(target) == every_byte(Path(made.world))
    assert fingerprint(played.root) == before
    page = client.get("/history.html")
    assert f"gm view -w {target}" in words_of(page).replace("'", "")
    assert client.get("/compare.html", params={"a": str(target), "b": "now"}).status_code == 200


@pytest.mark.parametrize("path", [SCENE, BRANCH])
def test_with_git_it_is_a_commit_and_a_work_tree(played: Layout, browse: Browse, path: str) -> None:
    played.settings.write_text(played.settings.read_text("utf-8") + "\ngit: {commit: day}\n", encoding="utf-8")
    make_repository(played.root)
    commit_all(played.root, "Day 1")
    client = browse(played)
    assert "Ein Zweig ist ein eigener Arbeitsbaum" in client.get("/history.html").text
    assert carry_out(client, path, **({"branch": "anders"} if path == BRANCH else {})).status_code == 303
    if path == SCENE:
        assert git(played.root, "log", "-1", "--format=%s") == f"back to {REF}\n"
    else:
        assert git(played.root, "branch", "--list", "anders").strip()
        assert "Zweig anders" in words_of(client.get("/history.html"))
    assert choose_git(played) is not None


def test_without_git_the_page_says_what_works_all_the_same(
    played: Layout, browse: Browse, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    assert "liegt in keinem Git-Repository" in browse(played).get("/history.html").text
    monkeypatch.setenv("PATH", str(tmp_path))
    client = browse(played)
    told = words_of(client.get("/history.html"))
    assert "Git ist nicht installiert" in told
    assert "geht trotzdem" in told
    assert "seit Tag 1 zurück" in told
    assert carry_out(client, BRANCH, branch="kopie").status_code == 303
    assert carry_out(client, SCENE).status_code == 303
    assert client.get("/compare.html", params={"a": "day-001", "b": "now"}).status_code == 200


@pytest.mark.parametrize("path", [SCENE, UNDO])
def test_while_a_day_is_played_elsewhere_nothing_is_taken_back(played: Layout, browse: Browse, path: str) -> None:
    client = browse(played)
    if path == UNDO:
        carry_out(client, SCENE)
    fields = preview(client, path)
    before = fingerprint(played.root)
    with locked(played.lock, "gm advance-day"):
        page = send(client, path, fields, "write")
    assert page.status_code == 423
    assert "gm advance-day" in page.text
    assert fingerprint(played.root) == before


def test_what_would_be_taken_back_by_now_is_shown_again(played: Layout, browse: Browse) -> None:
    client = browse(played)
    fields = preview(client, SCENE)
    put_up_post(played, "Hallo")
    before = fingerprint(played.root)
    page = send(client, SCENE, fields, "write")
    assert page.status_code == 409
    assert "Inzwischen hat sich etwas geändert" in page.text
    assert fingerprint(played.root) == before
    assert send(client, SCENE, fields_of(page), "write").status_code == 303


def test_where_the_world_is_already_there_is_nothing_to_take_back(played: Layout, browse: Browse) -> None:
    client = browse(played)
    page = send(client, "/edit/rewind/day-001.html", open_form(client, "/edit/rewind/day-001.html"))
    assert "würde sich nichts ändern" in page.text


@pytest.mark.parametrize(
    "moment", ["day-1", "now", "day-001_2f_scene-2", "_2e__2e__2f_x", "x", "day-000_2f_", "%2e%2e"]
)
def test_a_moment_that_is_none_has_no_form(played: Layout, browse: Browse, moment: str) -> None:
    assert browse(played).get(f"/edit/rewind/{moment}.html").status_code == 404


def test_a_moment_that_was_not_played_is_refused(played: Layout, browse: Browse) -> None:
    client = browse(played)
    for path in ("/edit/rewind/day-009.html", "/edit/branch/day-001_2f_scene-99.html"):
        page = send(client, path, open_form(client, path, branch="x"))
        assert page.status_code == 400
        assert "has not been played" in page.text


@pytest.mark.parametrize("name", ["../x", "a/b", ".", "-x", "", "x" * 100, *ATTACKS])
@pytest.mark.parametrize("repository", [False, True])
def test_a_branch_with_a_hostile_name_is_not_made(played: Layout, browse: Browse, name: str, repository: bool) -> None:
    if repository:
        make_repository(played.root)
        commit_all(played.root, "Day 1")
    client, before = browse(played), fingerprint(played.root.parent)
    for step in ("look", "write"):
        page = send(client, BRANCH, open_form(client, BRANCH, branch=name), step)
        assert page.status_code == 400
        assert "<script>alert" not in page.text
        assert "<img" not in page.text
    assert fingerprint(played.root.parent) == before


def test_a_branch_does_not_write_into_what_is_there(played: Layout, browse: Browse) -> None:
    other = played.root.with_name("played-x")
    other.mkdir()
    client = browse(played)
    page = send(client, BRANCH, open_form(client, BRANCH, branch="x"))
    assert page.status_code == 400
    assert f"{other} already exists" in page.text


def test_who_may_only_look_sees_the_moments_and_no_forms(played: Layout, browse: Browse) -> None:
    client = browse(played, read_only=True)
    page = client.get("/history.html")
    assert "Tag 1" in page.text
    assert "edit/" not in page.text
    assert "nur zum Lesen" in page.text
    for path in (SCENE, UNDO, BRANCH):
        assert client.get(path).status_code == 404
        assert client.post(path, data={"step": "write"}).status_code == 404


def test_a_published_site_has_none_of_it(played: Layout, tmp_path: Path) -> None:
    publish(played, tmp_path / "site", frozenset())
    pages = list((tmp_path / "site").rglob("*.html"))
    assert pages
    assert not [path for path in pages if path.name.startswith(("history", "compare"))]
    assert not [path for path in pages if "history.html" in path.read_text(encoding="utf-8")]


def test_two_states_are_held_side_by_side(played: Layout, browse: Browse) -> None:
    client = browse(played)
    assert carry_out(client, BRANCH, branch="anders").status_code == 303
    other = played.root.with_name("played-anders")
    page = client.get("/compare.html", params={"a": str(other), "b": "now"})
    assert "Sie trennen sich bei Tag 1, Szene 3" in words_of(page)
    assert "Beide erzählen dasselbe" in words_of(client.get("/compare.html", params={"a": "now", "b": "now"}))


@pytest.mark.parametrize("name", ["..", "/etc", "HEAD", "day-009", "--output=x", "world", *ATTACKS])
def test_only_states_that_are_listed_are_compared(played: Layout, browse: Browse, name: str) -> None:
    page = browse(played).get("/compare.html", params={"a": name, "b": "now"})
    assert page.status_code == 404
    assert "<script>alert" not in page.text


@pytest.mark.parametrize("attack", ATTACKS)
def test_what_other_worlds_are_called_is_text(dinner: Layout, browse: Browse, attack: str) -> None:
    name = attack.replace("/", "_")
    other = Layout(dinner.root.with_name(name))
    copytree(dinner.root, other.root)
    text = other.settings.read_text("utf-8").replace('"Dinner for Noor"', repr(attack))
    other.settings.write_text(text, encoding="utf-8")
    client: TestClient = browse(dinner)
    for page in (client.get("/history.html"), client.get("/compare.html", params={"a": str(other.root), "b": "now"})):
        assert page.status_code == 200
        assert name in words_of(page)
        for raw in ("<script>alert", "<img src=x", "49{%", "<b>"):
            assert raw not in page.text


def test_looking_runs_no_program_that_a_repository_names(played: Layout, browse: Browse, tmp_path: Path) -> None:
    make_repository(played.root)
    commit_all(played.root, "Day 1")
    mark, program = tmp_path / "mark", tmp_path / "program"
    program.write_text(f"#!/bin/sh\ntouch {mark}\n", encoding="utf-8")
    program.chmod(0o755)
    commit = git(played.root, "cat-file", "commit", "HEAD").partition("\n\n")[0]
    signed = tmp_path / "signed"
    signed.write_text(f"{commit}\ngpgsig -----BEGIN PGP SIGNATURE-----\n \n\nGm-Rewind: day-001\n", encoding="utf-8")
    git(played.root, "update-ref", "HEAD", git(played.root, "hash-object", "-t", "commit", "-w", str(signed)).strip())
    settings = {
        "log.showSignature": "true",
        "gpg.program": program,
        "core.fsmonitor": program,
        "diff.external": program,
        "core.pager": program,
        "core.repositoryFormatVersion": 1,
        "extensions.partialClone": "far",
        "remote.far.url": tmp_path,
        "remote.far.uploadPack": program,
        "protocol.file.allow": "always",
    }
    for name, value in settings.items():
        git(played.root, "config", name, str(value))
    for content in git(played.root, "rev-parse", "HEAD:state/world.json", "HEAD:gm.yaml").split():
        (played.root / ".git/objects" / content[:2] / content[2:]).unlink()
    client = browse(played)
    for path in ("history", "changes", "changes/001", "compare", "compare.html?a=now&b=day-001&"):
        assert client.get(f"/{path}" if "?" in path else f"/{path}.html").status_code == 200
    assert not mark.exists()
