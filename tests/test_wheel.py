"""What is installed from a wheel works in any folder: prompts and worlds travel with it."""

import os
import subprocess
import sys
import zipfile
from pathlib import Path

ROOT = Path(__file__).parents[1]


def test_from_the_wheel_alone_both_worlds_are_made_and_played(tmp_path: Path) -> None:
    build = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(tmp_path)]
    subprocess.run(build, cwd=ROOT, check=True, capture_output=True)
    (wheel,) = tmp_path.glob("*.whl")
    site, elsewhere = tmp_path / "site", tmp_path / "elsewhere"
    elsewhere.mkdir()
    zipfile.ZipFile(wheel).extractall(site)
    assert (site / "gm/llm/prices.yaml").is_file()
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
