"""A world that holds everything hand-made files may hold is adopted and goes on; git sees only what was added."""

import subprocess
from pathlib import Path

from gm.cli import gm
from gm.cli.boundary import guarded
from gm.files.layout import Layout
from tests.files.check.handmade import make_handmade


def git(layout: Layout, *arguments: str) -> str:
    who = ["-c", "user.name=gm", "-c", "user.email=gm@example.invalid", "-c", "core.autocrlf=false"]
    done = subprocess.run(["git", *who, *arguments], cwd=layout.root, capture_output=True, check=True)
    return done.stdout.decode()


def test_after_adopting_a_day_only_appends_lines_and_changes_values(tmp_path: Path) -> None:
    layout = make_handmade(tmp_path / "world")
    lines = layout.bulletin.read_bytes().split(b"\n")
    layout.bulletin.write_bytes(b"\n".join([*lines[:2], lines[2] + b",", *lines[3:]]))
    git(layout, "init", "--quiet")
    git(layout, "add", "--all")
    git(layout, "commit", "--quiet", "--message", "as it was")
    world = str(layout.root)
    assert guarded(gm, ["adopt", world]) == 0
    assert git(layout, "diff", "--numstat") == ""
    assert guarded(gm, ["advance-day", "--world", world, "--model", "rehearsal"]) == 0
    changed = {}
    for row in git(layout, "diff", "--numstat").splitlines():
        added, removed, path = row.split("\t")
        changed[path] = (int(added), int(removed))
    kept_whole = {path for path in changed if path.endswith(".jsonl")}
    assert kept_whole == {"state/memories/mina.jsonl", "state/memories/otto.jsonl"}
    # a line without its line end gets one; nothing else of an old line changes
    assert changed["state/memories/mina.jsonl"][1] == 0
    assert changed["state/memories/otto.jsonl"][1] <= 1
    assert set(changed) - kept_whole <= {"state/world.json", "state/agents/mina.json", "state/agents/otto.json"}
    for path in kept_whole:
        old = subprocess.run(["git", "show", f"HEAD:{path}"], cwd=layout.root, capture_output=True, check=True).stdout
        assert (layout.root / path).read_bytes().startswith(old)
