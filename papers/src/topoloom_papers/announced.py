"""What `topoloom --help` says of this package's command; the command itself is imported when it is used."""

from topoloom.cli.register import COMMANDS, Command

COMMANDS.add(
    "reproduce", Command("The papers' numbers with ours beside them.", "topoloom_papers.command:command", "Decide")
)
