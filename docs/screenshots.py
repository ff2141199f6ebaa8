"""Take the README's screenshots from the running app: python docs/screenshots.py"""

from pathlib import Path

from playwright.sync_api import Browser, Page, sync_playwright

from tests.browser.helpers import settle, watch
from tests.browser.servers import launch, running

HERE = Path(__file__).parent
PAGES = {"home": "", "edit": "edit"}  #: what a picture is called → the page's address
SHOTS = {f"{name}-{lang}.png": (path, lang) for name, path in PAGES.items() for lang in ("en", "zh")}


def main() -> None:
    with running() as server, sync_playwright() as playwright:
        browser = launch(playwright)
        visit(browser, server.url, "edit", "en").close()  # a cold server's first visitor gets a wider sidebar
        for name, (path, lang) in SHOTS.items():
            page = visit(browser, server.url, path, lang)
            if path == "edit":
                light_up(page)
            page.screenshot(path=HERE / name)
        browser.close()


def light_up(page: Page) -> None:
    """追 lights up through the four stages."""
    box = page.get_by_test_id("stVegaLiteChart").bounding_box()
    assert box is not None
    page.mouse.move(box["x"] + 75, box["y"] + 0.47 * box["height"])
    page.wait_for_timeout(600)


def visit(browser: Browser, url: str, path: str, lang: str) -> Page:
    page = browser.new_page(viewport={"width": 1366, "height": 768})
    watch(page)
    page.goto(f"{url}/{path}?lang={lang}")
    settle(page)
    return page


if __name__ == "__main__":
    main()
