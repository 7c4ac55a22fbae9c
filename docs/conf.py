"""How Sphinx makes the documentation; run: make docs."""

import fairpath

project = "fairpath"
author = "The fairpath authors"
copyright = author  # noqa: A001 - Sphinx names it so
version = release = fairpath.__version__

extensions = [
    "myst_parser",
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "sphinx.ext.napoleon",
    "sphinx_gallery.gen_gallery",
]
exclude_patterns = ["_build", "gallery/*.rst", "GALLERY_HEADER.rst"]
html_theme = "furo"
html_title = f"fairpath {version}"
myst_heading_anchors = 3
myst_enable_extensions = ["dollarmath"]
suppress_warnings = ["myst.xref_missing", "config.cache"]
autodoc_typehints = "none"
autodoc_member_order = "bysource"
autosummary_generate = True
autosummary_imported_members = False
napoleon_numpy_docstring = True
default_role = "py:obj"

sphinx_gallery_conf = {
    "examples_dirs": "gallery",
    "gallery_dirs": "examples",
    "filename_pattern": r"/plot_",
    "download_all_examples": False,
    "remove_config_comments": True,
    "abort_on_example_error": True,
    "min_reported_time": 5,
}
