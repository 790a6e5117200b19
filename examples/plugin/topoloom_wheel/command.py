"""The command `topoloom hub`: the switch that is linked to all others."""

import click

from topoloom import InputError, build
from topoloom.cli.register import COMMANDS, Command

COMMANDS.add(
    "hub", Command("The switch that is linked to all others.", "topoloom_wheel.command:command", group="Wheels")
)


@click.command(help="The switch of TOPOLOGY that is linked to all others.\n\n\b\nExample: topoloom hub wheel:rim=8")
@click.argument("topology")
def command(topology: str) -> None:
    network = build(topology)
    hubs = [switch for switch, degree in enumerate(network.degrees) if degree == network.switches - 1]
    if not hubs:
        raise InputError(f"{topology}: no switch is linked to all others")
    click.echo(f"switch {hubs[0]}")
