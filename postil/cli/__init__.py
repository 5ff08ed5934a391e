"""The `postil` command: a module for each verb or a few related ones; thin: parse, call, print."""
