"""Make a character a Character Card for other programs (``gm export AGENT --card FILE``)."""
