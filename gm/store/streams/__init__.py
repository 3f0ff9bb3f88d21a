"""Memory streams, however long: read whole, from their end, as light rows, or only counted."""
