"""The values of a world: frozen, without behaviour beyond their own form, knowing no file and no model."""
