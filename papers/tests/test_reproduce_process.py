"""`topoloom reproduce` as a process: found by its entry point, and ended by readers that leave, signals and kill -9."""

import os
import random
import signal
import subprocess
import sys
import time

import pytest

_TOPOLOOM = [sys.executable, "-m", "topoloom"]
_QUICK = "besta-2014/table-iv/sf-cost"
_TRAP = "import pathlib; (pathlib.Path(__file__).parent / 'MARK').write_text(__name__)\n"


def _ran(*words, **how):
    return subprocess.run([*_TOPOLOOM, *words], capture_output=True, text=True, check=False, **how)


def test_topoloom_lists_the_command():
    """In its help, with one line; the command's own help has an example."""
    assert "reproduce" in _ran("--help").stdout
    assert f"Example: topoloom reproduce {_QUICK.rpartition('/')[0]}" in _ran("reproduce", "--help").stdout
    done = _ran("reproduce", "007")
    assert (done.returncode, done.stdout, done.stderr.count("\n")) == (2, "", 1)
    assert done.stderr.startswith("error: no claim '007'")


@pytest.mark.exhaustive
def test_it_ends_when_nobody_reads_it(tmp_path):
    """It prints claim by claim, for minutes: the rest is not computed for nobody."""
    line = f'set -o pipefail; "{sys.executable}" -m topoloom reproduce nakano-2016 | head -1'
    ran = subprocess.run(["bash", "-c", line], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert (ran.returncode, ran.stderr, list(tmp_path.iterdir())) == (0, "", [])


@pytest.mark.exhaustive
def test_a_full_disk_is_one_sentence():
    """Exit code 2, as of every command."""
    with open("/dev/full", "w") as full:
        done = subprocess.run(
            [*_TOPOLOOM, "reproduce", _QUICK], stdout=full, stderr=subprocess.PIPE, text=True, check=False
        )
    assert (done.returncode, done.stderr.count("\n")) == (2, 1)
    assert "error: the output cannot be written" in done.stderr


def _signals_are_heard():
    """Also where the tests run in the background, or under nohup, which ignore some of them."""
    signal.signal(signal.SIGINT, signal.default_int_handler)
    signal.signal(signal.SIGHUP, signal.SIG_DFL)


@pytest.mark.sweep(1)
@pytest.mark.parametrize("signals", [(signal.SIGTERM,), (signal.SIGINT,), (signal.SIGHUP,), (signal.SIGINT,) * 2])
def test_signals_end_it(signals, tmp_path):
    """With code 130 and a word about it; the claims that are finished are printed."""
    with (tmp_path / "out").open("w+") as out, (tmp_path / "err").open("w+") as err:
        running = subprocess.Popen(
            [*_TOPOLOOM, "reproduce"],
            stdout=out,
            stderr=err,
            start_new_session=True,
            preexec_fn=_signals_are_heard,  # noqa: PLW1509 (no thread)
            env={**os.environ, "COLUMNS": "100"},
        )
    while not (tmp_path / "out").read_text():
        assert running.poll() is None, (tmp_path / "err").read_text()
        time.sleep(0.05)
    for number in signals:
        running.send_signal(number)
        time.sleep(0.05)
    assert running.wait(120) == 130
    said = (tmp_path / "err").read_text()
    assert "interrupted" in said + (tmp_path / "out").read_text()
    assert "Traceback" not in said


@pytest.mark.exhaustive
def test_it_runs_no_code_of_the_folder_it_is_started_in(tmp_path):
    """Modules there that have the names of Python's own and of libraries are not imported."""
    for name in ("random", "csv", "jinja2", "msgspec", "matplotlib", "topoloom_papers"):
        (tmp_path / f"{name}.py").write_text(_TRAP)
    script = "import sys; from topoloom.__main__ import main; sys.exit(main())"
    words = ["reproduce", _QUICK, "-o", "reproduced"]
    (tmp_path.parent / "topoloom.script").write_text(script)
    ran = subprocess.run(
        [sys.executable, str(tmp_path.parent / "topoloom.script"), *words],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert ran.returncode == 0, ran.stderr
    assert not (tmp_path / "MARK").exists(), (tmp_path / "MARK").read_text()


@pytest.mark.exhaustive
def test_killed_at_any_moment_every_file_is_whole(tmp_path):
    """What is written is written claim by claim, each file whole or not at all; the next run completes it."""
    words, draws = ["besta-2014/table-iv", "koibuchi-2013/fig-9", "-o"], random.Random(1)
    began = time.monotonic()
    assert _ran("reproduce", *words, str(tmp_path / "whole")).returncode == 0
    seconds, names = time.monotonic() - began, {path.name for path in (tmp_path / "whole").iterdir()}
    assert len(names) == 4
    for number in range(8):
        folder = tmp_path / str(number)
        running = subprocess.Popen([*_TOPOLOOM, "reproduce", *words, str(folder)], stdout=subprocess.DEVNULL)
        time.sleep(seconds * draws.uniform(0.2, 1.05))
        running.kill()
        running.wait()
        for path in folder.glob("*.*"):
            if path.name in names:
                assert path.stat().st_size
                assert path.suffix != ".html" or path.read_text().endswith("</html>\n")
        assert _ran("reproduce", *words, str(folder)).returncode == 0
        assert {path.name for path in folder.iterdir()} == names
