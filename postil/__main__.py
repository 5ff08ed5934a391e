"""`python -m postil` is the `postil` command."""

from postil.cli.main import main

if __name__ == "__main__":
    main()
