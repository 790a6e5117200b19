"""tools/install.py gives uv what pip is told, and leaves to pip what uv cannot be told."""

import runpy
import sys
from pathlib import Path

import pytest

_settings = runpy.run_path(str(Path(__file__).parents[1] / "tools" / "install.py"))["_settings"]


def _pip(*lines: str) -> list[str]:
    """A pip that lists these settings."""
    return [sys.executable, "-c", f"print({chr(10).join(lines)!r})"]


def test_settings_of_pip_are_those_of_uv():
    """Later sections win; the best version of all indexes is taken, as pip takes it; certificates go to the environment."""
    pip = _pip(
        "global.cert='/etc/ssl/ca.crt'",
        "global.index-url='https://old.example/simple'",
        "global.extra-index-url='file:///a file:///b'",
        "install.find-links='/wheels'",
        ":env:.index-url='https://new.example/simple'",
        ":env:.disable-pip-version-check='1'",
    )
    options, environment = _settings(pip)
    assert environment == {"SSL_CERT_FILE": "/etc/ssl/ca.crt"}
    pairs = list(zip(options[::2], options[1::2], strict=True))
    assert pairs == [
        ("--default-index", "https://new.example/simple"),
        ("--index", "file:///a"),
        ("--index", "file:///b"),
        ("--find-links", "/wheels"),
        ("--index-strategy", "unsafe-best-match"),
    ]


def test_without_settings_there_are_no_options():
    """pip prints an empty line then."""
    assert _settings(_pip("")) == ([], {})


@pytest.mark.parametrize("line", ["global.proxy='http://proxy:3128'", ":env:.require-hashes='1'", "install.pre='true'"])
def test_a_setting_that_uv_has_not_leaves_all_to_pip(line):
    """Whatever it does, pip does it."""
    assert _settings(_pip(line)) is None
