"""`topoloom route --from OLD --tables LFT --now NEW`: tables in force mended, and the order of the updates."""

from topoloom.cli.output import plain, print_facts, print_record, say
from topoloom.cli.progress import working
from topoloom.errors import InputError
from topoloom.files import read_text

_LONGEST_TEXT = 1 << 30
_SHOWN = (
    *("cables_lost", "cables_new", "switches_lost", "switches_new", "hosts_lost", "hosts_new", "hosts_moved"),
    *(
        "entries",
        "entries_broken",
        "entries_changed",
        "lanes_changed",
        "anew",
        "deadlock_free",
        "in_force_deadlock_free",
    ),
)


def mend_live(
    old: str,
    tables: str | None,
    new: str | None,
    qos: str | None,
    *,
    lanes: int | None,
    jobs: int | None,
    output: str | None,
    as_json: bool,
) -> None:
    """Mend, print, and write the files.

    Parameters
    ----------
    old, new : str
        The discoveries.
    tables, qos : str
        The tables and the policy in force, files.
    lanes, jobs
        As in `mend_fabric`.
    output : str
        A folder.
    as_json : bool

    Raises
    ------
    InputError
        A file is missing or not what it should be; what `mend_fabric` refuses.
    """
    from topoloom.fabrics.lft import read_lft
    from topoloom.fabrics.mending import mend_fabric
    from topoloom.fabrics.mending_files import write_mending
    from topoloom.fabrics.service_levels import read_levels
    from topoloom.opening import open_network

    if tables is None or new is None:
        missing = "--tables (those in force)" if tables is None else "--now (the fabric as it is discovered now)"
        raise InputError(f"--from mends live tables; give {missing}, too")
    before, after = open_network(old).fabric, open_network(new).fabric
    read = read_lft(read_text(tables, _LONGEST_TEXT), tables, before)
    levels = None if qos is None else read_levels(read_text(qos, _LONGEST_TEXT), qos, before, read.lid_of)
    with working("mending") as work:
        found = mend_fabric(before, read, after, levels=levels, lanes=lanes, jobs=jobs, work=work)
    files = [] if output is None else write_mending(found, output)
    if as_json:
        print_record(found)
    else:
        rows = [(key, plain(getattr(found, key))) for key in _SHOWN]
        steps = [f"{step.kind} {step.pairs or step.entries}" for step in found.steps]
        rows.append(("steps", ", ".join(steps) or "none"))
        print_facts(f"{found.old} and now {found.new}", rows)
    if not found.in_force_deadlock_free:
        say("warning: the tables in force can deadlock on what is cabled now; no order of updates is proved", err=True)
    if found.dropped_addresses:
        say(
            f"warning: {found.dropped_addresses} addresses cannot be reached for a while; no order without that was found",
            err=True,
        )
    for name in files:
        say(f"wrote {output}/{name}", err=True)
