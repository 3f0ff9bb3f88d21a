"""How long a server asks to wait before a call is repeated."""

from __future__ import annotations

import math
from collections.abc import Mapping
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime

MILLISECONDS, SECONDS = "retry-after-ms", "retry-after"


def seconds_asked(headers: Mapping[str, str], now: datetime | None = None) -> float | None:
    """Read how long a server asks to wait, in seconds, at least 0; infinite where it says so.

    Args:
        headers: Of its answer, by names in lower case.
        now: The time that a date is compared with; None = now.

    Returns:
        None when it does not say, or says nothing that can be read.
    """
    for name, factor in ((MILLISECONDS, 0.001), (SECONDS, 1.0)):
        try:
            seconds = float(headers.get(name, "")) * factor
        except ValueError:
            continue
        return None if math.isnan(seconds) else max(0.0, seconds)
    try:
        date = parsedate_to_datetime(headers.get(SECONDS, ""))
    except (ValueError, TypeError, OverflowError, IndexError):
        return None
    # a date of no zone is one of Greenwich
    date = date if date.tzinfo else date.replace(tzinfo=UTC)
    return max(0.0, (date - (now or datetime.now(UTC))).total_seconds())
