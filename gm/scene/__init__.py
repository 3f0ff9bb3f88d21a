"""The Game Master's decisions: which scene comes next, who speaks, what a scene changes. Pure and seeded."""
