"""Operations: what topoloom can be asked, each declared once; the command line, studies, forms, schemas and docs are made of it.

`operation` has the base class and the register, `field` reads a declaration, `shared` has the declarations that several operations
use, `context` what an operation runs with, `sections` the groups of the help, and `catalogue` the operations, one file each.
"""
