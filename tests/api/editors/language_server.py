"""Open the corpus in a yaml-language-server, as VS Code does, and compare what it reports with ``gm check``.

``make languageserver``, or ``python -m tests.api.editors.language_server``. It needs npx and the network, and so is no
part of the suite; where there is no npx it says so and does nothing. ``GM_LANGUAGE_SERVER`` names another command, such
as an installed ``yaml-language-server``.
"""

from __future__ import annotations

import json
import os
import shlex
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from gm.api.check import check_world
from gm.api.editors import add_editor_files
from gm.files.beside import VSCODE
from gm.files.layout import Layout
from tests.api.editors.corpus import Case, cases, make_world

COMMAND = "npx -y yaml-language-server@1.25.0"
DEFAULTS = {"validate": True, "schemaStore": {"enable": False}}
"""What VS Code's extension sends beside the user's settings; schemas of the network are left out."""
KINDS = ("settings", "soul", "now", "working", "script")
"""The kinds of which whole files are YAML."""


def main() -> int:
    """Open every YAML file of the corpus, and say a line for each."""
    command = shlex.split(os.environ.get("GM_LANGUAGE_SERVER", COMMAND))
    if shutil.which(command[0]) is None:
        sys.stderr.write(f"SKIPPED: there is no {command[0]} here, so the language server was not run\n")
        return 0
    failed = False
    for case in cases():
        if case.kind in KINDS:
            with tempfile.TemporaryDirectory() as folder:
                failed |= compare([*command, "--stdio"], case, Path(folder).resolve())
    say("failed" if failed else "the server reports what gm check reports")
    return int(failed)


def say(text: str) -> None:
    """Write a line to standard output, at once."""
    sys.stdout.write(f"{text}\n")
    sys.stdout.flush()


def compare(command: Sequence[str], case: Case, root: Path) -> bool:
    """Open a file and check it; tells whether the answers differ."""
    make_world(root)
    case.write(root)
    add_editor_files(Layout(root))
    with Server(command, root) as server:
        told = server.open(root / case.path)
    problems = check_world(Layout(root)).problems
    checked = [item for item in problems if item.path == case.path and item.severity != "info"]
    wrong = [not told, not checked] != [case.good, case.good]
    first = told[0] if told else None
    said = f"{first['range']['start']['line'] + 1}: {first['message'].splitlines()[0]}" if first else "nothing"
    say(f"{'FAILED ' if wrong else ''}{case.path} ({case.text.strip().splitlines()[-1][:40]}): {said}")
    return wrong


class Server:
    """A language server over standard input and output, with the settings of a world's folder; for one file."""

    def __init__(self, command: Sequence[str], root: Path) -> None:
        self._root = root
        self._settings = json.loads((root / VSCODE).read_text(encoding="utf-8"))
        self._process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self._number = 0

    def __enter__(self) -> Server:
        folder = {"uri": self._root.as_uri(), "name": "world"}
        capabilities = {
            "workspace": {"configuration": True, "workspaceFolders": True},
            "textDocument": {"publishDiagnostics": {}},
        }
        number = self._send(
            "initialize",
            {
                "processId": None,
                "rootUri": folder["uri"],
                "workspaceFolders": [folder],
                "capabilities": capabilities,
            },
            asked=True,
        )
        while self._receive().get("id") != number:
            pass
        self._send("initialized", {})
        while self._receive().get("method") != "workspace/configuration":
            pass
        return self

    def __exit__(self, *_: object) -> None:
        self._process.terminate()
        self._process.wait()

    def open(self, path: Path) -> list[Any]:
        """Open a file, and return what the server reports about it."""
        uri = path.as_uri()
        text = path.read_text(encoding="utf-8")
        document = {"uri": uri, "languageId": "yaml", "version": 1, "text": text}
        self._send("textDocument/didOpen", {"textDocument": document})
        while True:
            message = self._receive()
            if message.get("method") == "textDocument/publishDiagnostics" and message["params"]["uri"] == uri:
                found: list[Any] = message["params"]["diagnostics"]
                return found

    def _nested(self) -> dict[str, Any]:
        """Return the settings by section."""
        found: dict[str, Any] = {"yaml": dict(DEFAULTS)}
        for name, value in self._settings.items():
            section, _, key = name.partition(".")
            found.setdefault(section, {})[key] = value
        return found

    def _send(self, method: str, params: object, *, asked: bool = False) -> int:
        self._number += asked
        self._write({"method": method, "params": params} | ({"id": self._number} if asked else {}))
        return self._number

    def _write(self, message: dict[str, object]) -> None:
        assert self._process.stdin is not None
        data = json.dumps({"jsonrpc": "2.0", **message}).encode()
        self._process.stdin.write(b"Content-Length: %d\r\n\r\n%b" % (len(data), data))
        self._process.stdin.flush()

    def _receive(self) -> dict[str, Any]:
        """Return the next message; a question of the server is answered on the way."""
        assert self._process.stdout is not None
        length = 0
        while line := self._process.stdout.readline().strip():
            name, _, value = line.partition(b":")
            length = int(value) if name.lower() == b"content-length" else length
        if not length:
            raise SystemExit("the language server has ended")
        message: dict[str, Any] = json.loads(self._process.stdout.read(length))
        if "id" in message and "method" in message:
            items = (
                message.get("params", {}).get("items", []) if message["method"] == "workspace/configuration" else None
            )
            answer = [self._nested().get(item.get("section"), {}) for item in items] if items is not None else None
            self._write({"id": message["id"], "result": answer})
        return message


if __name__ == "__main__":
    sys.exit(main())
