"""The rehearsal backend: plays a cast offline, without a model, from plain facts.

``backend`` answers a request; ``scene`` and ``reflection`` compose the two kinds of reply out of ``speech``,
``remember``, ``planning`` and ``works``; ``regard`` says what one thinks of another, ``diary`` writes the entry of an
evening; ``questions`` asks what a reflection by questions is about; ``rating`` rates memories that came without
importance, ``weighing`` says importance in the form that a world asks for; ``directing`` chooses the next scene;
``consulting`` asks memory where a character has to; ``voice`` chooses words; ``reading`` turns what is given into the
values of ``facts``; ``phrases`` loads the sentences of a language from ``phrases/*.yaml``. Prose lives there, never in
Python.

Every answer is a pure function of ``Request.facts`` and of what tools gave back: no clock, no state between questions.
"""

from gm.llm.rehearsal.backend import Rehearsal, make

__all__ = ["Rehearsal", "make"]
