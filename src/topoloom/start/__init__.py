"""What a user begins with: the examples that come with topoloom, and drafts of files in which every line is explained.

`examples` finds, shows and copies the examples; `draft` is a file that is ready to be written; `toml_text` writes a TOML file
from a declaration, with a comment per key.
"""
