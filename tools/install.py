"""Install packages into the environment that runs this script: .venv/bin/python tools/install.py REQUIREMENT...

`uv` installs them, five times as fast as pip, with pip's settings (pip.conf, PIP_* variables). pip installs `uv`, and also the
packages if `uv` fails or has no counterpart of a setting. An environment without pip gets it from the wheel in Python's
ensurepip, or from the package index if Debian has ensurepip only in python3-venv.
"""

import ast
import html
import os
import re
import subprocess
import sys
import tempfile
import urllib.parse
import urllib.request
from importlib.util import find_spec
from pathlib import Path

#: Settings of pip, and the options of uv with the same meaning.
_OPTIONS = {
    "index-url": "--default-index",
    "extra-index-url": "--index",
    "find-links": "--find-links",
    "constraint": "--constraint",
    "trusted-host": "--allow-insecure-host",
}
#: Settings of pip that do not affect which packages are installed.
_HARMLESS = {
    "break-system-packages",
    "cache-dir",
    "cert",
    "default-timeout",
    "disable-pip-version-check",
    "no-cache-dir",
    "no-color",
    "no-input",
    "progress-bar",
    "quiet",
    "require-virtualenv",
    "retries",
    "root-user-action",
    "timeout",
    "verbose",
}
_QUIET = ["--quiet", "--disable-pip-version-check"]


def main() -> None:
    """Install the requirements of the command line; exits with pip's code if pip fails too."""
    requirements = sys.argv[1:]
    if not requirements:
        sys.exit("usage: .venv/bin/python tools/install.py REQUIREMENT...")
    with tempfile.TemporaryDirectory() as folder:
        pip = _pip(Path(folder))
        if not _with_uv(pip, ["pip", *requirements]):
            sys.exit(subprocess.call([*pip, "install", *_QUIET, "pip", *requirements]))


def _with_uv(pip: list[str], requirements: list[str]) -> bool:
    """Install with uv; returns whether that worked. uv's error output is dropped, because pip then prints its own."""
    settings = _settings(pip)
    if settings is None:
        return False
    quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    uv = [str(Path(sys.executable).with_name("uv"))]
    if not Path(uv[0]).exists() and subprocess.call([*pip, "install", *_QUIET, "uv"], **quiet):
        return False
    options, environment = settings
    command = [*uv, "pip", "install", "--quiet", "--python", sys.executable, *options, *requirements]
    return subprocess.call(command, env={**os.environ, **environment}, **quiet) == 0


def _settings(pip: list[str]) -> tuple[list[str], dict[str, str]] | None:
    """pip's settings as options and environment variables of uv; None if uv has no counterpart of a setting."""
    listed = subprocess.run([*pip, "config", "list"], capture_output=True, text=True, check=False)
    if listed.returncode:
        return None
    # Later sections override earlier ones, as in pip: all commands, this command, the environment.
    sections: dict[str, dict[str, str]] = {"global": {}, "install": {}, ":env:": {}}
    for line in listed.stdout.splitlines():
        name, _, value = line.partition("=")
        section, _, key = name.partition(".")
        if section in sections:
            sections[section][key] = ast.literal_eval(value)
    values = {key: value for section in sections.values() for key, value in section.items() if key != "config-file"}
    if values.keys() - _OPTIONS.keys() - _HARMLESS:
        return None
    options = [
        part for key, option in _OPTIONS.items() for value in values.get(key, "").split() for part in (option, value)
    ]
    # pip takes the best version of all indexes; by default uv takes that of the first index with the package.
    options += ["--index-strategy", "unsafe-best-match"] if "extra-index-url" in values else []
    return options, {"SSL_CERT_FILE": values["cert"]} if "cert" in values else {}


def _pip(folder: Path) -> list[str]:
    """The command that runs pip: the environment's pip, or a wheel, which is a zip file that Python can run."""
    if find_spec("pip") is not None:
        return [sys.executable, "-m", "pip"]
    bundled = []
    if find_spec("ensurepip") is not None:
        import ensurepip

        folders = [Path(ensurepip.__file__).parent / "_bundled", getattr(ensurepip, "_WHEEL_PKG_DIR", None)]
        bundled = [wheel for place in folders if place for wheel in sorted(Path(place).glob("pip-*.whl"))]
    return [sys.executable, f"{bundled[0] if bundled else _fetched_pip(folder)}/pip"]


def _fetched_pip(folder: Path) -> Path:
    """Download the newest wheel of pip from the package index."""
    index = os.environ.get("PIP_INDEX_URL", "https://pypi.org/simple").rstrip("/") + "/pip/"
    listing = urllib.request.urlopen(index, timeout=60).read().decode()
    wheels = re.findall(r'href="([^"]+/(pip-[0-9.]+-py3-none-any\.whl)[^"]*)"', listing)
    if not wheels:
        sys.exit(f"error: no pip wheel at {index}; install Debian's python3-venv, or set PIP_INDEX_URL")
    link, name = max(wheels, key=lambda wheel: [int(part) for part in wheel[1].split("-")[1].split(".")])
    wheel = folder / name
    wheel.write_bytes(urllib.request.urlopen(urllib.parse.urljoin(index, html.unescape(link)), timeout=60).read())
    return wheel


if __name__ == "__main__":
    main()
