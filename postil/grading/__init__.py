"""Systems that judge short answers."""
