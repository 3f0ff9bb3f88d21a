"""Stand-ins for the APIs of models that nobody here wrote, each in a process of its own.

``llmock`` speaks for many providers, fills the schema of a question to OpenAI's API, fails as it is told, and judges
how its clients took that. ``mockllm`` answers the Messages API with what stands in a file.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

LLMOCK = "llmock.main:app"
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
