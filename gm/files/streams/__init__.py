"""Memory streams of any length: read whole, from the end, as rows without text, or by the line index."""
