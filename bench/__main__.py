"""Run all benchmarks, or those named on the command line, and end in one table: ``python -m bench [act …]``."""

import sys
from importlib import import_module
from pathlib import Path

from bench.table import Row, render_table

TOOLS = ("table",)
NAMES = sorted(
    path.stem for path in Path(__file__).parent.glob("*.py") if not path.stem.startswith("_") and path.stem not in TOOLS
)


def main(wanted: list[str]) -> None:
    """Run benchmarks and print what they find."""
    rows: list[Row] = []
    for name in wanted or NAMES:
        print(f"== {name}", flush=True)
        rows += import_module(f"bench.{name}").run() or ()
    if rows:
        print(f"\n{render_table(rows)}")


if __name__ == "__main__":
    main(sys.argv[1:])
