"""The result of a check for monitoring systems: a file for Prometheus, the line and the exit code of a Nagios plug-in."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from topoloom.cli.output import say
from topoloom.cli.presentation import Monitored

if TYPE_CHECKING:
    from topoloom.fabric.monitoring import Checked


def monitored(result: "Checked", to: Monitored, code: int, files: Sequence[str]) -> int:
    """Write and print what a monitoring system reads, if asked, and return the exit code.

    Parameters
    ----------
    result : Diagnostics, mapping of str to Diagnostics, or Progress
    to : Monitored
    code : int
        The exit code without ``--nagios``.
    files : sequence of str
        The inputs of the check.

    Returns
    -------
    int
        The exit code.
    """
    if to.prom is not None:
        from topoloom.fabric.monitoring import write_metrics

        write_metrics(result, to.prom, files)
        say(f"wrote {to.prom}", err=True)
    if to.nagios:
        from topoloom.fabric.monitoring import nagios

        code, line = nagios(result)
        if not to.json:
            say(line)
    return code
