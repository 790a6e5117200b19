"""A site of a folder: the explorer's views as files that open from disk, without a server."""

import json
import re

import pytest
from browsing import By, driver, needs_chromium, severe, text, violations, wait

from in_process import run
from topoloom import InputError, run_task, task_of
from topoloom.web.site import MOST_BYTES, write_site


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A folder with two networks on floors, one with a hostile name."""
    here = tmp_path_factory.mktemp("sites") / "nets"
    here.mkdir()
    for spec, name in (("petersen:hosts=2", "petersen"), ("ring:n=6,hosts=1", "<img src=x onerror=alert(1)>")):
        assert run("layout", spec, "-o", here / name).code == 0
    return here


@pytest.fixture(scope="module")
def site(folder):
    """The site, inside the folder as the command writes it."""
    result = run("report", folder, "--site")
    assert result.code == 0
    assert re.fullmatch(rf"site: {re.escape(str(folder))}/site/index.html \(\d+ files\)\n", result.out)
    return folder / "site"


def _index(site):
    return json.loads((site / "index.js").read_text().partition("=")[2].rstrip().rstrip(";"))


def _read(site, number):
    return json.loads(re.fullmatch(r"TOPOLOOM_SITE\.put\(\d+, (.*)\);\n", (site / f"data/{number}.js").read_text())[1])


def test_a_site_has_the_records_of_the_commands(folder, site):
    """The same record as the command's, and the command beside it names the folder."""
    tasks = _index(site)["tasks"]
    task = tasks['["cost",{"topology":"nets/petersen"}]']
    record = _read(site, task["number"])
    assert record["state"] == "done"
    expected, row = run_task(task_of("cost", {"topology": str(folder / "petersen")}))
    assert record["result"] == json.loads(json.dumps(expected))
    assert record["row"] == row
    assert task["command"] == "topoloom cost nets/petersen --json"


def test_a_site_has_the_files_and_not_itself(folder, site):
    """Copies of the folder's files; written again, it does not contain the first site."""
    index = _index(site)
    assert "nets/petersen/cables.csv" in index["files"]
    copy = site / "files" / "nets/petersen/cables.csv"
    assert copy.read_bytes() == (folder / "petersen" / "cables.csv").read_bytes()
    before = {path.relative_to(site) for path in site.rglob("*")}
    write_site(folder, site, jobs=1)
    assert {path.relative_to(site) for path in site.rglob("*")} == before
    assert all(path.stat().st_size <= MOST_BYTES for path in (site / "files").rglob("*") if path.is_file())


def test_no_name_ends_a_script(site):
    """No file of the site has a tag of a name as it is."""
    for path in [site / "index.js", *(site / "data").iterdir()]:
        assert "<img" not in path.read_text()


def test_a_folder_without_networks_has_no_site(tmp_path):
    """One sentence with what writes such folders."""
    with pytest.raises(InputError, match="contains no network; 'topoloom design -o'"):
        write_site(tmp_path, tmp_path / "site")
    assert list(tmp_path.iterdir()) == []


@needs_chromium
def test_a_site_opens_from_disk(site):
    """Every network and every view, no message of the browser, no violation of axe-core, nothing that a server would do."""
    browser = driver()
    try:
        browser.get((site / "index.html").as_uri())
        wait(browser, lambda: len(browser.find_elements(By.CSS_SELECTOR, ".network .card")) > 8)
        assert severe(browser) == []
        assert violations(browser) == []
        browser.find_element(By.CSS_SELECTOR, ".network a[href*='petersen']").click()
        for name in [each.text for each in browser.find_elements(By.CSS_SELECTOR, "nav.views a")]:
            browser.find_element(By.CSS_SELECTOR, "nav.views").find_element(By.LINK_TEXT, name).click()
            wait(browser, lambda name=name: text(browser, "nav.views [aria-current=page]") == name)
            wait(browser, lambda: len(text(browser)) > 200)
            if name == "Structure":
                wait(browser, lambda: browser.find_elements(By.CSS_SELECTOR, ".structure canvas[data-frames]"))
                wait(browser, lambda: "lines between" in text(browser, ".structure-legend"))
            assert not browser.find_elements(By.CSS_SELECTOR, "[role=alert]"), (name, text(browser, "[role=alert]"))
        browser.back()
        wait(browser, lambda: browser.find_elements(By.CSS_SELECTOR, "nav.views"))
    finally:
        browser.quit()
