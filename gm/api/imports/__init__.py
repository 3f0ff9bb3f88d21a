"""Read characters, lore, chats and agents of other tools into a world (``gm import``)."""
