"""Play days: connect the rules of ``gm.scene`` with files, prompts and models.

``run`` takes the lock and makes a ``master``, which plays on a ``liveworld``. ``stage`` makes the questions of scenes,
``interview`` asks them. Entry points beside scenes: ``ask``, ``care``, ``evening``, ``rating``, ``interactive``,
``edits``.
"""
