"""The Game Master's decisions, pure and seeded: which scene comes next, who speaks, what a scene changes."""
