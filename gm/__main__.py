"""The command ``gm``, and ``python -m gm``."""

import gc


def main() -> None:
    """Run the command line and exit."""
    gc.set_threshold(50_000)  # a short command makes fewer objects, most of which stay: it never looks for cycles
    from gm.cli import main as run

    run()


if __name__ == "__main__":
    main()
