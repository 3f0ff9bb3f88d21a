"""What every answer is made with: plain data of values, moods from traces, and what gm says in a world's language."""
