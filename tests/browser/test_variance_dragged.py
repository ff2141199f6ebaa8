"""Sliders in charts: where they are left travels in the link, and nothing but a hand moves them."""

from __future__ import annotations

from urllib.parse import parse_qs, quote, urlsplit

import pytest

from tests.browser.helpers import becomes, bench, messages, settle
from tests.pages.test_variance_parts import at
from ui import link, views
from ui.text import Text

#: part → its sliders, by Vega's parameter: the view of the place, a place, and the number the slider shows there
SLIDERS = {
    "spread": {"log2_dk": ("variance.bell_d_k", 7, "3.5")},
    "softmax": {"log2_dk": ("variance.dead_d_k", 9, "4.5"), "alpha": ("variance.dead_alpha", 13, "0.65")},
    "gradient": {"log2_s": ("variance.stretch", 3, "-1.5")},
    "divisors": {"alpha": ("variance.divided_alpha", 10, "0.5"), "log2_dk": ("variance.divided_d_k", 1, "3")},
}


def address(now, lang="en"):
    return f"/variance?lang={lang}&s={quote(link.encode(now))}"


def slider(page, name):
    return page.locator(f'.vega-bindings input[name="{name}"]')


def press(page, name, key, times):
    slider(page, name).focus()
    for _ in range(times):
        page.keyboard.press(key)


def stand(page, part):
    return {name: slider(page, name).input_value() for name in SLIDERS[part]}


def said(page):
    """What stands beside the sliders, in their order."""
    return [" ".join(label.inner_text().split()) for label in page.locator(".vega-bind:has(input[type=range])").all()]


def spoken(name, value):
    """The number that is chosen, not its logarithm."""
    if name == "log2_dk":
        return f"d_k = {round(2 ** float(value))}"
    return {"alpha": "α = ", "log2_s": "× 2ᵗ, t = "}[name] + value


@pytest.mark.parametrize("part", SLIDERS)
def test_a_link_puts_every_slider_where_it_was_left(open_page, part):
    now = at(part)
    for view, place, _ in SLIDERS[part].values():
        now = views.shown(now, view, place)
    page = open_page(address(now))
    wanted = {name: value for name, (_, _, value) in SLIDERS[part].items()}
    becomes(page, lambda: stand(page, part), wanted)
    assert said(page) == [spoken(name, value) for name, value in wanted.items()]
    for name, (view, place, _) in SLIDERS[part].items():
        press(page, name, "ArrowRight", 2)
        becomes(page, lambda view=view: views.get(bench(page), view), place + 2)
    moved = stand(page, part)
    assert not set(moved.items()) & set(wanted.items())
    assert said(page) == [spoken(name, value) for name, value in moved.items()]
    settle(page)
    page.emulate_media(color_scheme="dark")  # Vega draws the chart anew
    settle(page)
    assert stand(page, part) == moved
    page.reload()
    settle(page)
    becomes(page, lambda: stand(page, part), moved)


@pytest.mark.parametrize(("part", "guess"), [("spread", ("doubled", "root")), ("softmax", ("dead", 30)),
                                             ("divisors", ("alpha", "quarter"))])  # fmt: skip
def test_the_toolbar_of_a_chart_covers_no_words_above_it(open_page, part, guess):
    """It comes up wherever the mouse rests on the chart, as it does after a guess."""
    page = open_page(address(views.shown(at(part), f"variance.guess_{guess[0]}", guess[1])))
    room = page.locator(f".st-key-dragged_{part}")
    room.get_by_test_id("stVegaLiteChart").hover()
    toolbar = room.get_by_test_id("stElementToolbar")
    becomes(page, lambda: toolbar.evaluate("(bar) => getComputedStyle(bar).opacity"), "1")
    settle(page)
    bar = toolbar.bounding_box()
    words = [each.bounding_box() for each in page.locator('[data-testid="stMarkdown"] p').all()]
    assert not [box for box in words if all(box[at] < bar[at] + bar[size] and bar[at] < box[at] + box[size]
                                            for at, size in (("x", "width"), ("y", "height")))]  # fmt: skip


def test_what_answers_an_earlier_move_does_not_pull_the_slider_back(open_page):
    page = open_page(address(at("softmax")))
    page.evaluate("""() => {
      window.seen = [];
      const slider = document.querySelector('.vega-bindings input[name="log2_dk"]');
      slider.addEventListener("input", () => window.seen.push(+slider.value));
    }""")
    sent = messages(page)
    for _ in range(3):  # each rest is told, and answered while the next moves are made
        press(page, "log2_dk", "ArrowLeft", 3)
        page.wait_for_timeout(230)
    press(page, "log2_dk", "ArrowLeft", 4)
    settle(page)
    seen = page.evaluate("window.seen")
    assert seen == [9 - 0.5 * (step + 1) for step in range(13)]
    assert messages(page) > sent
    becomes(page, lambda: views.get(bench(page), "variance.dead_d_k"), 5)


def test_a_slider_that_is_grabbed_again_stays_in_the_hand(open_page):
    """And what is dragged away and back is told as well: the link and the screen agree."""
    page = open_page(address(at("softmax")))
    box = slider(page, "log2_dk").bounding_box()

    def go(share):
        page.mouse.move(box["x"] + share * box["width"], box["y"] + box["height"] / 2)

    for share in (0.75, 0.3):  # taken where it stands, let go elsewhere
        go(share)
        page.mouse.down() if share == 0.75 else None
    page.mouse.up()
    page.mouse.down()  # at once
    go(0.9)
    held, sent = slider(page, "log2_dk").input_value(), messages(page)
    page.wait_for_timeout(600)
    settle(page)
    assert slider(page, "log2_dk").input_value() == held
    assert messages(page) == sent  # a hand that holds it is not at rest
    page.mouse.up()
    becomes(page, lambda: views.get(bench(page), "variance.dead_d_k"), round(2 * float(held)))
    press(page, "log2_dk", "ArrowLeft", 2)
    press(page, "log2_dk", "ArrowRight", 2)
    settle(page)
    page.locator(".st-key-draw_again button").click()
    settle(page)
    assert slider(page, "log2_dk").input_value() == held


def test_a_link_that_is_copied_at_once_has_the_place(open_page):
    page = open_page(address(at("spread")), permissions=("clipboard-read", "clipboard-write"))
    press(page, "log2_dk", "ArrowLeft", 3)
    page.get_by_role("button", name=Text("common", "en")("copy_link")).click()
    becomes(page, lambda: "bell_d_k" in link_of(page.evaluate("navigator.clipboard.readText()")), True)


def link_of(url):
    """What a link shows, by its view's name."""
    [code] = parse_qs(urlsplit(url).query).get("s", [""])
    return {name.partition(".")[2]: value for name, value in link.decode(code).view} if code else {}


def test_what_is_pressed_right_after_a_move_is_done_as_well(open_page):
    page = open_page(address(at("spread")))
    press(page, "log2_dk", "ArrowLeft", 1)
    page.locator(".st-key-variance_onward button").click()
    becomes(page, lambda: views.get(bench(page), "variance.part"), "softmax")
    settle(page)
    now = bench(page)
    assert (views.get(now, "variance.part"), views.get(now, "variance.bell_d_k")) == ("softmax", 13)


def test_a_new_guess_begins_where_it_was_guessed(open_page):
    page = open_page(address(views.shown(at("divisors"), "variance.divided_alpha", 16)))
    becomes(page, lambda: slider(page, "alpha").input_value(), "0.8")
    page.locator(".st-key-guess_alpha_again button").click()
    settle(page)
    press(page, "alpha", "Home", 1)
    press(page, "alpha", "ArrowRight", 7)
    becomes(page, lambda: views.get(bench(page), "variance.tried_alpha"), 7)
    page.reload()
    settle(page)
    becomes(page, lambda: slider(page, "alpha").input_value(), "0.35")  # what one tries is kept until one guesses
    page.locator(".st-key-guess_alpha button").nth(2).click()
    settle(page)
    becomes(page, lambda: slider(page, "alpha").input_value(), "0.5")
