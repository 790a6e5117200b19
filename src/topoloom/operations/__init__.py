"""Operations: what topoloom can be asked, each declared once.

The command line, study tasks, the explorer's forms, JSON Schemas and the docs are made of these declarations. `operation` has
the base class and the register, `field` reads a declaration, `shared` has the declarations that several operations use,
`context` is what an operation runs with, `sections` the groups of the help, and `catalogue` the operations, one file each.
"""
