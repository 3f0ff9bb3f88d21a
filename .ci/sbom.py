"""List what an installation of gm holds, with licences: dist/sbom.cdx.json (CycloneDX) and dist/licences.md.

    python .ci/sbom.py            what `pip install gm-worlds` installs
    python .ci/sbom.py web,book   the same with these extras

The newest wheel in dist/ is installed into an environment made from nothing. cyclonedx-bom lists that; what the pages
carry along (VENDORED.json) is added to it.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
DIST = ROOT / "dist"
STATIC = ROOT / "gm/faces/web/static"
TOOL = "cyclonedx-bom>=7.5"


def uv(*arguments: str | Path) -> None:
    """Run uv."""
    subprocess.run([sys.executable, "-m", "uv", *arguments], check=True)


def listed(wheel: Path, extras: str) -> dict[str, Any]:
    """Return the CycloneDX document of an environment that holds the wheel and what it needs."""
    with tempfile.TemporaryDirectory() as folder:
        python, found = Path(folder) / "venv/bin/python", Path(folder) / "found.json"
        uv("venv", "--quiet", "--python", sys.executable, python.parents[1])
        uv("pip", "install", "--quiet", "--python", python, f"{wheel}[{extras}]" if extras else wheel)
        what = ("cyclonedx-py", "environment", "--output-reproducible", "--pyproject", ROOT / "pyproject.toml")
        uv("tool", "run", "--quiet", "--from", TOOL, *what, "--output-file", found, python)
        document: dict[str, Any] = json.loads(found.read_text(encoding="utf-8"))
        return document


def carried() -> list[dict[str, Any]]:
    """Return the components that lie in the wheel itself."""
    return [
        {
            "type": "library",
            "bom-ref": f"carried:{item['name']}",
            "name": item["name"],
            "version": item["version"],
            "description": item["why"],
            "licenses": [{"license": {"id": item["licence"]}}],
        }
        for folder in ("vendor", "fonts")
        for item in json.loads((STATIC / folder / "VENDORED.json").read_text(encoding="utf-8"))
    ]


def licences_of(component: Mapping[str, Any]) -> str:
    """Return the licences of a component as its metadata name them."""
    found = [one.get("expression") or one.get("license", {}) for one in component.get("licenses", ())]
    names = [one if isinstance(one, str) else one.get("id") or one.get("name", "") for one in found]
    return ", ".join(dict.fromkeys(name.split("\n")[0] for name in names if name)) or "not said"


def table(components: Iterable[Mapping[str, Any]]) -> str:
    """Return the licences as a table in Markdown."""
    rows = [f"| {one['name']} | {one.get('version', '')} | {licences_of(one)} |" for one in components]
    return "\n".join(["| component | version | licence |", "|---|---|---|", *sorted(rows, key=str.lower)]) + "\n"


def main(extras: str) -> None:
    """Write both files."""
    wheel = max(DIST.glob("*.whl"), key=os.path.getmtime)
    document = listed(wheel, extras)
    own = document["metadata"]["component"]["name"]
    document["components"] = [one for one in document.get("components", ()) if one["name"] != own] + carried()
    (DIST / "sbom.cdx.json").write_text(json.dumps(document, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")
    (DIST / "licences.md").write_text(table(document["components"]), encoding="utf-8")
    print(f"dist/sbom.cdx.json and dist/licences.md: {len(document['components'])} components")


if __name__ == "__main__":
    main(sys.argv[1] if len(sys.argv) > 1 else "")
