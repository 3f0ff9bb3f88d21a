"""Stand-ins for the Messages API that nobody here wrote, each in a process of its own.

``mock-ai-api`` answers every question alike, or with the error that the model's name asks for (``:mock-429``).
``mockllm`` answers with what stands in a file.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

MOCK_AI_API = "app.anthropic_app:app"
MOCKLLM = "mockllm.server:app"
RUNNING = re.compile(r"running on (http://127\.0\.0\.1:\d+)")


@contextmanager
def serving_foreign(app: str, folder: Path, environment: Mapping[str, str] | None = None) -> Iterator[str]:
    """Start a stand-in on a free port of this machine; gives its address.

    Args:
        app: Which one.
        folder: Where it runs; an empty one, so that it finds no module but its own.
        environment: What it is told.
    """
    command = [sys.executable, "-m", "uvicorn", app, "--host", "127.0.0.1", "--port", "0", "--no-access-log"]
    with subprocess.Popen(
        command, cwd=folder, env={**os.environ, **(environment or {})}, stderr=subprocess.PIPE, text=True
    ) as server:
        assert server.stderr is not None
        try:
            said = []
            for line in server.stderr:
                said.append(line)
                if found := RUNNING.search(line):
                    yield found[1]
                    return
            raise AssertionError(f"{app} did not start: {''.join(said)}")
        finally:
            server.kill()
