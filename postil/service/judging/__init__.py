"""Judges texts that come with a request, in a process of its own, and keeps nothing of them."""
