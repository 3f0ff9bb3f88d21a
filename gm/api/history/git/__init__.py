"""git as a subprocess, which no other package starts; independent of what a world contains."""
