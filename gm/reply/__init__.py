"""From the text of a model to a value: find the data, mend its form, hold it against the schema."""
