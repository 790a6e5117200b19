"""Install pip into an environment without pip: download its wheel from the package index and let it install itself."""

import html
import os
import re
import subprocess
import sys
import tempfile
import urllib.parse
import urllib.request
from pathlib import Path


def main() -> None:
    index = os.environ.get("PIP_INDEX_URL", "https://pypi.org/simple").rstrip("/") + "/pip/"
    listing = urllib.request.urlopen(index, timeout=60).read().decode()
    wheels = re.findall(r'href="([^"]+/(pip-[0-9.]+-py3-none-any\.whl)[^"]*)"', listing)
    if not wheels:
        sys.exit(f"error: no pip wheel at {index}; install Debian's python3-venv, or set PIP_INDEX_URL")
    link, name = max(wheels, key=lambda wheel: [int(part) for part in wheel[1].split("-")[1].split(".")])
    with tempfile.TemporaryDirectory() as folder:
        wheel = Path(folder) / name
        wheel.write_bytes(urllib.request.urlopen(urllib.parse.urljoin(index, html.unescape(link)), timeout=60).read())
        # A wheel is a zip file that Python can run from.
        command = [sys.executable, f"{wheel}/pip", "install", "--quiet", "--disable-pip-version-check", str(wheel)]
        sys.exit(subprocess.call(command))


if __name__ == "__main__":
    main()
