"""The rehearsal backend: plays a cast offline, without a model, from values.

``backend`` answers a request and chooses the Director's next scene; ``scene`` and ``reflection`` compose the two kinds
of reply out of ``speech``, ``remember``, ``planning``, ``works`` and ``game``; ``layers`` adds what the layers of a
world ask for; ``rating`` rates memories and states importance in the form that a world wants; ``consulting`` calls
memory tools; ``voice`` chooses words from personas and from the phrases of a language (``phrases/*.yaml``). Prose lives
there, never in Python.

Every answer is a pure function of ``Request.facts`` and of what tools gave back: no clock, no state between questions.
"""

from gm.llm.rehearsal.backend import Rehearsal, make

__all__ = ["Rehearsal", "make"]
