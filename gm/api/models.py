"""Which model plays a world."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from dataclasses import replace

from gm.base.errors import refuse_errors
from gm.files.layout import Layout
from gm.files.load import load_settings
from gm.files.mailbox import PostFolder
from gm.files.traces import TraceReader
from gm.files.writing import WritingNote
from gm.llm.base import Surroundings
from gm.llm.choose import Choice, choose_backend, missing_key
from gm.llm.streams import Writing


def choose_for(
    layout: Layout,
    wanted: str | None,
    notice: Callable[[str], None] | None = None,
    writing: Writing | None = None,
    *,
    asking: bool = True,
) -> Choice:
    """Choose the backend of a run, by ``--model`` (``wanted``) or ``gm.yaml``.

    Args:
        asking: If False, no key is needed (for prices only).

    Raises:
        BrokenWorldError: ``gm.yaml`` cannot be read.
        BackendError: The model cannot be asked from here.
    """
    settings, problems = load_settings(layout)
    refuse_errors(problems, "gm.yaml cannot be read", "correct it by hand; nothing was changed")
    source = "--model" if wanted else "gm.yaml"
    name = wanted or settings.model
    environment: Mapping[str, str] = os.environ
    missing = "" if asking else missing_key(name, environment)
    if missing:
        environment = {**environment, missing: "none-needed"}
    around = Surroundings(
        settings=settings.llm,
        reply=settings.reply,
        models=settings.models.by_purpose(),
        environment=environment,
        notice=notice,
        writing=WritingNote(layout, writing) if writing else None,
        postbox=PostFolder(layout),
        recordings=TraceReader(layout.traces, layout.asks),
    )
    choice = choose_backend(name, source, around)
    return replace(choice, why=f"asked for by {source}; there is no key yet") if missing else choice
