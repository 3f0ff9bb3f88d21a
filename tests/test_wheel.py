"""What is installed from a wheel works in any folder: prompts and worlds travel with it."""

import os
import re
import subprocess
import sys
import tomllib
import urllib.request
import zipfile
from pathlib import Path

from gm.base.errors import DISTRIBUTION, pip_install

ROOT = Path(__file__).parents[1]


def test_from_the_wheel_alone_both_worlds_are_made_and_played(tmp_path: Path) -> None:
    build = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(tmp_path)]
    subprocess.run(build, cwd=ROOT, check=True, capture_output=True)
    (wheel,) = tmp_path.glob("*.whl")
    site, elsewhere = tmp_path / "site", tmp_path / "elsewhere"
    elsewhere.mkdir()
    zipfile.ZipFile(wheel).extractall(site)
    assert (site / "gm/faces/web/templates").is_dir()
    assert not (site / "gm/faces/web/pictures").exists()
    assert (site / "gm/llm/prices.yaml").is_file()
    assert (site / "gm/py.typed").is_file()
    assert (site / "gm/_shipped/prompts/en/short/reply.j2").is_file()
    assert (site / "gm/_shipped/docs/reference/settings.md").is_file()
    assert not list((site / "gm/_shipped/docs").rglob("*.html")), "HTML is built beside docs/, which travels whole"
    environment = {**os.environ, "PYTHONPATH": str(site), "HOME": str(tmp_path)}
    for template in ("studio", "dinner"):
        for arguments in (
            ["init", template, "--template", template],
            ["advance-day", "-w", template],
            ["advance-day", "-w", template, "--dry-run"],
            ["cost", "-w", template],
            *(["export", "-w", template, "--to", f"{template}.{ending}"] for ending in ("md", "html", "epub", "pdf")),
            ["check", "-w", template],
        ):
            done = subprocess.run(
                [sys.executable, "-m", "gm", *arguments], cwd=elsewhere, env=environment, capture_output=True, text=True
            )
            assert done.returncode == 0, done.stderr
        assert "0 errors, 0 warnings" in done.stdout
        assert (elsewhere / template / "gallery").is_dir()
    made = [sys.executable, "-m", "gm", "new", "own", "--language", "en"]
    subprocess.run(made, cwd=elsewhere, env=environment, check=True, capture_output=True)
    assert (elsewhere / "own/state/personas/ada.md").is_file()
    see_pages(elsewhere / "studio", environment)


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
    assert pip_install("web", "book") == f"pip install '{DISTRIBUTION}[web]' or '{DISTRIBUTION}[book]'"
    assert set(project["scripts"]) == {"gm", DISTRIBUTION}
    files = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=True).stdout.split()
    for path in (ROOT / name for name in files if name.endswith((".py", ".md", ".toml", ".yaml", ".html", ".j2"))):
        found = re.findall(r"(?<![\w.-])gm\[\w|pip install (?:-e )?'?gm(?![\w-])", path.read_text(encoding="utf-8"))
        assert not found or path == Path(__file__), f"{path}: {found}"
