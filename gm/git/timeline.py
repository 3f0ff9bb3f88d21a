"""Which commits of a branch tell of days that were taken back later, so that the same day may be in it twice."""

from __future__ import annotations

from dataclasses import dataclass

from gm.git.repository import Repository

REWOUND = "Gm-Rewind"
RETURNED = "Gm-Rewind-Undone"


@dataclass(frozen=True, slots=True)
class Rewound:
    """A commit that took days or scenes back.

    Attributes:
        commit: Its id.
        moment: To where: ``day-003/scene-02``.
        earlier: All commits before it.
    """

    commit: str
    moment: str
    earlier: frozenset[str]


def find_rewound(repository: Repository) -> list[Rewound]:
    """Find the commits before HEAD that took something back and were not undone, the newest first."""
    if repository.commit("HEAD") is None:
        return []
    wanted = (f"--grep=^{REWOUND}: ", f"--grep=^{RETURNED}: ")
    form = f"--format=%H%x09%(trailers:key={REWOUND},valueonly,separator=%x2c)%x09%(trailers:key={RETURNED},valueonly)"
    returned: set[str] = set()
    found = []
    for row in repository.text("log", "HEAD", *wanted, form).splitlines():
        commit, moment, undone = ([*row.split("\t"), "", ""])[:3]
        if undone.strip():
            returned.add(undone.strip())
        elif moment.strip() and commit not in returned:
            earlier = repository.text("rev-list", f"{commit}^", fine=(0, 128)).split()
            found.append(Rewound(commit, moment.strip(), frozenset(earlier)))
    return found
