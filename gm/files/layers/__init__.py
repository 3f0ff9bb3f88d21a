"""The files of the layers of minds, as ``gm.layers`` declares them; requests for memories; lenses."""
