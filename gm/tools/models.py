"""Which model plays a world."""

from __future__ import annotations

import os
from collections.abc import Callable

from gm.errors import BrokenWorldError, errors_in
from gm.llm.base import Surroundings
from gm.llm.choose import Choice, choose_backend
from gm.store.layout import Layout
from gm.store.load import load_settings
from gm.store.mailbox import PostFolder
from gm.store.traces import TraceReader


def choose_for(layout: Layout, wanted: str | None, notice: Callable[[str], None] | None = None) -> Choice:
    """Choose the backend of a run: by ``--model`` if given, else by ``gm.yaml``.

    Raises:
        BrokenWorldError: ``gm.yaml`` cannot be read.
        BackendError: The model that is wanted cannot be asked from here.
    """
    settings, problems = load_settings(layout)
    errors = errors_in(problems)
    if errors:
        raise BrokenWorldError("gm.yaml cannot be read", "correct it by hand; nothing was changed", errors)
    source = "--model" if wanted else "gm.yaml"
    around = Surroundings(
        settings=settings.llm,
        models=settings.models.by_purpose(),
        environment=os.environ,
        notice=notice,
        postbox=PostFolder(layout),
        recordings=TraceReader(layout.traces),
    )
    return choose_backend(wanted or settings.model, source, around)
