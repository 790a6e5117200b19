"""Man pages and completions are made from the commands, and read by man and the shells."""

import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner

from topoloom.cli.main import cli
from topoloom.cli.man_pages import SHELLS, _text, manual_files
from topoloom.operations.sections import SECTIONS


@pytest.fixture(scope="module")
def files():
    """Every page and completion."""
    return manual_files(cli)


def test_every_command_has_a_page_with_its_options(files):
    """Name, synopsis, description, options and exit codes; every option of the help is there."""
    for name in (name for section in SECTIONS.values() for name in section):
        page = files[f"share/man/man1/topoloom-{name}.1"]
        heads = re.findall(r"^\.SH (.*)$", page, re.M)
        assert heads[:3] == ["NAME", "SYNOPSIS", "DESCRIPTION"]
        assert heads[-2:] == ["EXIT STATUS", "SEE ALSO"]
        help_text = CliRunner().invoke(cli, [name, "--help"]).output
        for option in set(re.findall(r"^  (?:-\w, )?(--[a-z-]+)", help_text, re.M)):
            assert option.replace("-", r"\-") in page, f"{name} {option}"
        assert rf"\fBtopoloom\-{name.replace(chr(45), chr(92) + chr(45))}\fR" in files["share/man/man1/topoloom.1"]


@pytest.mark.skipif(shutil.which("groff") is None, reason="not installed: groff")
def test_groff_and_man_read_the_pages(files, tmp_path):
    """No warning of groff in all of them, and man prints what the help says."""
    pages = [name for name in files if name.endswith(".1")]
    done = subprocess.run(
        ["groff", "-man", "-Tutf8", "-ww", "-z"],
        input="".join(files[name] for name in pages),
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, "")
    (tmp_path / "verify.1").write_text(files["share/man/man1/topoloom-verify.1"])
    shown = subprocess.run(["man", "-l", str(tmp_path / "verify.1")], capture_output=True, text=True, check=False)
    text = re.sub(r"\s+", " ", re.sub(".\b", "", shown.stdout))
    assert "topoloom verify [OPTIONS] PLAN [ACTUAL...]" in text
    assert "--nagios Print one line for Nagios" in text


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_shells_read_their_completion(files, shell):
    """Each shell that is installed accepts the script; it calls topoloom by click's variable."""
    script = files[SHELLS[shell]]
    assert "_TOPOLOOM_COMPLETE" in script
    assert CliRunner().invoke(cli, ["manual", "--shell", shell]).output == script
    if shutil.which(shell) is None:
        pytest.skip(f"not installed: {shell}")
    done = subprocess.run([shell, "-n"], input=script, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.skipif(shutil.which("bash") is None, reason="not installed: bash")
def test_bash_completes_commands_options_and_files(files, tmp_path):
    """A command, its options, and for values that name files whatever bash finds: fabrics are files, after all."""
    (tmp_path / "completion").write_text(files[SHELLS["bash"]])
    program = Path(sys.executable).with_name("topoloom")

    def offered(*words):
        script = (
            f'source completion; compopt() {{ echo "compopt $*"; }}; COMP_WORDS=({shlex.join(words)});'
            f" COMP_CWORD={len(words) - 1}; _topoloom_completion {shlex.quote(str(program))}; echo ${{COMPREPLY[@]}}"
        )
        done = subprocess.run(["bash", "-c", script], cwd=tmp_path, capture_output=True, text=True, check=True)
        return done.stdout.split()

    assert {"verify", "verify-tables"} <= set(offered("topoloom", "ver"))
    assert {"--qos", "--installed"} <= set(offered("topoloom", "verify-tables", "--"))
    for words in (("info", ""), ("verify-tables", ""), ("quality", "f.net", "--tables", "")):
        assert offered("topoloom", *words) == ["compopt", "-o", "default"]


def test_texts_cannot_become_macros():
    """A line that begins with a macro's sign is text, and backslashes stay."""
    assert _text(".SH x") == r"\&.SH x"
    assert _text("'a") == r"\&'a"
    assert _text(r"a\b -c") == r"a\eb \-c"


def test_the_files_go_below_a_prefix(tmp_path):
    """Where man and the shells look for them."""
    assert CliRunner().invoke(cli, ["manual", "-o", str(tmp_path / "usr")]).exit_code == 0
    for path in ("share/man/man1/topoloom.1", *SHELLS.values()):
        assert (tmp_path / "usr" / path).is_file()
