"""Questions to models: answers that came, letters, and batches under way."""
