"""Playing a day: where the Game Master's choices meet files, prompts and models."""
