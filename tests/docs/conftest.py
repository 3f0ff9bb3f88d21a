"""The command line as a fixture."""

from tests.cli.conftest import run as run
