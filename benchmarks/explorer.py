"""The explorer in Chromium: first paint, time to draw a Slim Fly of 3,698 switches, frame rate, memory, size of scripts.

    python benchmarks/explorer.py

Targets: first paint under 1 s, drawn in under 2 s if its record is stored, 60 frames per second on a GPU, memory under 300 MB,
scripts under 400 kB. Without a GPU the frames are rendered in software and are not comparable; the line shows the renderer.
"""

import os
import re
import subprocess
import sys
import tempfile
import time

from selenium import webdriver
from selenium.webdriver.chrome.service import Service

_FRAMES = """
const done = arguments[0], canvas = document.querySelector('.sheet canvas');
let frames = 0; const began = performance.now();
const step = () => {
  canvas.dispatchEvent(new KeyboardEvent('keydown', { key: frames % 2 ? 'ArrowLeft' : 'ArrowRight' })); frames += 1;
  if (performance.now() - began < 2000) requestAnimationFrame(step); else done(frames / 2); };
step();"""


def main() -> None:
    """Print one line per measure."""
    with tempfile.TemporaryDirectory() as store:
        command = [sys.executable, "-m", "topoloom", "serve", "--port", "0", "--store", store, "--no-browser"]
        server = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        first = re.search(r"http\S+", server.stdout.readline())[0]
        base = first.partition("/?")[0]
        options = webdriver.ChromeOptions()
        for option in ("--headless=new", "--no-sandbox", "--disable-dev-shm-usage", "--window-size=1400,950"):
            options.add_argument(option)
        if not os.path.exists("/dev/dri"):
            for option in ("--use-gl=angle", "--use-angle=swiftshader", "--enable-unsafe-swiftshader"):
                options.add_argument(option)
        browser = webdriver.Chrome(options=options, service=Service("/usr/bin/chromedriver"))
        browser.set_script_timeout(60)
        try:
            browser.get(first)
            browser.get(base + "/design")
            time.sleep(1)
            paint = browser.execute_script("return performance.getEntriesByName('first-contentful-paint')[0].startTime")
            print(f"first paint                 {paint / 1000:.2f} s")
            time.sleep(3)
            for how in ("first request", "record stored"):
                began = time.perf_counter()
                browser.get(f"{base}/topology?spec=slimfly:q=43")
                while not browser.execute_script("return document.querySelector('.sheet canvas')?.dataset.frames > 0"):
                    time.sleep(0.01)
                print(f"slimfly:q=43 drawn          {time.perf_counter() - began:.2f} s, {how}")
                time.sleep(25)  # until its measures are computed
            renderer = browser.execute_script(
                "const g = document.querySelector('.sheet canvas').getContext('webgl2');"
                " const e = g.getExtension('WEBGL_debug_renderer_info');"
                " return g.getParameter(e ? e.UNMASKED_RENDERER_WEBGL : g.RENDERER)"
            )
            print(f"frames per second           {browser.execute_async_script(_FRAMES):.0f}, by {renderer}")
            print(
                f"memory of the page          {browser.execute_script('return performance.memory.usedJSHeapSize') / 1e6:.0f} MB"
            )
            size = browser.execute_async_script(
                "fetch('/explorer.js').then((a) => a.text()).then((t) => arguments[0](t.length))"
            )
            print(f"scripts                     {size / 1000:.0f} kB")
        finally:
            browser.quit()
            server.terminate()
            server.wait(30)


if __name__ == "__main__":
    main()
