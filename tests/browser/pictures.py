"""Take the pictures of README and docs anew: the same world and pages every time, each by day and by night.

``make pictures``, or ``python -m tests.browser.pictures [FOLDER]``. It needs Chromium; pngquant, where it is installed,
makes the files a third as big. What letters look like in them depends on the Chromium that took them.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from playwright.sync_api import Browser

from gm.api.worlds.create import create_world
from gm.files.layout import Layout
from tests.browser.chromium import find_chromium, started
from tests.browser.serving import served
from tests.stories.playing import play, set_sections

PICTURES = Path(__file__).parents[2] / "gm" / "faces" / "web" / "pictures"
DAYS = 9
LAYERS = "relationships: on\ndiary: on\nsoul: on\n"
WIDTH, HEIGHT = 1200, 780
SCHEMES = ("light", "dark")
Shot = tuple[str, str, str]
RECORDED: tuple[Shot, ...] = (("today", "index.html", ""), ("day", "days/001.html#scene-04", ""))
CONTINUED: tuple[Shot, ...] = (("portrait", "agents/vera.html", ""), ("graphs", "graphs.html", "figure"))


def main(arguments: list[str]) -> int:
    """Make the worlds, look at the pages, and say how big the pictures are."""
    path = find_chromium()
    if path is None:
        sys.stderr.write("SKIPPED: there is no Chromium here, so no picture was taken\n")
        return 0
    target = Path(arguments[0]) if arguments else PICTURES
    target.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as folder:
        recorded = create_world(Path(folder, "recorded"), "studio", days=1)
        continued = create_world(Path(folder, "continued"), "studio", days=1)
        set_sections(continued.settings, LAYERS)
        play(continued, days=DAYS)
        with started(path) as browser:
            taken = [*take(browser, recorded, RECORDED, target), *take(browser, continued, CONTINUED, target)]
    for picture in taken:
        _squeeze(picture)
        sys.stdout.write(f"{picture.name}: {picture.stat().st_size // 1000} KB\n")
    return 0


def take(browser: Browser, layout: Layout, shots: tuple[Shot, ...], target: Path) -> list[Path]:
    """Take pictures of pages of one world.

    Args:
        browser: Running.
        layout: The world.
        shots: Name, address below the first page, and what is scrolled to the top of the window, if anything.
        target: Where the files go.
    """
    taken = []
    with served(layout.root, "--read-only") as root:
        for scheme in SCHEMES:
            context = browser.new_context(
                viewport={"width": WIDTH, "height": HEIGHT},
                color_scheme="dark" if scheme == "dark" else "light",
                reduced_motion="reduce",
            )
            page = context.new_page()
            for name, address, top in shots:
                page.goto(root + address)
                page.wait_for_function("document.fonts.status === 'loaded'")
                if top:
                    page.locator(f"{top} svg").first.wait_for()
                    page.locator(top).first.evaluate("part => scrollTo(0, part.getBoundingClientRect().top - 70)")
                taken.append(target / f"{name}-{scheme}.png")
                page.screenshot(path=taken[-1])
            context.close()
    return taken


def _squeeze(picture: Path) -> None:
    """Make a picture smaller; it stays as it is where there is nothing to do that."""
    if command := shutil.which("pngquant"):
        subprocess.run([command, "--force", "--strip", "--skip-if-larger", "--output", picture, picture], check=False)


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
