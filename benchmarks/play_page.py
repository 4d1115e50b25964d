"""How quick and how small the page of a table is: ``python benchmarks/play_page.py [--deals N] [--json]``.

A real browser plays Whist against three ``hybrid`` at a server of its own, without a pause between moves. A click counts
until the page has drawn the last of the opponents' answers; the clock is the page's own, so the driving of the browser
does not count. Bytes are what goes over the wire for a page that nobody has opened before, headers included.
"""

from __future__ import annotations

import json
import shutil
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import click
from measuring import count_option, hand_over, machine

from cardenvs import cli
from cardenvs.baselines.reports.document import Document, Items

SEATS = "human,hybrid,hybrid,hybrid"
"""Who plays each seat of the table."""
BUDGET_MS = 100
"""Milliseconds that a click may take until the answer is drawn, in the median."""
BUDGET_BYTES = 150_000
"""Bytes that the page may take over the wire."""

# Clicks the first card that may be played; returns milliseconds until the answer is drawn, and until it is painted.
CLICK = """() => new Promise((done) => {
  const page = document.documentElement;
  const before = page.dataset.version;
  const button = document.querySelector("#hand button.legal");
  const from = performance.now();
  const watch = new MutationObserver(() => {
    if (page.dataset.version === before || (page.dataset.turn !== "yes" && page.dataset.over !== "yes")) return;
    watch.disconnect();
    const drawn = performance.now();
    // What the next frame shows has been laid out and painted by the frame after it.
    requestAnimationFrame(() => requestAnimationFrame(() => done([drawn - from, performance.now() - from])));
  });
  watch.observe(page, {attributes: true});
  button.click();
})"""

# Opens a second connection; returns the bytes of the state that comes first.
STATE = """async () => {
  const text = await new Promise((done) => {
    const socket = new WebSocket(location.href.replace("http", "ws") + "/ws");
    socket.onmessage = (event) => event.data.includes('"type": "state"') && done(event.data);
  });
  return text.length;
}"""


@contextmanager
def served() -> Iterator[str]:
    """A table of ``cardenvs play`` in a process of its own; yields the link of the person's seat."""
    with tempfile.TemporaryDirectory() as folder:
        start = "from cardenvs.cli import main; main()"
        command = [sys.executable, "-c", start, "play", "whist", "-o", "episode=deal", "--seats", SEATS]
        command += ["--seed", "1", "--port", "0"]
        command += ["--pause", "0", "--folder", folder, "--no-browser", "--json"]
        server = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
        try:
            assert server.stdout is not None
            text = ""
            for line in server.stdout:
                text += line
                try:
                    announced = json.loads(text)
                except ValueError:
                    continue
                break
            yield next(seat["url"] for seat in announced["seats"] if seat["url"])
        finally:
            server.terminate()
            server.wait(20)


def measure(deals: int) -> dict[str, Any]:
    """Plays ``deals`` deals in a browser; returns the figures for JSON."""
    from playwright.sync_api import sync_playwright

    chromium = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
    if chromium is None:
        raise ValueError("no chromium, chromium-browser or google-chrome is installed")
    drawn: list[float] = []
    painted: list[float] = []
    sizes: dict[str, int] = {}
    urls: dict[str, str] = {}
    with served() as link, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
        page = browser.new_page(viewport={"width": 1280, "height": 800})
        page.set_default_timeout(300_000)  # policies compile at their first move
        network = page.context.new_cdp_session(page)
        network.send("Network.enable")
        network.on("Network.responseReceived", lambda e: urls.update({e["requestId"]: e["response"]["url"]}))
        network.on(
            "Network.loadingFinished", lambda event: sizes.update({event["requestId"]: int(event["encodedDataLength"])})
        )
        page.goto(link)
        page.wait_for_load_state("networkidle")
        turn = 'html[data-turn="yes"], html[data-over="yes"]'
        for deal in range(deals + 1):  # the first one warms everything up
            while True:
                page.wait_for_selector(turn, state="attached")
                if page.locator("html").get_attribute("data-over") == "yes":
                    break
                drawn_ms, painted_ms = page.evaluate(CLICK)
                if deal:
                    drawn.append(drawn_ms)
                    painted.append(painted_ms)
            page.click("#result [data-do=new]")
            page.wait_for_selector('html[data-over="no"]', state="attached")
        state_bytes = page.evaluate(STATE)
        browser.close()
    files = {urls[key].rpartition("/")[2] if "/static/" in urls[key] else "page": size for key, size in sizes.items()}
    return {
        "machine": machine()["processor"],
        "clicks": len(drawn),
        "click_to_drawn_ms": round(statistics.median(drawn), 1),
        "click_to_drawn_p95_ms": round(sorted(drawn)[int(0.95 * len(drawn))], 1),
        "click_to_painted_ms": round(statistics.median(painted), 1),
        "page_bytes": sum(files.values()),
        "bytes_by_file": files,
        "state_bytes": state_bytes,
        "within_budget": statistics.median(drawn) < BUDGET_MS and sum(files.values()) < BUDGET_BYTES,
    }


@click.command()
@count_option("--deals", 5, "Deals to play.")
@cli.json_option
def main(deals: int, as_json: bool) -> None:
    """How quick and how small the page of a table is."""
    figures = measure(deals)
    clicks = (
        f"click to the drawn answer of three opponents: {figures['click_to_drawn_ms']} ms, median of {figures['clicks']}",
        f"95 of 100 clicks within {figures['click_to_drawn_p95_ms']} ms; painted after {figures['click_to_painted_ms']} ms",
        f"page: {figures['page_bytes']:,} bytes over the wire; a state: {figures['state_bytes']:,}",
    )
    hand_over(figures, Document("The page of a table", [Items(clicks)]), None, as_json)


if __name__ == "__main__":
    main()
