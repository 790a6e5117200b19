"""Frames per second of the drawings of 131,072 hosts and more, panned and zoomed in Chromium that paints by software.

    python benchmarks/drawing.py [SPEC ...]

Prints, for each network: seconds to draw it in Python, megabytes of its record, nodes and lines at the top level, milliseconds
of a full picture, and frames per second while it is panned and while it is zoomed.
"""

import sys
import time
from pathlib import Path

import msgspec

sys.path[:0] = [str(Path(__file__).parents[1] / "tests"), str(Path(__file__).parents[1] / "tests" / "web")]
from browsing import By, driver, wait  # noqa: E402
from test_server import Server  # noqa: E402

from topoloom import build, draw_network  # noqa: E402

_SPECS = (
    "fat-tree:k=84",
    "dragonfly:h=14",
    "slimfly:q=37,hosts=48",
    "fat-tree:k=512,hosts=131072,levels=2+planes:count=8",
)
#: Moves the picture in every frame for two seconds, and counts the frames.
_MEASURE = """
const [kind, done] = arguments, canvas = document.querySelector('.structure canvas'), box = canvas.getBoundingClientRect();
const x = box.left + box.width / 2, y = box.top + box.height / 2;
const before = Number(canvas.dataset.frames), begun = performance.now();
let step = 0;
const at = (dx) => ({ pointerId: 1, clientX: x + dx, clientY: y, bubbles: true });
const send = (type, dx) => canvas.dispatchEvent(new PointerEvent(type, at(dx)));
canvas.setPointerCapture = () => {};
if (kind === 'pan') send('pointerdown', 0);
const next = () => {
  step += 1;
  if (kind === 'pan') send('pointermove', 60 * Math.sin(step / 9));
  else canvas.dispatchEvent(new WheelEvent('wheel', { ...at(0), deltaY: 12 * Math.cos(step / 9), cancelable: true }));
  if (performance.now() - begun < 2000) requestAnimationFrame(next);
  else {
    if (kind === 'pan') send('pointerup', 0);
    done((Number(canvas.dataset.frames) - before) / (performance.now() - begun) * 1000);
  }
};
requestAnimationFrame(next);
"""


def main(specs: tuple[str, ...], store: Path) -> None:
    """Measure every network, one line each."""
    server = Server(store)
    browser = driver("--disable-gpu", "--disable-3d-apis")
    browser.set_script_timeout(60)
    browser.get(server.first)
    try:
        for spec in specs:
            topology = build(spec)
            begun = time.perf_counter()
            drawing = draw_network(topology)
            seconds = time.perf_counter() - begun
            megabytes = len(msgspec.json.encode(drawing.record())) / 1e6
            browser.get(f"{server.base}/network?spec={spec.replace('+', '%2B')}")
            wait(browser, lambda: browser.find_elements(By.CSS_SELECTOR, ".structure canvas[data-frames]"), 180)
            time.sleep(1)
            shown = browser.execute_script("return {...document.querySelector('.structure canvas').dataset}")
            pan, zoom = (browser.execute_async_script(_MEASURE, kind) for kind in ("pan", "zoom"))
            print(
                f"{spec}: {drawing.hosts:,} hosts, {drawing.links:,} links; {seconds:.1f} s, {megabytes:.1f} MB;"
                f" {shown['nodes']} nodes, {shown['bundles']} lines, {shown['ms']} ms;"
                f" {pan:.0f} frames/s panned, {zoom:.0f} zoomed",
                flush=True,
            )
    finally:
        browser.quit()
        server.end()


if __name__ == "__main__":
    from tempfile import TemporaryDirectory

    with TemporaryDirectory() as folder:
        main(tuple(sys.argv[1:]) or _SPECS, Path(folder) / "store")
