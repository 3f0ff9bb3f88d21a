"""Pages without a server: the application is asked directly."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack

import pytest
from starlette.testclient import TestClient

from gm.faces.web.app import make_app
from gm.faces.web.stage.run import StageRun
from gm.files.layout import Layout

Browse = Callable[..., TestClient]
ADDRESS = "http://127.0.0.1:8765"


@pytest.fixture
def browse() -> Iterator[Browse]:
    """Make a client for a world's pages; an exception in a page is the test's own."""
    with ExitStack() as open_clients:

        def make(layout: Layout, *, read_only: bool = False, run: StageRun | None = None) -> TestClient:
            app = make_app(layout, read_only=read_only, run=run)
            # entered, all its requests share one event loop and one thread instead of starting their own
            return open_clients.enter_context(TestClient(app, base_url=ADDRESS, headers={"Origin": ADDRESS}))

        yield make
