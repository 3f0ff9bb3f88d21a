"""The command ``gm``, and ``python -m gm``."""

from gm.base.collector import collect_rarely


def main() -> None:
    """Run the command line and exit."""
    collect_rarely()
    from gm.cli import main as run

    run()


if __name__ == "__main__":
    main()
