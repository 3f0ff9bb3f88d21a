"""What a release says of itself: one version everywhere, a changelog, listed decisions, forms that can be read."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path
from typing import Any

import pytest
import yaml
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

import gm

ROOT = Path(__file__).parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
ADR = ROOT / "docs/adr"
WORKFLOWS = ROOT / ".github/workflows"
FOR_DEVELOPERS = {"dev", "docs", "test"}
PAGES = [ROOT / name for name in ("CONTRIBUTING.md", "SECURITY.md", "CODE_OF_CONDUCT.md")]


def read(path: str) -> str:
    return (ROOT / path).read_text(encoding="utf-8")


def load(path: str) -> dict[Any, Any]:
    data = yaml.safe_load(read(path))
    assert isinstance(data, dict)
    return data


def test_one_version_stands_everywhere() -> None:
    citation = load("CITATION.cff")
    assert PROJECT["project"]["version"] == gm.__version__ == citation["version"]
    (head, *_) = re.findall(r"^## (.+)$", read("CHANGELOG.md"), re.MULTILINE)
    assert head == f"{gm.__version__} – {citation.get('date-released', 'unreleased')}"


def test_versions_of_the_changelog_fall_and_have_a_date() -> None:
    heads = re.findall(r"^## (\d+)\.(\d+)\.(\d+) – (\d{4}-\d\d-\d\d)$", read("CHANGELOG.md"), re.MULTILINE)
    numbers = [tuple(map(int, head[:3])) for head in heads]
    assert numbers == sorted(set(numbers), reverse=True)
    assert [head[3] for head in heads] == sorted((head[3] for head in heads), reverse=True)
    waiting = len(re.findall(r"^## \d+\.\d+\.\d+ – unreleased$", read("CHANGELOG.md"), re.MULTILINE))
    assert waiting <= 1
    assert len(heads) == len(re.findall(r"^## ", read("CHANGELOG.md"), re.MULTILINE)) - waiting


def test_the_supported_version_is_this_one() -> None:
    assert f"| {'.'.join(gm.__version__.split('.')[:2])} | yes |" in read("SECURITY.md")


def test_every_decision_is_listed_and_has_its_four_parts() -> None:
    files = sorted(path.name for path in ADR.glob("[0-9]*.md"))
    listed = re.findall(r"^\| \[(\d{4})\]\((.+?)\) \| (.+?) \|$", read("docs/adr/index.md"), re.MULTILINE)
    assert [name for _, name, _ in listed] == files
    for number, name, title in listed:
        text = (ADR / name).read_text(encoding="utf-8")
        assert text.startswith(f"# {number} {title}\n")
        assert re.findall(r"^## (.+)$", text, re.MULTILINE) == ["Context", "Decision", "Consequences", "Considered"]


def test_files_that_the_pages_mention_exist() -> None:
    for page in (*PAGES, *ADR.glob("*.md")):
        for path in re.findall(r"`((?:gm|tests|docs|prompts)/[\w./-]+)`", page.read_text(encoding="utf-8")):
            assert (ROOT / path).exists(), f"{page.name}: {path}"


def test_the_hosted_workflow_runs_what_can_be_run_here_on_every_declared_python() -> None:
    workflow = load(".github/workflows/ci.yml")
    job = workflow["jobs"]["tests"]
    assert "bash .ci/run" in [step.get("run") for step in job["steps"]]
    (setup,) = (step for step in job["steps"] if "setup-python" in step.get("uses", ""))
    versions = setup["with"]["python-version"].split()
    said = re.findall(r"Python :: (3\.\d+)", " ".join(PROJECT["project"]["classifiers"]))
    assert sorted(versions) == sorted(said)
    assert [step["env"] for step in job["steps"] if "env" in step] == [{"PYTHON": f"python{min(said, key=minor)}"}]
    assert workflow["permissions"] == {"contents": "read"}


def test_the_hosted_workflow_runs_the_quick_tests_on_macos_as_the_page_on_installing_says() -> None:
    job = load(".github/workflows/ci.yml")["jobs"]["macos"]
    assert (job["runs-on"], job["steps"][-1]["run"]) == ("macos-latest", "make quick")
    assert "its quick part on macOS" in read("docs/how-to/installing.md")


def test_a_tag_is_built_and_tried_before_what_was_built_is_uploaded_without_a_token() -> None:
    workflow = load(".github/workflows/release.yml")
    build, upload = workflow["jobs"]["build"], workflow["jobs"]["upload"]
    assert (workflow[True], workflow["permissions"]) == ({"push": {"tags": ["v*"]}}, {"contents": "read"})
    assert (upload["needs"], upload["environment"], upload["permissions"]) == ("build", "pypi", {"id-token": "write"})
    assert "secrets." not in read(".github/workflows/release.yml")
    assert build["steps"][1] == load(".github/workflows/ci.yml")["jobs"]["tests"]["steps"][1]  # the same Pythons
    runs = [step["run"] for step in build["steps"] if "run" in step]
    assert [run for run in runs if run.startswith("make ")] == ["make installed PYTHON=python3.11", "make sbom"]


def test_the_whole_soak_runs_by_itself() -> None:
    workflow = load(".github/workflows/soak.yml")
    assert "schedule" in workflow[True]
    assert "make soak" in [step.get("run") for step in workflow["jobs"]["soak"]["steps"]]


def test_the_documentation_is_built_for_each_change_and_put_online_from_main_only() -> None:
    workflow = load(".github/workflows/docs.yml")
    build, publish = workflow["jobs"]["build"], workflow["jobs"]["publish"]
    assert workflow[True].keys() == {"push", "pull_request"}
    assert [step["run"] for step in build["steps"] if "run" in step] == ["make docs", "git diff --exit-code"]
    assert build["steps"][-1]["with"]["path"] == re.search(r"-b html docs (\S+)", read("Makefile"))[1]  # type: ignore[index]
    assert (publish["if"], publish["needs"]) == ("github.ref == 'refs/heads/main'", "build")
    assert (workflow["permissions"], publish["permissions"]) == (
        {"contents": "read"},
        {"pages": "write", "id-token": "write"},
    )


def test_workflows_name_actions_by_their_commit() -> None:
    used = [
        name
        for path in WORKFLOWS.glob("*.yml")
        for name in re.findall(r"- uses: (\S+)", path.read_text(encoding="utf-8"))
    ]
    assert len(used) >= 5
    assert [name for name in used if not re.fullmatch(r"[\w./-]+@[0-9a-f]{40}", name)] == []


def test_the_hook_and_the_continuous_integration_format_with_the_same_version() -> None:
    (hook,) = (repo for repo in load(".pre-commit-config.yaml")["repos"] if "ruff" in repo["repo"])
    (ruff,) = (one for one in PROJECT["project"]["optional-dependencies"]["dev"] if one.startswith("ruff"))
    assert ruff == f"ruff=={hook['rev'].removeprefix('v')}"


def test_the_libraries_of_a_development_environment_are_pinned_within_the_declared_bounds() -> None:
    pinned = re.findall(r"^([\w.-]+)==([\w.]+)", read(".ci/constraints.txt"), re.MULTILINE)
    versions: dict[str, list[str]] = {}
    for name, version in pinned:
        versions.setdefault(canonicalize_name(name), []).append(version)
    extras = PROJECT["project"]["optional-dependencies"]
    (of_gm,) = (Requirement(one) for one in extras["dev"] if one.startswith("gm-worlds["))
    declared = [
        *PROJECT["project"]["dependencies"],
        *extras["dev"],
        *(one for name in of_gm.extras for one in extras[name]),
    ]
    needed = [one for one in map(Requirement, declared) if one.name != "gm-worlds"]
    assert len(needed) > 40
    for one in needed:
        found = versions.get(canonicalize_name(one.name), [])
        assert found, f"{one} is not in .ci/constraints.txt: make constraints"
        assert all(one.specifier.contains(version) for version in found), f"{one}: {found}"
    assert "--constraint .ci/constraints.txt" in read("Makefile")
    assert "make lint" in [step.get("run") for step in load(".github/workflows/ci.yml")["jobs"]["lint"]["steps"]]


def test_contributing_names_what_continuous_integration_runs() -> None:
    targets = re.findall(r"^make (\w+)$", read(".ci/run"), re.MULTILINE)
    named = ", ".join(f"`make {target}`" for target in targets)
    assert (targets[0], targets[-1]) == ("test", "soak")
    assert f"| `bash .ci/run` | what the hosted workflow runs: {named} |" in read("CONTRIBUTING.md")


def test_the_page_on_installing_names_every_extra_for_users() -> None:
    (listed,) = re.findall(r"Extras: (.+)\.$", read("docs/how-to/installing.md"), re.MULTILINE)
    assert set(re.findall(r"`([\w-]+)`", listed)) == PROJECT["project"]["optional-dependencies"].keys() - FOR_DEVELOPERS


def minor(version: str) -> int:
    return int(version.partition(".")[2])


def test_hooks_are_pinned_or_of_the_project() -> None:
    repos = load(".pre-commit-config.yaml")["repos"]
    hooks = {hook["id"]: (repo, hook) for repo in repos for hook in repo["hooks"]}
    assert {"ruff-check", "ruff-format", "mypy", "gm-check"} == hooks.keys()
    for repo, hook in hooks.values():
        pinned = re.fullmatch(r"v\d+\.\d+\.\d+", repo.get("rev", ""))
        assert pinned or (repo["repo"] == "local" and hook["entry"].startswith(".venv/bin/"))


@pytest.mark.parametrize("path", sorted((ROOT / ".github/ISSUE_TEMPLATE").glob("*.yml")), ids=lambda path: path.stem)
def test_forms_of_issues_have_fields_with_names_of_their_own(path: Path) -> None:
    form = load(path.relative_to(ROOT).as_posix())
    if path.stem == "config":
        assert form == {"blank_issues_enabled": False}
        return
    assert form.keys() >= {"name", "description", "body"}
    fields = [item for item in form["body"] if item["type"] != "markdown"]
    ids = [item["id"] for item in fields]
    assert len(set(ids)) == len(ids) > 0
    assert all(item["attributes"]["label"] for item in fields)
