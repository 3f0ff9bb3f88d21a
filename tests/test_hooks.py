"""What other repositories take from this one: a hook for pre-commit and a workflow."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path
from typing import Any

import yaml

from gm.base.errors import DISTRIBUTION

ROOT = Path(__file__).parents[1]
SCRIPTS = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["scripts"]


def test_the_hook_calls_a_command_of_the_distribution_for_the_files_of_a_world() -> None:
    (hook,) = yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text(encoding="utf-8"))
    command, *arguments = hook["entry"].split()
    assert (hook["id"], hook["language"], hook["pass_filenames"]) == ("gm-check", "python", False)
    assert command == DISTRIBUTION in SCRIPTS
    assert arguments == ["check"]
    files = re.compile(hook["files"])
    for path in ("gm.yaml", "state/world.json", "worlds/one/state/personas/mina.md", "worlds/one/gm.yaml"):
        assert files.search(path), path
    assert not files.search("README.md")


def test_the_workflow_is_called_by_others_and_installs_the_distribution() -> None:
    text = (ROOT / ".github/workflows/check-world.yml").read_text(encoding="utf-8")
    # YAML 1.1 reads the key "on" as true
    workflow: dict[Any, Any] = yaml.safe_load(text)
    inputs = workflow[True]["workflow_call"]["inputs"]
    assert set(inputs) == {"world", "version", "python-version"}
    runs = [step["run"] for step in workflow["jobs"]["check"]["steps"] if "run" in step]
    assert runs == [f'python -m pip install "{DISTRIBUTION}$VERSION"', f'{DISTRIBUTION} check -w "$WORLD"']
    assert "${{" not in "".join(runs), "an input never becomes a part of a script"
