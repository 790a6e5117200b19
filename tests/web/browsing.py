"""Chromium for the tests of the explorer: a driver, waiting, texts, and what axe-core reports."""

import os
import shutil
from contextlib import suppress
from importlib.resources import files
from pathlib import Path

import pytest

webdriver = pytest.importorskip("selenium.webdriver", reason="selenium is not installed")
from selenium.common.exceptions import StaleElementReferenceException  # noqa: E402
from selenium.webdriver.chrome.service import Service  # noqa: E402
from selenium.webdriver.common.by import By  # noqa: E402
from selenium.webdriver.support.ui import WebDriverWait  # noqa: E402

_CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")
#: Debian's own driver: Selenium would look for one on the net.
_DRIVER = Path("/usr/bin/chromedriver")
needs_chromium = pytest.mark.skipif(
    _CHROMIUM is None or not _DRIVER.exists(),
    reason="chromium or its driver is not installed (Debian: apt-get install chromium chromium-driver)",
)
#: Chromium with WebGL by software.
WEBGL = ("--use-gl=angle", "--use-angle=swiftshader", "--enable-unsafe-swiftshader")


def driver(*options: str):
    """A browser without a window, 1400 pixels wide."""
    chosen = webdriver.ChromeOptions()
    chosen.binary_location = _CHROMIUM
    for option in ("--headless=new", "--no-sandbox", "--disable-dev-shm-usage", "--window-size=1400,950", *options):
        chosen.add_argument(option)
    chosen.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    return webdriver.Chrome(options=chosen, service=Service(str(_DRIVER)))


def severe(browser):
    """The errors that the browser wrote since the last call."""
    return [entry for entry in browser.get_log("browser") if entry["level"] == "SEVERE"]


def wait(browser, what, seconds=60):
    """The first true value of `what`; a view may be drawn again between finding a part of it and looking at it."""
    waiting = WebDriverWait(browser, seconds, 0.05, ignored_exceptions=[StaleElementReferenceException])
    return waiting.until(lambda _: what())


def text(browser, chosen="main"):
    """The text of an element."""
    for _ in range(100):
        with suppress(StaleElementReferenceException):
            return browser.find_element(By.CSS_SELECTOR, chosen).text
    raise AssertionError(f"{chosen} is drawn again and again")


def spoiled(browser):
    """What a page shows where a script wrote a value without looking at it."""
    return [word for word in ("[object ", "undefined", "NaN", "null") if word in text(browser, "body")]


def violations(browser):
    """What axe-core objects to in the present page: rule, elements and reason.

    The version of the installed Python package; another file by the variable TOPOLOOM_AXE.
    """
    named = os.environ.get("TOPOLOOM_AXE")
    source = Path(named) if named else files("selenium_axe_python") / "axe-core" / "axe.min.js"
    browser.execute_script(source.read_text(encoding="utf-8"))
    browser.set_script_timeout(60)
    report = browser.execute_async_script(
        "const done = arguments[0]; axe.run().then(done, (error) => done({error: String(error)}))"
    )
    assert "error" not in report, report
    return [
        (rule["id"], node["target"], node.get("failureSummary", "")[:300])
        for rule in report["violations"]
        for node in rule["nodes"]
    ]


class narrow:  # noqa: N801 - a context manager, used as a function
    """The page at this width, in pixels, as a phone or a tablet has it."""

    def __init__(self, browser, width, height=900):
        self._browser = browser
        self._size = {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": width < 700}

    def __enter__(self):
        self._browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", self._size)
        return self._browser

    def __exit__(self, *_):
        self._browser.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})


class dark:  # noqa: N801 - a context manager, used as a function
    """The page for readers who prefer dark colours."""

    def __init__(self, browser):
        self._browser = browser

    def __enter__(self):
        self._set("dark")
        return self._browser

    def __exit__(self, *_):
        self._set("light")

    def _set(self, scheme):
        self._browser.execute_cdp_cmd(
            "Emulation.setEmulatedMedia", {"features": [{"name": "prefers-color-scheme", "value": scheme}]}
        )
