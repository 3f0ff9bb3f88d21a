"""Commands that change boards, minds, memories and threads by hand."""
