"""A report: everything that an explanation says, in one file that opens in any browser."""

from fairpath.report.write import write_report

__all__ = ["write_report"]
