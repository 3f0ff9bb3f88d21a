"""Open the corpus in the language servers that VS Code uses, and compare what they report with ``gm check``.

``make languageserver``, or ``python -m tests.api.editing.editors.language_server``. It needs npx and the network, and
so is not a part of the suite; where there is no npx it says so and does nothing. The JSON server is the one of VS Code
itself (``vscode-json-languageservice``), the YAML server that of the extension that a world recommends.
"""

from __future__ import annotations

import json
import os
import shlex
import shutil
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from gm.api.editing.check.whole import check_world
from gm.api.editing.schema import KINDS, add_editor_files
from gm.files.layout import Layout
from gm.files.uncommitted.beside import VSCODE
from tests.api.editing.editors.corpus import Case, cases, make_world


@dataclass(frozen=True, slots=True)
class Language:
    """A language with its server.

    Attributes:
        defaults: What VS Code sends beside the user's settings; schemas of the network are left out.
    """

    name: str
    package: str
    binary: str
    defaults: dict[str, Any]

    @property
    def command(self) -> list[str]:
        """The server over standard input and output; ``GM_YAML_SERVER`` and ``GM_JSON_SERVER`` name another one."""
        usual = f"npx -y -p {self.package} {self.binary}"
        return [*shlex.split(os.environ.get(f"GM_{self.name.upper()}_SERVER", usual)), "--stdio"]


LANGUAGES = {
    ".yaml": Language(
        "yaml",
        "yaml-language-server@1.25.0",
        "yaml-language-server",
        {"validate": True, "schemaStore": {"enable": False}},
    ),
    ".json": Language(
        "json", "vscode-langservers-extracted@4.10.0", "vscode-json-language-server", {"validate": {"enable": True}}
    ),
}
"""By the endings of files."""


def main() -> int:
    """Open every file of the corpus that is YAML or JSON as a whole, and say a line for each."""
    missing = sorted({one.command[0] for one in LANGUAGES.values() if shutil.which(one.command[0]) is None})
    if missing:
        sys.stderr.write(f"SKIPPED: there is no {', '.join(missing)} here, so no language server was run\n")
        return 0
    checked = dict.fromkeys(LANGUAGES, 0)
    failed = False
    for case in cases():
        ending = Path(case.path).suffix
        if KINDS[case.kind].files and ending in LANGUAGES:
            checked[ending] += 1
            with tempfile.TemporaryDirectory() as folder:
                failed |= compare(LANGUAGES[ending], case, Path(folder).resolve())
    counts = ", ".join(f"{count} {ending}" for ending, count in checked.items())
    say(f"{counts}: {'failed' if failed else 'the servers report what gm check reports'}")
    return int(failed or not all(checked.values()))


def say(text: str) -> None:
    """Write a line to standard output, at once."""
    sys.stdout.write(f"{text}\n")
    sys.stdout.flush()


def compare(language: Language, case: Case, root: Path) -> bool:
    """Open a file and check it; tells whether the answers differ."""
    make_world(root)
    case.write(root)
    add_editor_files(Layout(root))
    with Server(language, root) as server:
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

    def __init__(self, language: Language, root: Path) -> None:
        self._root = root
        self._language = language
        self._process = subprocess.Popen(language.command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
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
                "initializationOptions": {"handledSchemaProtocols": ["file"]},
            },
            asked=True,
        )
        while self._receive().get("id") != number:
            pass
        self._send("initialized", {})
        self._send("workspace/didChangeConfiguration", {"settings": self._settings()})
        return self

    def __exit__(self, *_: object) -> None:
        self._process.terminate()
        self._process.wait()

    def open(self, path: Path) -> list[Any]:
        """Open a file, and return what the server reports about it."""
        uri = path.as_uri()
        text = path.read_text(encoding="utf-8")
        document = {"uri": uri, "languageId": self._language.name, "version": 1, "text": text}
        self._send("textDocument/didOpen", {"textDocument": document})
        while True:
            message = self._receive()
            if message.get("method") == "textDocument/publishDiagnostics" and message["params"]["uri"] == uri:
                found: list[Any] = message["params"]["diagnostics"]
                return found

    def _settings(self) -> dict[str, Any]:
        """Return the settings by section; as in VS Code, the paths of JSON schemas begin at the folder."""
        found: dict[str, Any] = {self._language.name: dict(self._language.defaults)}
        for name, value in json.loads((self._root / VSCODE).read_text(encoding="utf-8")).items():
            section, _, key = name.partition(".")
            found.setdefault(section, {})[key] = value
        for schema in found["json"]["schemas"]:
            schema["url"] = (self._root / schema["url"]).resolve().as_uri()
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
            answer = [self._settings().get(item.get("section"), {}) for item in items] if items is not None else None
            self._write({"id": message["id"], "result": answer})
        return message


if __name__ == "__main__":
    sys.exit(main())
