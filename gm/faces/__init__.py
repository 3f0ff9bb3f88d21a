"""Interfaces for users and other programs: web pages, books, the Model Context Protocol."""
