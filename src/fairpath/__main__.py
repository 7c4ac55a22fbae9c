"""The command line: ``fairpath`` or ``python -m fairpath``."""

import sys

from fairpath.errors import MissingExtraError


def main() -> None:
    """Run the command line, if what it needs is installed."""
    try:
        from fairpath.cli import run  # noqa: PLC0415 - optional
    except ModuleNotFoundError as error:
        if error.name not in {"typer", "rich"}:
            raise
        sys.exit(str(MissingExtraError("cli")))
    run()


if __name__ == "__main__":
    main()
