"""Where many answers run: datasets larger than memory, judged by local processes or on a Ray cluster."""
