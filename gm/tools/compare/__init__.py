"""Two runs held against each other: two worlds, or two commits, branches or days of one repository."""
