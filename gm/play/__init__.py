"""Playing a day: where the Game Master's choices meet files, prompts and models.

``run`` takes the lock and makes a ``master``, which plays a day over a ``liveworld``, its scenes by ``play`` and
``reflecting``. A question: ``stage`` (``reminders``, ``sources``, ``fitting``) makes it, ``interview`` asks it.
Questions outside of scenes: ``rating``, ``evening``, ``care``, ``directors``. ``review`` and ``interactive`` let a user
decide, ``edits`` and ``ask`` act in between.
"""
