"""Run all benchmarks, or those named on the command line: ``python -m bench [act …]``."""

import sys
from importlib import import_module
from pathlib import Path

NAMES = sorted(path.stem for path in Path(__file__).parent.glob("*.py") if not path.stem.startswith("_"))


def main(wanted: list[str]) -> None:
    """Run benchmarks and print what they find."""
    for name in wanted or NAMES:
        print(f"== {name}")
        import_module(f"bench.{name}").run()


if __name__ == "__main__":
    main(sys.argv[1:])
