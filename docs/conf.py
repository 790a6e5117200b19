"""The site of these pages: `make docs` builds it into build/site."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent / "_ext"))

from topoloom import __version__

project = "topoloom"
author = "The topoloom developers"
copyright = "2026, the topoloom developers"
release = version = __version__

extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx.ext.napoleon", "reference_pages"]
# The check for warnings needs neither the pages of source code nor their menus, which take a third of the time.
plain = tags.has("plain")  # noqa: F821  # Sphinx defines it
if not plain:
    extensions.append("sphinx.ext.viewcode")
root_doc = "index"
exclude_patterns = ["_ext", "build"]
myst_enable_extensions = ["colon_fence", "deflist"]
myst_heading_anchors = 4
# ref.python: words that are types in a docstring and stand for several things, such as `hosts`.
suppress_warnings = ["myst.strikethrough", "ref.python"]

# Docstrings write names in single backticks.
default_role = "code"
napoleon_numpy_docstring = True
napoleon_google_docstring = False
napoleon_use_rtype = False
napoleon_use_ivar = True
autodoc_typehints = "signature"
autodoc_member_order = "bysource"
autodoc_class_signature = "separated"
python_maximum_signature_line_length = 88
toc_object_entries = False

html_theme = "basic" if plain else "furo"
html_title = f"topoloom {__version__}"
html_copy_source = False
html_show_sourcelink = False
pygments_style = "friendly"
html_static_path = ["_static"]
html_css_files = ["topoloom.css"]
