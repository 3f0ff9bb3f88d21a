"""Playing a day: where the Game Master's choices meet files, prompts and models.

``run`` takes the lock and makes a ``master``, which plays a day scene by scene over a ``liveworld``. A question:
``stage`` (``reminders``, ``sources``, ``fitting``) and ``facts`` choose what it holds, ``question`` puts it together,
``interview`` asks it. What is asked for: ``play`` and ``reflecting`` for a scene, gathered by ``outcome``;
``rating``, ``evening``, ``care``, ``directors/``. ``review`` and ``between`` let a person decide, ``hand`` and
``ask`` act in between.
"""
