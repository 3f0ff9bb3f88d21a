"""Pages without a server: the application is asked directly."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from starlette.testclient import TestClient

from gm.faces.web.app import make_app
from gm.files.layout import Layout

Browse = Callable[..., TestClient]
ADDRESS = "http://127.0.0.1:8765"


@pytest.fixture
def browse() -> Browse:
    """Make a client for a world's pages; an exception in a page is the test's own."""

    def make(layout: Layout, *, read_only: bool = False) -> TestClient:
        return TestClient(make_app(layout, read_only=read_only), base_url=ADDRESS, headers={"Origin": ADDRESS})

    return make
