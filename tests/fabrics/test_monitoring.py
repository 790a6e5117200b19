"""Metrics for Prometheus and the line for Nagios, by the rules of their readers; --quiet; root causes of `watch`."""

import json
import re

import pytest

from topoloom import build, save
from topoloom.cli.main import main
from topoloom.fabric.monitoring import HELP, Sample, nagios_line, prometheus_text

#: The text format 0.0.4 of Prometheus: names, labels with \\, \" and \n escaped, a number; no timestamp.
_SAMPLE = re.compile(
    r'([a-zA-Z_:][\w:]*)\{((?:[a-zA-Z_]\w*="(?:[^"\\\n]|\\[\\"n])*"(?:,(?=[a-zA-Z])|(?=\})))*)\} (\S+)'
)
#: Guidelines of the Monitoring Plugins: label=value;warn;crit;min;max, thresholds empty or numbers.
_DATA = re.compile(r"[a-z_]+=\d+(?:;\d*){4}")


def metrics(text):
    """The values by name and labels; HELP and TYPE once per name and before its samples, one newline at the end."""
    assert text.endswith("\n")
    assert not text.endswith("\n\n")
    values, declared = {}, []
    for line in text.splitlines():
        if line.startswith("# "):
            keyword, name, _ = line[2:].split(" ", 2)
            assert (keyword, name) not in declared
            declared.append((keyword, name))
            continue
        name, labels, value = _SAMPLE.fullmatch(line).groups()
        assert declared[-2:] == [("HELP", name), ("TYPE", name)]
        assert (name, labels) not in values
        values[name, labels] = float(value)
    return values


def without(text, number):
    """A .net text without a planned switch and its cables."""
    name = f'"S-{0x200000 + number:016x}"'
    nodes = [node for node in text.split("\n\n") if not re.search(rf"^Switch.*{name}", node, re.M)]
    return "\n".join(line for line in "\n\n".join(nodes).split("\n") if name not in line) + "\n"


@pytest.fixture
def call(tmp_path, monkeypatch, capsys):
    """Run a command in an empty folder: its exit code, standard output and standard error."""
    monkeypatch.chdir(tmp_path)

    def run(*words):
        with pytest.raises(SystemExit) as end:
            main(list(words))
        return (end.value.code or 0, *capsys.readouterr())

    return run


@pytest.fixture
def nets(tmp_path):
    """A plan of 12 switches and 128 cables, and the fabric without a leaf and without a spine."""
    save(build("fat-tree:hosts=64,k=16"), tmp_path / "plan.net")
    text = (tmp_path / "plan.net").read_text()
    (tmp_path / "leaf.net").write_text(without(text, 0))
    (tmp_path / "spine.net").write_text(without(text, 8))
    return tmp_path


def test_metrics_of_a_check_count_cables_and_findings(call, nets):
    """A clean fabric and one without a spine, whose 16 cables are missing; every rule has its series in both."""
    assert call("verify", "plan.net", "plan.net", "--prom", "a.prom")[0] == 0
    assert call("verify", "plan.net", "spine.net", "--prom", "b.prom")[0] == 3
    clean, broken = (metrics((nets / name).read_text()) for name in ("a.prom", "b.prom"))
    assert {name for name, _ in clean} <= HELP.keys()
    for values, fabric, ok, missing, errors in ((clean, "plan", 1, 0, 0), (broken, "spine", 0, 16, 1)):
        labels = f'check="verify",fabric="{fabric}"'
        assert values["topoloom_fabric_ok", labels] == ok
        assert values["topoloom_fabric_cables_planned", labels] == 128
        assert values["topoloom_fabric_cables", f'{labels},state="missing"'] == missing
        assert values["topoloom_fabric_cables", f'{labels},state="right"'] == 128 - missing
        assert values["topoloom_fabric_findings", f'{labels},severity="error"'] == errors
        rule = f'{labels},rule="TL201",name="switch-missing",severity="error"'
        assert values["topoloom_fabric_diagnostics", rule] == errors
        time = values["topoloom_fabric_input_timestamp_seconds", f'{labels},file="{fabric}.net"']
        assert time == (nets / f"{fabric}.net").stat().st_mtime
    rules = [
        {labels.split(",rule=")[1] for name, labels in values if "diagnostics" in name} for values in (clean, broken)
    ]
    assert rules[0] == rules[1]
    assert (nets / "a.prom").stat().st_mode & 0o044 == 0o044
    assert not [path for path in nets.iterdir() if path.name.startswith(".")]


def test_metrics_of_tables(call, nets):
    """Pairs, loads and the verdict of verify-tables are those of its record."""
    assert call("route", "torus:dims=3x3,hosts=1", "-o", "t")[0] == 0
    assert call("export", "t", "opensm", "-o", "o")[0] == 0
    code, out, _ = call("verify-tables", "o/fabric.net", "o/fabric.lft", "--json", "--prom", "t.prom")
    record = json.loads(out)["table_verification"]
    values = {name: value for (name, _), value in metrics((nets / "t.prom").read_text()).items()}
    assert values["topoloom_fabric_table_pairs"] == record["pairs"] == 72
    assert values["topoloom_fabric_table_pairs_reached"] == record["reached_pairs"] == 72
    assert values["topoloom_fabric_table_hops_max"] == record["max_hops"] == 2
    assert values["topoloom_fabric_tables_deadlock_free"] == record["deadlock_free"]
    assert values["topoloom_fabric_ok"] == (code == 0)


def test_a_watched_week_has_metrics_and_causes(call, nets):
    """A dead leaf is one line and one cause, 16 lost cables in the metrics."""
    code, out, _ = call("watch", "plan.net", "plan.net", "leaf.net", "--prom", "w.prom")
    assert code == 3
    assert [line for line in out.splitlines() if "S0" in line] == [
        "TL201: switch S0 is not there, nor are its 16 cables; hosts H0, H1, H2, H3, H4, H5, H6, H7 with it"
    ]
    values = metrics((nets / "w.prom").read_text())
    labels = 'check="watch",fabric="plan"'
    assert values["topoloom_fabric_cables", f'{labels},state="lost"'] == 16
    assert values["topoloom_fabric_ok", labels] == 0


def test_a_lost_cable_is_a_cause_and_a_missing_one_is_not(call, nets):
    """One pulled cable between two discoveries is named; cables that were never there are counted only."""
    text = (nets / "plan.net").read_text()
    lines = text.split("\n")
    pulled = [line for line in lines if not re.match(r'\[9\]\t"S-0*200008"\[1\]|\[1\]\t"S-0*200000"\[9\]', line)]
    assert len(pulled) == len(lines) - 2
    (nets / "pulled.net").write_text("\n".join(pulled))
    code, out, _ = call("watch", "plan.net", "plan.net", "pulled.net")
    assert code == 3
    assert "TL101: lost, was right before: " in out
    code, out, _ = call("watch", "plan.net", "pulled.net")
    assert code == 3
    assert "TL101" not in out


@pytest.mark.parametrize(
    ("words", "code", "line"),
    [
        (("verify", "plan.net", "plan.net"), 0, r"FABRIC OK - 0 errors, 0 warnings, 128 cables right \| "),
        (
            ("verify", "plan.net", "spine.net"),
            2,
            r"FABRIC CRITICAL - 1 error, 0 warnings, 112 cables right; TL201 error: .*\| ",
        ),
        (("watch", "plan.net", "spine.net"), 2, r"FABRIC CRITICAL - 112 of 128 cables right; TL201: .* \| "),
        (("verify", "plan.net", "no.net"), 3, r"FABRIC UNKNOWN - no.net: there is no such file"),
        (("verify", "plan.net", "--match", "no"), 3, r"FABRIC UNKNOWN - "),
    ],
)
def test_nagios_reads_one_line_and_the_exit_code(call, nets, words, code, line):
    """State, text and data; what cannot be read is UNKNOWN, not CRITICAL."""
    status, out, _ = call(*words, "--nagios")
    assert status == code
    assert out.count("\n") == 1
    assert re.match(line, out)
    data = out.partition(" | ")[2].split()
    assert all(map(_DATA.fullmatch, data))
    assert bool(data) == (code != 3)


def test_names_and_texts_cannot_break_the_formats():
    """Quotes, line ends and bars are escaped or replaced."""
    text = prometheus_text([Sample("topoloom_fabric_ok", 1, {"fabric": 'a"b\\c\nd'})])
    assert list(metrics(text)) == [("topoloom_fabric_ok", r'fabric="a\"b\\c\nd"')]
    assert nagios_line(2, "a|b\nc") == "FABRIC CRITICAL - a/b c"
    assert len(nagios_line(0, "x" * 10_000)) < 400


def test_quiet_prints_only_what_is_wrong(call, nets):
    """Nothing at all at exit code 0, the whole text at 3, and one line on standard error at 2."""
    assert call("verify", "plan.net", "plan.net", "-q", "--sarif", "x.sarif") == (0, "", "")
    assert call("watch", "plan.net", "plan.net", "--quiet", "-o", "sheets") == (0, "", "")
    assert call("route", "petersen:hosts=1", "-q", "-o", "r") == (0, "", "")
    assert call("export", "petersen:hosts=1", "slurm", "-q", "-o", "s") == (0, "", "")
    assert call("verify", "plan.net", "spine.net", "-q") == call("verify", "plan.net", "spine.net")
    assert call("verify", "plan.net", "plan.net", "-q", "--nagios")[1].startswith("FABRIC OK")
    code, out, err = call("verify", "plan.net", "no.net", "-q")
    assert (code, out, err.count("\n")) == (2, "", 1)
    assert call("hops", "petersen")[1] != ""


def test_options_that_exclude_each_other_are_refused(call, nets):
    """Two forms of the result, or a file that the collector would not read."""
    assert "give one" in call("verify", "plan.net", "--nagios", "--json")[1]
    assert "end in .prom" in call("verify", "plan.net", "--prom", "x.txt")[2]
