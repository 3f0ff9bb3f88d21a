"""Run ``gm`` and kill it at a chosen durable step (``tests.crash.points``).

python -m tests.stories.killed STEP ARGUMENT…
"""

from __future__ import annotations

import sys

from gm.cli import gm
from gm.cli.boundary import guarded
from tests.crash.points import Points, install

if __name__ == "__main__":
    install(Points(int(sys.argv[1])))
    sys.exit(guarded(gm, sys.argv[2:]))
