"""SHA-256 digests of data and of files; ``look`` has the shorter digests of lines."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping


def sha256(data: bytes) -> str:
    """Return the hexadecimal SHA-256 digest."""
    return hashlib.sha256(data).hexdigest()


def digest_of_files(digests: Mapping[str, str]) -> str:
    """Return the digest of files by path, in their order, from the digest of each."""
    return sha256("".join(f"{path}\0{digest}\n" for path, digest in digests.items()).encode())
