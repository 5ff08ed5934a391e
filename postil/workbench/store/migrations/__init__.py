"""How the tables came to be what they are, step by step; `open_store` applies what a file has not seen."""
