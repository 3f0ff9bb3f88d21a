"""What comes after the scenes of a day: what was left undone, its close, and questions out of scene."""
