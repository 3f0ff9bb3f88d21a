"""Run all benchmarks, or those named on the command line, and end in one table: ``python -m bench [commit act …]``."""

import sys
from importlib import import_module
from pathlib import Path

from bench.table import Row, render_table

TOOLS = ("letters", "outcomes", "said", "table", "used")
HABITS = "habits"
ORDER = ("start", "check", "commit", "wall", "act", "cache", "context", "recall", "vectors", "mind", "why", "pages")
"""Those that come first, in the order of the table; the others follow by name."""
NAMES = sorted(
    (
        path.stem
        for path in Path(__file__).parent.glob("*.py")
        if not path.stem.startswith("_") and path.stem not in TOOLS
    ),
    key=lambda name: (ORDER.index(name) if name in ORDER else len(ORDER), name),
)
HELP = """\
usage: python -m bench [NAME …]
       python -m bench habits WORLD …

Prints figures, and one table at the end: each row beside what it is held against in the same run (a raw limit of the
disk or of bare Python, or a fixed bound), its aim, and whether it is met; below it, why a row misses its aim. Nothing
passes or fails. Without a name all are run, which takes long; figures are true on a machine without other work.
The second form prints the figures of any worlds, given by their folders.
"""


def main(wanted: list[str]) -> int:
    """Run benchmarks and print what they find; gives the exit code."""
    if len(wanted) > 1 and wanted[0] == HABITS and not {*wanted} & {*NAMES} - {HABITS}:
        import_module(f"bench.{HABITS}").main(wanted[1:])
        return 0
    unknown = [name for name in wanted if name not in NAMES]
    if unknown or {"-h", "--help"} & set(wanted):
        print(f"{HELP}\n{describe_all()}")
        return 0 if {"-h", "--help"} & set(wanted) else 2
    rows: list[Row] = []
    for name in wanted or NAMES:
        print(f"== {name}", flush=True)
        rows += import_module(f"bench.{name}").run() or ()
    if rows:
        print(f"\n{render_table(rows)}")
    return 0


def describe_all() -> str:
    """Name all benchmarks, each with the first line of what it says of itself."""
    lines = []
    for name in NAMES:
        text = import_module(f"bench.{name}").__doc__ or ""
        lines.append(f"  {name:12} {text.strip().splitlines()[0]}")
    return "\n".join(lines)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
