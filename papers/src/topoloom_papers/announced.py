"""Registers `topoloom reproduce` for `topoloom --help`; the command itself is imported when it is used."""

from topoloom.cli.register import COMMANDS, Command

COMMANDS.add(
    "reproduce", Command("The papers' numbers compared with ours.", "topoloom_papers.command:command", "Decide")
)
