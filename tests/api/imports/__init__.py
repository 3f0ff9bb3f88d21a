"""Character cards and lorebooks: read, landed, exported, and hostile ones refused."""
