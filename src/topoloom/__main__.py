"""`python -m topoloom`."""

from topoloom.cli.main import main

if __name__ == "__main__":
    main()
