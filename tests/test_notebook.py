"""The notebook of the documentation runs from top to bottom."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

import gm

ROOT = Path(gm.__file__).parents[1]


@pytest.mark.slow
def test_the_notebook_runs_and_says_what_it_shows(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    nbformat, nbclient = pytest.importorskip("nbformat"), pytest.importorskip("nbclient")
    for name in ("HOME", "TMPDIR", "IPYTHONDIR", "JUPYTER_RUNTIME_DIR", "JUPYTER_DATA_DIR", "JUPYTER_CONFIG_DIR"):
        monkeypatch.setenv(name, str(tmp_path))
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join((str(ROOT), os.environ.get("PYTHONPATH", ""))))
    notebook = nbformat.read(ROOT / "docs" / "notebook.ipynb", as_version=4)
    assert not [cell for cell in notebook.cells if cell.get("outputs")], "it is committed without outputs"
    nbclient.NotebookClient(notebook, timeout=120, resources={"metadata": {"path": str(tmp_path)}}).execute()
    outputs = [output for cell in notebook.cells for output in cell.get("outputs", ())]
    assert not [output for output in outputs if output.get("name") == "stderr"]
    said = "".join(output.get("text", "") or output["data"]["text/plain"] for output in outputs)
    for part in (
        "DayResult(day=2",
        "day 1, scene 1: arrival with alex, casey, jordan",
        "casey-001 day-001/scene-01",
        "memories.parquet True",
        "casey-002 From “You have eighty dollars",
        "made with rehearsal",
        "they part at day-001/",
        "day-001 -> day-002/",
    ):
        assert part in said
