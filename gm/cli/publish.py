"""``gm publish``: the pages of a world written as a static site."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path

import click

from gm.cli.options import json_option, kept_back, world_option
from gm.cli.terminal import counted, out_json, say
from gm.config.pages import ALWAYS_SHOWN, PRIVATE
from gm.errors import GmError, UsageError
from gm.store.layout import Layout


@click.command()
@world_option
@json_option
@click.argument("folder", metavar="DIR", type=click.Path(path_type=Path))
@click.option("--private", metavar="NAMES", help=f"What is kept back, of {', '.join(PRIVATE)}.")
@click.option("--all", "everything", is_flag=True, help="Keep nothing back.")
@click.option("--force", is_flag=True, help="Write over files that gm did not make, or that were changed by hand.")
def publish(layout: Layout, folder: Path, private: str | None, everything: bool, force: bool, as_json: bool) -> None:
    """Write the world's pages as a static site into DIR.

    The site works in any folder, on any static host, and opened from the disk; no page loads anything from elsewhere.
    Publishing again renews what has changed. It needs the extra gm[web].
    """
    try:
        import nh3 as _sanitiser  # noqa: F401
        import starlette as _framework  # noqa: F401
    except ImportError as error:
        raise GmError("the packages for pages are not installed", "pip install 'gm[web]'") from error
    from gm.web.publish import publish as write

    hidden = _hidden(layout, private, everything)
    done = write(layout, folder, hidden, force=force)
    if as_json:
        out_json({**asdict(done), "folder": str(folder), "kept_back": list(done.kept_back)})
        return
    pages = sum(done.pages.values())
    written = counted(len(done.files.written), "file")
    say(f"{counted(pages, 'page')} in {folder}: {written} written, {done.files.unchanged} unchanged")
    if done.kept_back:
        say("kept back: " + ", ".join(done.kept_back))
    shown = [name for name in PRIVATE if name not in done.kept_back]
    say("shown: " + ", ".join((*ALWAYS_SHOWN, *shown)) + "; publish.private, --private and --all change that")


def _hidden(layout: Layout, private: str | None, everything: bool) -> frozenset[str]:
    if everything and private is not None:
        raise UsageError("--all and --private exclude each other", "take one of them")
    if everything:
        return frozenset()
    if private is None:
        return frozenset(kept_back(layout))
    names = [name.strip() for name in private.split(",") if name.strip()]
    unknown = [name for name in names if name not in PRIVATE]
    if unknown:
        raise UsageError(f"nothing private is called {unknown[0]!r}", "there are: " + ", ".join(PRIVATE))
    return frozenset(names)
