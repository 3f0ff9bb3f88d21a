"""The soul of a character: what it is at its core, and stays. Not facts, not memories."""

from __future__ import annotations

from dataclasses import dataclass

from gm.model.fold import fold

SOUL_KINDS = {"belief": "beliefs", "value": "values", "fear": "fears", "conviction": "convictions"}
"""Kinds of entries as a reply and a command name them, each with its list in the file."""


@dataclass(frozen=True, slots=True)
class SoulEntry:
    """One sentence of a soul, and the name of the list in which it stands; a person may have lists of other names."""

    kind: str
    text: str


@dataclass(frozen=True, slots=True)
class Soul:
    """All that stands in ``state/souls/<name>.yaml``.

    Attributes:
        entries: The sentences, list by list as in the file.
        present: Whether there is a file.
    """

    entries: tuple[SoulEntry, ...] = ()
    present: bool = False

    def find(self, text: str) -> SoulEntry | None:
        """Find the entry of the same words; case, Unicode form, spacing and a last full stop make no difference."""
        wanted = soul_key(text)
        return next((entry for entry in self.entries if soul_key(entry.text) == wanted), None)


NO_SOUL = Soul()


@dataclass(frozen=True, slots=True)
class SoulChange:
    """What is added to a soul and taken out of it, in order."""

    added: tuple[SoulEntry, ...] = ()
    removed: tuple[SoulEntry, ...] = ()


def soul_key(text: str) -> str:
    """Return a sentence in the form in which two of them are compared."""
    return " ".join(fold(text).split()).rstrip(".")


def change_soul(soul: Soul, change: SoulChange) -> Soul:
    """Return a soul as it is after a change."""
    kept = tuple(entry for entry in soul.entries if entry not in change.removed)
    return Soul((*kept, *change.added), present=True)
