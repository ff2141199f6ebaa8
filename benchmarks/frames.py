"""Whether what the browser does alone keeps up with the screen: pointing at a row, dragging d_k, dragging a number.

    python -m benchmarks.frames [--samples 120]

Each time an event is dispatched at the start of a frame; taken is the time until the start of the frame after
next (two frames are 33.3 ms at 60 Hz), and that the picture has changed by then. No message may go to the
server.

Of a dragged number, the work on the main thread is taken as well: its processor time for the slider's event and the
frame that follows, less that of a frame in which nothing is moved.
"""

from __future__ import annotations

import argparse

from playwright.sync_api import Page, sync_playwright

from benchmarks.measure import Line, p, visit
from tests.browser.helpers import cell, messages
from tests.browser.servers import launch, running
from ui import link, views, workbench

MOST = 34.0
WORK = 17.0
SLIDER = """() => [...document.querySelectorAll("*")]
  .map((each) => each.shadowRoot?.querySelector('[data-part="slider"]')).find(Boolean)"""
TWO_FRAMES = """async ([samples, kind]) => {
  const whatIf = SLIDER;
  const frame = () => new Promise(requestAnimationFrame);
  const charts = [...document.querySelectorAll('[data-testid="stVegaLiteChart"]')];
  const chart = charts.at(kind === "hover" ? -1 : 0);
  const rects = chart.querySelectorAll('g[class*="cells_0"] path');
  const slider = kind === "what-if" ? whatIf() : chart.querySelector('input[type="range"]');
  const picture = () => chart.querySelector("svg").innerHTML;
  const times = [];
  let unchanged = 0;
  for (let k = 0; k < samples; k++) {
    const before = picture();
    const start = await frame();
    if (kind === "hover") {
      const rect = rects[(k * 5) % rects.length], box = rect.getBoundingClientRect();
      const at = { bubbles: true, clientX: box.x + box.width / 2, clientY: box.y + box.height / 2 };
      for (const type of ["pointerover", "pointermove", "mouseover", "mousemove"]) {
        rect.dispatchEvent(new (type.startsWith("p") ? PointerEvent : MouseEvent)(type, at));
      }
    } else {
      const least = Number(slider.min), most = Number(slider.max);
      slider.value = least + (k % 2 ? 0.31 : 0.73) * (most - least) + (k % 7) * Number(slider.step || 1);
      slider.dispatchEvent(new Event("input", { bubbles: true }));
    }
    await frame();
    times.push(await frame() - start);
    unchanged += picture() === before;
  }
  return [times, unchanged];
}""".replace("SLIDER", SLIDER)
ONE_UPDATE = """async ([k, moved]) => {
  // The slider goes from end to end in a second, as a hand would; what it moves is drawn in the frame that follows.
  const frame = () => new Promise(requestAnimationFrame);
  const task = () => new Promise((done) => { const { port1, port2 } = new MessageChannel();
    port1.onmessage = done; port2.postMessage(0); });
  const slider = (SLIDER)();
  await frame();
  await task();
  if (moved) {
    slider.value = Number(slider.min) + (1 - Math.abs(1 - k / 60 % 2)) * (slider.max - slider.min);
    slider.dispatchEvent(new Event("input", { bubbles: true }));
  }
  await frame();
  await task();
}""".replace("SLIDER", SLIDER)


def main(samples: int = 120) -> list[Line]:
    with running() as app, sync_playwright() as playwright:
        chromium = launch(playwright)
        lines = []
        answered = link.encode(views.shown(workbench.preset("cat"), "variance.guess_doubled", "skip"))
        for kind, name, path in (("hover", "row highlight", "edit?lang=en"),
                                 ("drag", "d_k drag", f"variance?lang=en&s={answered}")):  # fmt: skip
            page = visit(chromium, f"{app.url}/{path}")
            lines += _line(page, kind, name, samples)
        for n in (4, 8):
            lines += _dragged(visit(chromium, f"{app.url}/edit?lang=en&s={_code(n)}"), n, samples)
        chromium.close()
    return lines


def _code(n: int) -> str:
    return link.encode(workbench.random(tuple("abcdefghijkl"[:n]), n, n, 1))


def _dragged(page: Page, n: int, samples: int) -> list[Line]:
    """A number of Q moved by the what-if's slider."""
    cell(page, "Q", 1, 1).focus()
    page.locator('[data-part="slider"]').wait_for()
    _work(page, 60)  # a second of dragging, after which the browser has compiled what runs often
    before = messages(page)
    nothing = p(_work(page, 30, moved=False), 50)
    times = [time - nothing for time in _work(page, samples)]
    sent = messages(page) - before
    note = f"median {p(times, 50):.1f} ms, worst {max(times):.0f} ms, {samples} times"
    name = f"what-if, n = d = {n}"
    return [
        Line(f"{name}: main thread, p95", p(times, 95), WORK, "ms", note),
        Line(f"{name}: messages to the server, that many updates", sent, 0, ""),
        *_line(page, "what-if", name, samples),
    ]


def _work(page: Page, samples: int, *, moved: bool = True) -> list[float]:
    """Processor time of the page's main thread for each update, in ms: others' load on the machine is no part of it."""
    chromium = page.context.new_cdp_session(page)
    chromium.send("Performance.enable", {"timeDomain": "threadTicks"})

    def used() -> float:
        metrics = chromium.send("Performance.getMetrics")["metrics"]
        return 1000 * next(float(each["value"]) for each in metrics if each["name"] == "TaskDuration")

    times = []
    for k in range(samples):
        before = used()
        page.evaluate(ONE_UPDATE, [k, moved])
        times.append(used() - before)
    chromium.detach()
    return times


def _line(page: Page, kind: str, name: str, samples: int) -> list[Line]:
    page.evaluate(TWO_FRAMES, [10, kind])
    before = messages(page)
    times, unchanged = page.evaluate(TWO_FRAMES, [samples, kind])
    sent = messages(page) - before
    note = f"median {p(times, 50):.1f} ms, worst {max(times):.0f} ms, {samples} times"
    return [
        Line(f"{name}: two frames, p95", p(times, 95), MOST, "ms", note),
        Line(f"{name}: picture unchanged two frames later", unchanged, 0.05 * samples, "", f"of {samples}"),
        Line(f"{name}: messages to the server", sent, 0, ""),
    ]


if __name__ == "__main__":
    ask = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    ask.add_argument("--samples", type=int, default=120)
    for line in main(ask.parse_args().samples):
        print(line.row())
