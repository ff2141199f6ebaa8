"""Home: the picture moves, a door opens, and the walk goes on where it stopped, even after a reload."""

import re

from playwright.sync_api import expect

from tests.browser.helpers import bench, query, settle
from ui import questions
from ui.workbench import preset


def heading(page, title):
    expect(page.get_by_role("heading", level=3, name=title, exact=True)).to_be_visible()


def test_the_walk_begins_at_home_and_is_remembered(open_page):
    page = open_page("/")
    page.get_by_role("button", name=re.compile("^Walk me through .*Look it up")).click()
    settle(page)
    heading(page, "Look it up")
    page.get_by_role("button", name="Next: Data flow").click()
    settle(page)
    heading(page, "Data flow")
    page.reload()
    settle(page)
    page.get_by_role("link", name="Home").first.click()
    settle(page)
    expect(page.get_by_role("button", name=re.compile("^Walk me through .*Data flow"))).to_be_visible()
    page.get_by_text("中文", exact=True).click()
    settle(page)
    expect(page.get_by_role("button", name=re.compile("带我走一遍.*数据流"))).to_be_visible()


def test_another_token_asks_on_a_phone(open_page):
    page = open_page("/", width=390)
    expect(page.get_by_text("0.45·猫 cat", exact=False).first).to_be_attached()
    page.get_by_role("radio", name="老鼠 mouse", exact=True).click()
    settle(page)
    expect(page.get_by_text("new 老鼠 mouse = ", exact=False).first).to_be_visible()


def test_a_question_that_leads_to_its_own_page_leaves_the_address_whole(open_page):
    page = open_page("/flow")
    page.get_by_text(re.compile("^Often asked here")).click()
    settle(page)
    for _ in range(2):  # the second time there is nothing new, which would have the address corrected
        page.get_by_test_id("stExpander").get_by_role("button").first.click()
        settle(page)
    assert query(page)["lang"] == "en"
    first, *_ = questions.on("flow")
    assert bench(page).matrices == questions.QUESTIONS[first].bench().matrices != preset("cat").matrices
