"""Pieces and posts: who knows them, has them before its eyes, and has not answered them."""
