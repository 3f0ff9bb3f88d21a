"""How a world stands: its state, cost, memories, relationships and models, as frozen values."""
