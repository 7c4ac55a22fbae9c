"""The command line, a file for each command."""

from fairpath.cli.app import run

__all__ = ["run"]
