"""The documentation is built by Sphinx without a warning, and loads nothing from elsewhere."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.docs.pages import DOCS, ROOT, doc_pages


@pytest.mark.slow
def test_the_documentation_is_built_without_a_warning(tmp_path: Path) -> None:
    options = ["-W", "--keep-going", "-n", "-q", "-d", str(tmp_path / "trees")]
    done = subprocess.run(
        [sys.executable, "-m", "sphinx", *options, "-b", "html", str(DOCS), str(tmp_path / "html")],
        cwd=ROOT,
        capture_output=True,
        text=True,
    )
    assert (done.returncode, done.stderr) == (0, "")
    for page in doc_pages():
        built = (tmp_path / "html" / page.relative_to(DOCS)).with_suffix(".html").read_text(encoding="utf-8")
        loaded = re.findall(r'<(?:script|link|img)\b[^>]*?(?:src|href)="(https?:[^"]+)"', built)
        assert not loaded, page.name
