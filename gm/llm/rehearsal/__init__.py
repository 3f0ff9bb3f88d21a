"""The rehearsal backend: plays a cast offline, without a model, as a pure function of facts and tool results.

``backend`` answers a request; ``scene`` and ``reflection`` compose replies from ``speech``, ``remember``, ``works`` and
``game``; ``layers`` adds what a world's layers ask for; ``voice`` takes words from personas and from
``phrases/*.yaml``: Python holds no prose. There is no clock, and no state between questions.
"""

from gm.llm.rehearsal.backend import Rehearsal, make

__all__ = ["Rehearsal", "make"]
