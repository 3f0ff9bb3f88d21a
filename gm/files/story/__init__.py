"""The first day, the present state and the logbooks."""
