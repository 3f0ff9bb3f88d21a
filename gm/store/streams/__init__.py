"""Memory streams, however long: read whole, from their end, as light rows, or only counted; or as they were born."""
