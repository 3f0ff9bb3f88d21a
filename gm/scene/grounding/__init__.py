"""What a world and its texts refer to: who is there, whom and what a text is about, which day and hour it means."""
