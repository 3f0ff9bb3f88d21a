"""Memory streams of any length."""
