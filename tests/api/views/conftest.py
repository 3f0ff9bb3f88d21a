"""The story that several views tell."""

from __future__ import annotations

import pytest

from gm.files.layout import Layout
from tests.api.views.story import make_story


@pytest.fixture(scope="module")
def story(tmp_path_factory: pytest.TempPathFactory) -> Layout:
    return make_story(tmp_path_factory.mktemp("story"))
