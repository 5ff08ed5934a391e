"""The `postil` command: one module a verb; thin: parse, call, print."""
