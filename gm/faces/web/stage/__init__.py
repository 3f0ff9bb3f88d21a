"""Playing from the pages: a run is a child process, ``gm advance-day --events``, which holds the lock of the world."""
