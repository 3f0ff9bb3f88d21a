"""Play days: connect the rules of ``gm.scene`` with files, prompts and models.

``run`` starts a ``master``, which plays on a ``liveworld``; ``stage`` makes questions, ``interview`` asks them.
"""
