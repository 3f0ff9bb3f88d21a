"""The turns of a scene: who speaks next, when nothing is left to say, and all lines as one dialogue."""
