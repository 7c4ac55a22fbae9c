"""Every example in the README and the documentation runs and prints what it says."""

import doctest
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
@pytest.mark.filterwarnings("error")
def test_the_examples_of_a_page(page):
    flags = doctest.NORMALIZE_WHITESPACE | doctest.IGNORE_EXCEPTION_DETAIL
    found = doctest.testfile(str(page), module_relative=False, optionflags=flags)
    assert found.failed == 0


def test_there_are_examples():
    assert sum(">>>" in page.read_text(encoding="utf-8") for page in PAGES) >= 4
