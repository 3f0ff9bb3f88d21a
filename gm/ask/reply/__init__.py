"""From the text of a model to a value, and the JSON schema sent with a question."""
