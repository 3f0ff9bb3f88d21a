"""What is installed from a wheel works in any folder: prompts and worlds travel with it."""

import json
import os
import re
import subprocess
import sys
import tarfile
import tomllib
import urllib.request
import zipfile
from collections.abc import Sequence
from pathlib import Path

import pytest

from gm.base.errors import DISTRIBUTION
from gm.base.installed import pip_install
from gm.base.packed import read_packed
from gm.files.layout import Layout

ROOT = Path(__file__).parents[1]


MOST_BYTES = 3 * 1024 * 1024


def build(folder: Path, kind: str = "wheel") -> Path:
    """Build from this checkout, as of a moment that is always the same."""
    command = [sys.executable, "-m", "hatchling", "build", "-t", kind, "-d", str(folder)]
    environment = {**os.environ, "SOURCE_DATE_EPOCH": "1764115200"}
    subprocess.run(command, cwd=ROOT, env=environment, check=True, capture_output=True)
    (built,) = (path for path in folder.iterdir() if path.suffix in (".whl", ".gz"))
    return built


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return build(tmp_path_factory.mktemp("wheel"))


@pytest.fixture(scope="module")
def sdist(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return build(tmp_path_factory.mktemp("sdist"), "sdist")


@pytest.fixture(scope="module")
def site(wheel: Path) -> Path:
    """The folder into which the wheel is installed: every test that starts it anew would compile it anew."""
    zipfile.ZipFile(wheel).extractall(wheel.parent / "site")
    return wheel.parent / "site"


@pytest.mark.parametrize("kind", ["wheel", "sdist"])
def test_the_same_files_are_built_to_the_same_bytes(tmp_path: Path, kind: str, request: pytest.FixtureRequest) -> None:
    first, second = request.getfixturevalue(kind), build(tmp_path / "second", kind)
    assert (first.name, first.read_bytes()) == (second.name, second.read_bytes())


def test_the_sdist_holds_the_files_of_the_project_that_its_tests_read(sdist: Path) -> None:
    with tarfile.open(sdist) as archive:
        names = {name.partition("/")[2] for name in archive.getnames()}
    read = (".ci/run", ".github/workflows/ci.yml", ".github/ISSUE_TEMPLATE/bug.yml", ".pre-commit-config.yaml")
    pages = ("CONTRIBUTING.md", "SECURITY.md", "CODE_OF_CONDUCT.md")
    assert {"Makefile", ".pre-commit-hooks.yaml", *read, *pages} <= names


def test_the_wheel_is_small_and_says_what_it_runs_on(wheel: Path) -> None:
    assert wheel.stat().st_size < MOST_BYTES
    with zipfile.ZipFile(wheel) as archive:
        names = archive.namelist()
        (metadata,) = (archive.read(name).decode() for name in names if name.endswith("dist-info/METADATA"))
    assert "gm/worlds/recorded.tar.xz" in names
    assert not [name for name in names if name.startswith("gm/worlds/recorded/") or name.endswith("README.md")]
    said = re.findall(r"^Classifier: Programming Language :: Python :: 3\.(\d+)$", metadata, re.MULTILINE)
    assert said == ["11", "12", "13", "14"]


ONE_AFTER_ANOTHER = """
import json, sys
from gm.cli import gm
from gm.cli.boundary import guarded
for arguments in json.loads(sys.argv[1]):
    if code := guarded(gm, arguments):
        sys.exit(f"gm {' '.join(arguments)}: exit code {code}")
"""


def run_all(calls: Sequence[Sequence[str]], home: Path, folder: Path) -> str:
    """Run commands of the gm in ``home``, and of no other, in one process; return what they printed."""
    environment = {**os.environ, "PYTHONPATH": str(home), "HOME": str(folder)}
    command = [sys.executable, "-c", ONE_AFTER_ANOTHER, json.dumps(calls)]
    done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_packed_days_are_those_of_the_checkout(site: Path, tmp_path: Path) -> None:
    found = {}
    for name, home in (("packed", site), ("here", ROOT)):
        run_all([["init", f"{name}{days}", days] for days in ("--with-day", "--with-days")], home, tmp_path)
        for days in ("--with-day", "--with-days"):
            world = tmp_path / f"{name}{days}"
            files = (path for path in world.rglob("*") if path.is_file() and ".gm" not in path.parts)
            found[name, days] = {path.relative_to(world): path.read_bytes() for path in files}
    assert found["packed", "--with-day"] == found["here", "--with-day"]
    assert found["packed", "--with-days"] == found["here", "--with-days"]
    assert len(found["packed", "--with-days"]) > len(found["packed", "--with-day"]) > 0


IMPORTS = """
import sys
from gm.cli import gm
from gm.cli.boundary import guarded
code = guarded(gm, sys.argv[1:])
print("LOADED", *sorted({name.partition(".")[0] for name in sys.modules}))
sys.exit(code)
"""


@pytest.mark.parametrize(
    "arguments",
    [("--help",), ("status",), ("advance-day", "--model", "rehearsal"), ("check",), ("migrate", "--dry-run")],
)
def test_no_library_of_an_extra_is_loaded_without_need(dinner: Layout, arguments: tuple[str, ...]) -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    for_users = {name: needs for name, needs in project["optional-dependencies"].items() if name not in ("test", "dev")}
    names = {re.split(r"[<>=\[]", need)[0] for needs in for_users.values() for need in needs} - {DISTRIBUTION}
    extras = {MODULES.get(name, name.replace("-", "_")) for name in names}
    assert {"numpy", "pyarrow", "starlette", "mcp", "nh3", "simsimd"} <= extras
    command = [sys.executable, "-c", IMPORTS, *arguments]
    done = subprocess.run(
        command, cwd=dinner.root, env={**os.environ, "PYTHONPATH": str(ROOT)}, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    (loaded,) = (line.split()[1:] for line in done.stdout.splitlines() if line.startswith("LOADED "))
    assert not extras & set(loaded)


MODULES = {"pypandoc-binary": "pypandoc", "sse-starlette": "sse_starlette"}
"""Modules of distributions whose names say another one."""


def test_from_the_wheel_alone_both_worlds_are_made_and_played(tmp_path: Path, site: Path) -> None:
    templates = read_packed(site / "gm/faces/web/templates.tar.bz2", site / "no")
    assert {"base.html", "forms/conflict.html", "macros/agent.html"} <= set(templates)
    assert set(read_packed(site / "gm/faces/web/words.tar.bz2", site / "no")) == {
        "de.yaml",
        "en.yaml",
        "errors.de.yaml",
    }
    scripts = read_packed(site / "gm/faces/web/vendor.tar.xz", site / "no")
    assert "echarts/echarts.min.js" in scripts
    assert not [*(site / "gm/faces/web/static/vendor").rglob("*.js")]
    assert (site / "gm/faces/web/static/vendor/echarts/LICENSE").is_file()
    packed = (
        "faces/web/templates",
        "faces/web/words",
        "faces/book/export/templates",
        "faces/book/words",
        "api/views/words",
    )
    for folder in packed:
        assert read_packed(site / f"gm/{folder}.tar.bz2", site / "no") == read_packed(site / "no", ROOT / "gm" / folder)
        assert not (site / "gm" / folder).exists()
    assert not (site / "gm/faces/web/pictures").exists()
    assert (site / "gm/llm/prices.yaml").is_file()
    assert (site / "gm/py.typed").is_file()
    assert (site / "gm/__init__.pyi").is_file()
    assert (site / "gm/_shipped/prompts/en/short/reply.j2").is_file()
    pages = read_packed(site / "gm/_shipped/docs.tar.bz2", site / "no")
    assert "how-to/in-git.md" in pages
    assert all(path.endswith(".md") for path in pages), "HTML is built beside docs/, which travels whole"
    for template, endings in (("studio", ("html", "epub", "pdf")), ("dinner", ("md",))):
        made = ["init", template, "--template", template]
        played = [[*command, "-w", template] for command in (["advance-day"], ["advance-day", "--dry-run"], ["cost"])]
        exported = [["export", "-w", template, "--to", f"{template}.{ending}"] for ending in endings]
        run_all([made, *played, *exported], site, tmp_path)
        assert "0 errors, 0 warnings" in run_all([["check", "-w", template]], site, tmp_path)
        assert (tmp_path / template / "gallery").is_dir()
    environment = {**os.environ, "PYTHONPATH": str(site), "HOME": str(tmp_path)}
    made = [sys.executable, "-m", "gm", "new", "own", "--language", "en"]
    subprocess.run(made, cwd=tmp_path, env=environment, check=True, capture_output=True)
    assert (tmp_path / "own/state/personas/ada.md").is_file()
    see_pages(tmp_path / "studio", environment)
    run_all([["publish", "site", "-w", "studio"]], site, tmp_path)
    charts = "static/vendor/echarts/echarts.min.js"
    assert (tmp_path / "site" / charts).read_bytes() == (ROOT / "gm/faces/web" / charts).read_bytes()


def see_pages(world: Path, environment: dict[str, str]) -> None:
    """Look at a page, a form, and what both need: templates, words, styles, scripts and fonts travel with the code."""
    command = [sys.executable, "-m", "gm", "view", "-w", str(world), "--port", "0"]
    with subprocess.Popen(command, cwd=world.parent, env=environment, stderr=subprocess.PIPE, text=True) as server:
        try:
            assert server.stderr is not None
            found = re.search(r"http://\S+/", server.stderr.readline())
            assert found is not None
            page = fetch(found[0] + "index.html")
            assert "Studio Brandsohle" in page
            assert "Eine Erinnerung ändern" in fetch(found[0] + "edit/vera/memory/vera-001.html")
            assert "retrieval.last" in fetch(found[0] + "help/reference/settings.html")
            linked = re.findall(r'(?:href|src)="(static/[^"]+)"', page)
            assert {"static/site.css", "static/forms.css", "static/live.js", "static/theme.js"} <= set(linked)
            fonts = re.findall(r"url\(\"(fonts/[^\"]+)\"", fetch(found[0] + "static/site.css"))
            for path in (*linked, *(f"static/{font}" for font in fonts)):
                assert fetch(found[0] + path)
            for script in (ROOT / "gm/faces/web/static/vendor").rglob("*.js"):
                assert fetch(f"{found[0]}static/{script.relative_to(script.parents[2])}") == script.read_text("utf-8")
        finally:
            server.kill()


def fetch(address: str) -> str:
    """Read what stands at an address; a font as far as that goes."""
    with urllib.request.urlopen(address, timeout=30) as answer:
        return bytes(answer.read()).decode(errors="replace")


def test_every_library_that_gm_needs_is_listed_with_its_lower_bound_and_its_licence() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    page = (ROOT / "gm" / "README.md").read_text(encoding="utf-8")
    for requirement in project["dependencies"]:
        name, bound = requirement.split(">=")
        assert re.search(rf"^\| {name} ≥ {re.escape(bound)} \| .+ \| [\w.-]+ \|$", page, re.M), requirement


def test_no_hint_installs_what_belongs_to_another_project() -> None:
    """``gm`` on the package index is not ours."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert project["name"] == DISTRIBUTION != "gm"
    here = Path(__file__).resolve().parents[1]  # where these tests have installed it from
    assert pip_install("web", "book") == f"pip install '{here}[web]' or '{here}[book]'"
    assert set(project["scripts"]) == {"gm", DISTRIBUTION}
    files = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=True).stdout.split()
    for path in (ROOT / name for name in files if name.endswith((".py", ".md", ".toml", ".yaml", ".html", ".j2"))):
        found = re.findall(r"(?<![\w.-])gm\[\w|pip install (?:-e )?'?gm(?![\w-])", path.read_text(encoding="utf-8"))
        assert not found or path == Path(__file__), f"{path}: {found}"
