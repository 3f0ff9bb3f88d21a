"""Begin a world from a template or from words, add parts, bring it to the present format, build its index."""
