"""Jobs: what goes on in the background, in a process of its own, and survives being killed."""
