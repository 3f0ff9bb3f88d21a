"""Public names that were renamed: the old one works, and warns, for one version."""

from __future__ import annotations

import warnings


def warn_renamed(old: str, new: str, gone_in: str) -> None:
    """Warn the code that reads a name of a module; called by the ``__getattr__`` of the module."""
    message = f"{old} is now {new}; the old name goes with version {gone_in}"
    warnings.warn(message, DeprecationWarning, stacklevel=3)
