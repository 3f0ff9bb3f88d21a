"""The first day, the present state, the threads and the logbooks."""
