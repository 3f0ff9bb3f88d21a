"""List and call all memory tools with the MCP Inspector's command line: a client that is not ours.

``make inspector``, or ``python -m tests.faces.mcp.inspector``. It needs npx and the network, so it is not part of the
suite; where there is no npx it says so and does nothing. ``GM_INSPECTOR`` names another command, such as an installed
``mcp-inspector``.
"""

from __future__ import annotations

import json
import os
import shlex
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from gm.api.editing.gift import give_memories
from gm.api.playing.mind.minds import TOOLS, answer_call
from gm.api.worlds.create import create_world
from gm.files.layout import Layout
from tests.faces.mcp.arguments import ARGUMENTS

COMMAND = "npx -y -p node@22 -p @modelcontextprotocol/inspector@2.12.0 mcp-inspector"
"""The Inspector needs node 22, which may be newer than what is installed: npm has it as a package."""
TIMEOUT_S = 300
SHOWN_CHARACTERS = 90


def main() -> int:
    """Make a world, call everything, and say a line for each call."""
    command = shlex.split(os.environ.get("GM_INSPECTOR", COMMAND))
    if shutil.which(command[0]) is None:
        sys.stderr.write(f"SKIPPED: there is no {command[0]} here, so the Inspector was not run\n")
        return 0
    with tempfile.TemporaryDirectory() as folder:
        layout = create_world(Path(folder) / "dinner", "dinner")
        give_memories(layout)
        (form,) = (tool for tool in TOOLS if tool.name == "form_memory")
        for text in ("The lemon lies on the sill.", "Casey counts the chairs."):
            answer_call(layout, "alex", form, {"content": text, "importance": 5}, lambda _notice: None)
        inspector = Inspector(command, layout, Path(folder) / "home")
        names = [tool["name"] for tool in inspector.ask("tools/list")["tools"]]
        say(f"tools/list: {len(names)} tools")
        failed = names != [tool.name for tool in TOOLS]
        for name in names:
            failed |= call(inspector, name)
    say("failed" if failed else "all tools were listed and called")
    return int(failed)


def say(text: str) -> None:
    """Write a line to standard output, at once."""
    sys.stdout.write(f"{text}\n")
    sys.stdout.flush()


def call(inspector: Inspector, name: str) -> bool:
    """Call a tool; tells whether that failed."""
    result = inspector.ask("tools/call", name, ARGUMENTS.get(name, {}))
    text = result["content"][0]["text"]
    wrong = bool(result.get("isError")) or json.loads(text) != result["structuredContent"]
    notices = result.get("_meta", {}).get("gm/notices", ())
    beside = f"  ({'; '.join(notices)})" if notices else ""
    say(f"{'FAILED ' if wrong else ''}{name}: {' '.join(text.split())[:SHOWN_CHARACTERS]}{beside}")
    return wrong


class Inspector:
    """Runs the Inspector on a world, once for each question, each time with a server of its own."""

    def __init__(self, command: Sequence[str], layout: Layout, home: Path) -> None:
        self._command = command
        self._server = [sys.executable, "-m", "gm", "mcp", "-w", str(layout.root), "--agent", "alex"]
        self._environment = {**os.environ, "MCP_CATALOG_PATH": str(home / "catalog.json")}

    def ask(self, method: str, tool: str = "", arguments: Mapping[str, Any] | None = None) -> Any:
        """Ask one thing; fails loudly when the Inspector does."""
        named = ["--tool-name", tool] if tool else []
        given = [part for key, value in (arguments or {}).items() for part in ("--tool-arg", f"{key}={value}")]
        asked = [*self._command, "--cli", *self._server, "--method", method, *named, *given]
        done = subprocess.run(
            asked, env=self._environment, capture_output=True, text=True, timeout=TIMEOUT_S, check=False
        )
        if done.returncode:
            raise SystemExit(f"the Inspector failed with {done.returncode}:\n{done.stderr or done.stdout}")
        return json.loads(done.stdout)


if __name__ == "__main__":
    sys.exit(main())
