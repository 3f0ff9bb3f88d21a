"""Files that a played world has lost."""

from __future__ import annotations

from gm.base.config import Settings
from gm.files.formats.text import is_there
from gm.files.layout import Layout
from gm.files.story.now import is_other_weekday, load_clock, report_lost_logbooks


def describe_missing(layout: Layout) -> list[str]:
    """Return a sentence for each file that a played world lacks."""
    missing = [str(problem) for problem in report_lost_logbooks(layout)]
    if not is_there(layout.settings) and layout.logged_days() and _had_settings(layout):
        missing.append(f"gm.yaml is absent: all settings are the defaults, with language: {Settings().language}")
    return missing


def _had_settings(layout: Layout) -> bool:
    """Return whether the clock or git knows of a ``gm.yaml``."""
    if is_other_weekday(Settings(), load_clock(layout)[0]):
        return True
    from gm.api.history.git import repository_around

    repository = repository_around(layout.root)
    return bool(
        repository
        and repository.run("ls-files", "-z", "--", f"{repository.prefix}{layout.settings.name}", fine=(0, 128))
    )
