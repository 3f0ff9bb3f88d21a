"""Memory streams of any length: read whole, from their end, as light rows, or by the line index."""
