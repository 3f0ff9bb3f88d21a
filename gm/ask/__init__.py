"""From values to the text of a question, and from the text of an answer to values."""
