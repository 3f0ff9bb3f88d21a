"""The files of the layers of minds, requests for memories, and lenses."""
