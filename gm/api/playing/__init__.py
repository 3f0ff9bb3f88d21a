"""Play a world: days and scenes, a question to a character, self-care, memory tools, forecasts."""
