"""Open promises, questions, appointments and silences: opened, known, due, closed."""
