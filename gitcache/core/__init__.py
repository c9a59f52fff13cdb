"""Values and rules: pure, so that each can be read and tested alone."""
