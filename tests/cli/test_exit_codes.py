"""One law of exit codes for every command, whatever becomes of its streams; the table is in docs/reference/exit-codes.md."""

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

from topoloom import build, save
from topoloom.operations.sections import SECTIONS

#: Every command, quick, with the code that it ends with; 3: there are differences.
_COMMANDS = {
    "families": (0, "families"),
    "info": (0, "info petersen"),
    "hops": (0, "hops petersen"),
    "bounds": (0, "bounds --switches 50 --degree 4"),
    "balance": (0, "balance --rows 4 --columns 4"),
    "cuts": (0, "cuts petersen --exact"),
    "expander": (0, "expander petersen"),
    "build": (0, "build petersen -o -"),
    "convert": (0, "convert a.json - --format edges"),
    "optimize": (0, "optimize ring:n=12 --moves 20"),
    "route": (0, "route petersen-hosts.json"),
    "quality": (0, "quality petersen-hosts.json --bisections 2"),
    "simulate": (0, "simulate petersen-hosts.json --loads 0.1 --fast"),
    "resilience": (0, "resilience petersen --samples 5 --levels 10%"),
    "app": (0, "app petersen-hosts.json --app alltoall:bytes=64 --simulator flows"),
    "collective": (0, "collective petersen-hosts.json"),
    "verify-same": (0, "verify a.json a.json"),
    "verify-other": (3, "verify a.json b.json"),
    "watch-same": (0, "watch a.json a.json"),
    "watch-other": (3, "watch a.json b.json"),
    "layout": (0, "layout petersen --map rows"),
    "expand": (0, "expand ring:n=8 --to 9"),
    "cost": (0, "cost petersen"),
    "study": (0, "study s.toml -o s --executor threads"),
    "study-status": (0, "study status s"),
}
_MISTAKES = ["info petersne", "hops", "none"]

#: The streams of a run: to files, to nobody who reads, to a full disk.
_STREAMS = [("file", "file"), ("unread", "file"), ("file", "full"), ("full", "file"), ("full", "full")]
#: Runs the command lines on standard input, with all streams each, and tells how each ended. The second to the last run of a
#: command are forks of a process that has run it, and has loaded all that it takes.
_RUNNER = """
import json, os, sys
import topoloom.__main__
from topoloom.cli.main import main
streams = json.loads(sys.argv[1])
found = []
for number, words in enumerate(json.load(sys.stdin)):
    names = [f"{number}.{run}" for run in range(len(streams))]
    child = os.fork()
    if child == 0:
        for name, how in zip(names, streams):
            run = os.fork()
            if run == 0:
                for descriptor, kind in zip((1, 2), how):
                    if kind == "unread":
                        reading, file = os.pipe()
                        os.close(reading)
                    else:
                        path = "/dev/full" if kind == "full" else f"{name}.{descriptor}"
                        file = os.open(path, os.O_WRONLY | os.O_CREAT, 0o600)
                    os.dup2(file, descriptor)
                main(words.split())
            status = os.waitstatus_to_exitcode(os.waitpid(run, 0)[1])
            said = open(f"{name}.2").read() if how[1] == "file" else ""
            with open(f"{name}.end", "w") as file:
                json.dump([status, said], file)
            if name == names[0]:
                sys.stdout = sys.stderr = open(os.devnull, "w")
                try:
                    main(words.split())
                except SystemExit:
                    pass
                sys.stdout, sys.stderr = sys.__stdout__, sys.__stderr__
        os._exit(0)
    os.waitpid(child, 0)
    found.append([json.load(open(f"{name}.end")) for name in names])
json.dump(found, sys.stdout)
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A folder with what the commands name."""
    place = tmp_path_factory.mktemp("codes")
    (place / "s.toml").write_text('operation = "hops"\ntask.topology = "ring:n={n}"\naxes.n = [4, 5]\n')
    for name, spec in (("a", "petersen"), ("b", "ring:n=10"), ("petersen-hosts", "petersen:hosts=1")):
        save(build(spec), place / f"{name}.json")
    return place


def _ends(folder, commands):
    """(exit code, what it says on stderr) of each command with each of the streams."""
    ran = subprocess.run(
        [sys.executable, "-c", _RUNNER, json.dumps(_STREAMS)],
        input=json.dumps(commands),
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
    )
    assert ran.returncode == 0, ran.stderr
    return json.loads(ran.stdout)


def _obeys(folder, commands):
    """Whether each command ends as the law says: a mistake is 2 in any case, and so is an output that is not there."""
    for (code, words), ends in zip(commands, _ends(folder, [words for _, words in commands]), strict=True):
        for streams, (ended, said) in zip(_STREAMS, ends, strict=True):
            full = streams[0] == "full"
            assert ended == (2 if full else code), (words, streams, ended, said)
            assert "Traceback" not in said, (words, streams, said)
            assert "Exception ignored" not in said, (words, streams, said)
            if full and said and code != 2:
                assert "error: the output cannot be written" in said, (words, said)


@pytest.mark.exhaustive
def test_streams_change_no_exit_code_but_where_they_must(folder):
    """A reader that leaves and a full stderr: the command's own code. A full stdout: 2 and a sentence. Never a traceback."""
    quick = ("families", "hops", "verify-other", "study")
    _obeys(folder, [_COMMANDS[name] for name in quick])


@pytest.mark.exhaustive
def test_streams_of_every_command(folder):
    """The same for all of them."""
    _obeys(folder, list(_COMMANDS.values()))


@pytest.mark.exhaustive
def test_a_mistake_is_2_whatever_can_be_said_of_it(folder):
    """Standard error full, or without a reader."""
    _obeys(folder, [(2, words) for words in _MISTAKES])


@pytest.mark.exhaustive
@pytest.mark.parametrize(
    ("words", "code", "closed"),
    [("verify a.json b.json", 3, ">&-"), ("hops petersne", 2, "2>&-"), ("families", 0, "<&- >&- 2>&-")],
)
def test_closed_streams_are_as_null(folder, words, code, closed):
    """And nothing that is opened afterwards takes their place, into which libraries would print."""
    line = f'"{sys.executable}" -m topoloom {words} {closed}'
    assert subprocess.run(line, shell=True, cwd=folder, capture_output=True, check=False).returncode == code


def test_a_file_written_with_stdout_closed_holds_nothing_else(folder):
    """The file's number is not that of standard output."""
    line = f'"{sys.executable}" -m topoloom build petersen -o c.json >&- 2>&-'
    subprocess.run(line, shell=True, cwd=folder, check=True)
    assert (folder / "c.json").read_bytes() == (folder / "a.json").read_bytes()


@pytest.mark.exhaustive
def test_a_pipeline_has_the_code_of_verify(folder):
    """`verify | head` under pipefail."""
    line = f'set -o pipefail; "{sys.executable}" -m topoloom verify a.json b.json | head -1'
    ran = subprocess.run(["bash", "-c", line], cwd=folder, capture_output=True, text=True, check=False)
    assert (ran.returncode, ran.stdout.count("\n")) == (3, 1)


def test_the_table_of_codes_names_every_command_and_those_that_find_differences():
    """Each command is in the table of the page; only those whose functions return a code that is not 0 have a 3."""
    root = Path(__file__).parents[2]
    rows = re.findall(
        r"^\| (`.*) \| .* \| bug \| (.*) \| (.*) \|$", (root / "docs/reference/exit-codes.md").read_text(), re.M
    )
    listed = {name: differs != "never" for names, _, differs in rows for name in re.findall(r"`([a-z-]+)`", names)}
    commands = [name for section in SECTIONS.values() for name in section]
    assert set(listed) - {"--study"} == set(commands)
    code_of = {name: root / f"src/topoloom/cli/commands/{name.replace('-', '_')}.py" for name in commands}
    with_code = {
        name
        for name, path in code_of.items()
        if re.search(r"return (report|monitored)\(|return DIFFERENT\b", path.read_text())
    }
    assert (
        {name for name, differs in listed.items() if differs}
        == with_code
        == {"repair", "verify", "verify-tables", "watch"}
    )
