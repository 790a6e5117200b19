"""Operations: everything that topoloom can do, each declared once.

The command line, study tasks, the explorer's forms, JSON Schemas and the docs are generated from these declarations.
`operation` has the base class and the register, `field` reads a declaration, `shared` has the declarations that several
operations use, `context` has the threads, deadline and progress of a run, `sections` the groups of the help, and `catalogue`
the operations, one file each.
"""
