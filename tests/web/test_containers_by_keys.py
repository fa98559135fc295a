"""Lists, schedules, runs that begin others and runs that are moved, from building to the last page, without a mouse."""

import re
from functools import partial

import pytest
from playwright.sync_api import Page, expect

from accounts.models import Membership, User
from operations.bulk import work
from runs.reading import queries
from tests import factories as make
from tests.web.axe import faults
from tests.web.builder import Builder
from tests.web.hands import Keys
from tests.web.outline import Outline
from tests.web.test_builder_keys import publish
from tests.web.test_move_pages import NEW, SIGNAL, waiting
from tests.web.visitor import Visitor

pytestmark = [pytest.mark.browser, pytest.mark.exhaustive]

PASSWORD = "a long password"


class Walk:
    """Somebody at a keyboard, who looks where they are after each way that they take."""

    def __init__(self, visitor: Visitor) -> None:
        self.visitor, self.page, self.keys = visitor, visitor.page, Keys(visitor.page)

    def at(self, heading: str) -> None:
        """They are on the page that is called so, and its scripts listen."""
        expect(self.page.locator("h1")).to_contain_text(heading)
        self.page.wait_for_load_state("load")

    def press(self, button: str, heading: str) -> None:
        """Tab to it, Enter, and there is the page that it leads to."""
        self.keys.press(button)
        self.at(heading)

    def find(self, text: str, heading: str) -> None:
        """By Ctrl+K to what is found first."""
        self.visitor.press("Control+k")
        expect(self.page.locator("#palette-ask")).to_be_focused()
        self.page.keyboard.type(text)
        expect(self.page.locator("#palette [role=option]").first).to_contain_text(text)
        self.page.keyboard.press("Enter")
        self.at(heading)

    def is_right(self) -> None:
        """Nothing on the page is in the way of people with disabilities."""
        assert faults(self.page) == []


@pytest.fixture
def walk(visitor, ann) -> Walk:
    """Ann as an admin, logged in."""
    Membership.objects.for_tenant(make.a_tenant().pk).filter(user=ann).update(role="admin")
    visitor.page.emulate_media(reduced_motion="reduce")
    return Walk(visitor)


def log_in(walk: Walk) -> None:
    """From the page of the login to Home."""
    ann = User.objects.get(username="ann")
    ann.set_password(PASSWORD)
    ann.save()
    walk.page.context.clear_cookies()
    walk.visitor.open("/login")
    expect(walk.page.get_by_label("Username")).to_be_focused()
    walk.page.keyboard.type("ann")
    walk.page.keyboard.press("Tab")
    walk.page.keyboard.type(PASSWORD)
    walk.page.keyboard.press("Enter")
    walk.at("Home")


def new_workflow(walk: Walk, title: str) -> Outline:
    """A workflow of this title, opened in the builder."""
    walk.visitor.press("Control+k")
    expect(walk.page.locator("#palette-ask")).to_be_focused()
    walk.page.keyboard.type("New workflow")
    walk.page.keyboard.press("Enter")
    expect(walk.page.locator("#new-title")).to_be_focused()
    walk.page.keyboard.type(title)
    walk.page.keyboard.press("Enter")
    walk.page.wait_for_url("**/edit")
    name = walk.visitor.path().split("/")[2]
    return Outline(Builder(walk.visitor, name, is_open=True))


def start(walk: Walk, outline: Outline, title: str) -> None:
    """Publish what is built and start it; then somebody is on the page of the run."""
    publish(outline)
    outline.hands.press("Start version 1")
    walk.page.wait_for_url("**/#start")
    walk.at(title)
    walk.keys.press("Start")
    walk.page.wait_for_url("**/runs/*")
    walk.at(title)
    make.work()


def build_a_list(outline: Outline) -> None:
    """An input with a list; for each of its texts a step that names it, and one that asks for an approval."""
    keyboard, hands = outline.keyboard, outline.hands
    keyboard.press("Enter")
    hands.at(".inspector input")
    hands.press("Add a field")
    # The new field has the hands.
    expect(outline.page.get_by_label("Label", exact=True)).to_be_focused()
    keyboard.type("Deliveries")
    hands.pick("Kind", "List of texts")
    hands.text("Sample input", '{"deliveries": ["Flour", "Sugar", "Salt"]}')
    outline.leave()
    outline.add("For each item", "Look at each")
    expect(outline.page.locator(".inspector")).to_contain_text(
        "“Look at each” has no steps yet: add one in it."
    )
    hands.text("Items", "{{ input.deliveries }}")
    outline.leave()
    outline.add("Set values", "Name it")
    hands.pairs("Values", {"what": "{{ item }}"})
    outline.leave()
    outline.add("Ask for an approval", "Take it")
    hands.text("Question", "Take {{ prev.what }}?")
    outline.leave()


def decide(walk: Walk) -> None:
    """The first is approved, the second refused once it says why, the third approved."""
    task, press = partial(expect(walk.page.locator("#task-title")).to_have_text), walk.visitor.press
    press("g", "i")
    walk.at("Inbox")
    expect(walk.page.locator("#inbox-list [data-task]")).to_have_count(3)
    press("j", "Enter")
    task("Take Flour?")
    expect(walk.page.locator("#context")).to_contain_text("This part of the run is done.")
    walk.is_right()
    press("a", "Control+Enter")
    task("Take Sugar?")
    press("r", "Control+Enter")
    comment = walk.page.locator("#comment")
    expect(comment).to_have_attribute("aria-invalid", "true")
    expect(comment).to_be_focused()
    walk.page.keyboard.type("Too wet")
    # What was taken up still is.
    press("Control+Enter")
    task("Take Salt?")
    press("a", "Control+Enter")
    expect(walk.page.locator("#inbox-list [data-task]")).to_have_count(0)
    make.work()


def look_at_the_items(walk: Walk) -> None:
    """From the list of runs to the run, its grid, an item, the run of that, and back the way that it is linked."""
    walk.visitor.press("g", "r")
    walk.at("Runs")
    walk.visitor.press("j", "Enter")
    walk.at("Check deliveries")
    walk.press("3 of 3 items", "Look at each")
    walk.keys.to("Item 0, completed")
    walk.visitor.press("ArrowRight", "Enter")
    walk.page.wait_for_url("**item=1#item")
    expect(walk.page.locator("#item")).to_be_focused()
    expect(walk.page.locator("#item")).to_contain_text("Too wet")
    walk.is_right()
    walk.page.keyboard.press("Tab")
    walk.press("Open its run", "Check deliveries")
    expect(walk.visitor.step("take_it")).to_contain_text("Too wet")
    expect(walk.page.locator("#run .facts")).not_to_contain_text("None")
    walk.is_right()
    walk.press("Look at each, item 1", "Look at each")
    expect(walk.page.locator("#item")).to_be_focused()
    walk.press("The run", "Check deliveries")


def test_a_list_with_an_approval_is_built_run_decided_and_looked_at(walk):
    log_in(walk)
    outline = new_workflow(walk, "Check deliveries")
    build_a_list(outline)
    [each] = outline.builder.saved()["nodes"]
    assert [step["type"] for step in each["params"]["body"]["steps"]] == ["transform", "human.approval"]
    start(walk, outline, "Check deliveries")
    expect(walk.visitor.step("look_at_each")).to_contain_text("0 of 3 items")
    expect(walk.page.locator("#run")).to_contain_text("waits for its 3 items")
    walk.is_right()
    decide(walk)
    look_at_the_items(walk)


def test_a_run_that_begins_another_is_built_run_and_followed_there_and_back(walk):
    child = make.graph([{"id": "go", "type": "signal", "title": "Leave", "params": {"name": "go"}}], [])
    name = make.a_version(child).workflow.name
    walk.visitor.open("/")
    outline = new_workflow(walk, "Welcome somebody")
    keyboard, hands = outline.keyboard, outline.hands
    outline.begin()
    outline.add("Run a workflow", "Mail account")
    hands.text("Workflow", name)
    outline.leave()
    assert outline.builder.saved()["nodes"][0]["params"]["workflow"] == name
    start(walk, outline, "Welcome somebody")
    expect(walk.page.locator("#run")).to_contain_text("1 open")
    walk.is_right()
    walk.press("Open its run", name)
    walk.is_right()
    part_of = walk.page.locator(".facts > div", has_text="Part of")
    expect(part_of).to_contain_text("Welcome somebody, Mail account")
    walk.press("Send this signal…", "Send a signal")
    walk.keys.press("Send the signal")
    walk.at(name)
    make.work()
    walk.press("Welcome somebody", "Welcome somebody")
    expect(walk.page.locator("h1 .status")).to_have_text("Completed")
    keyboard.press("Escape")


def leave_the_palette(walk: Walk) -> None:
    """By one key, whatever was typed into it."""
    walk.visitor.press("Control+k")
    expect(walk.page.locator("#palette-ask")).to_be_focused()
    walk.page.keyboard.type("no such thing")
    expect(walk.page.locator("#palette")).to_contain_text("Nothing found")
    walk.page.keyboard.press("Escape")
    expect(walk.page.locator("#palette")).to_be_hidden()


def test_the_palette_is_left_and_a_schedule_on_business_days_is_made_looked_at_run_and_paused(walk):
    name = make.a_version(make.graph([SIGNAL], [])).workflow.name
    keyboard, page = walk.page.keyboard, walk.page
    walk.visitor.open("/")
    leave_the_palette(walk)
    walk.find("Working calendars", "Working calendars")
    walk.press("New calendar", "New calendar")
    expect(page.get_by_label("Name")).to_be_focused()
    keyboard.type("Munich")
    walk.keys.text("Public holidays of (optional)", "DE-BY")
    walk.press("Make the calendar", "Munich")
    walk.find("Schedules", "Schedules")
    walk.press("New schedule", "New schedule")
    expect(page.get_by_label("Name")).to_be_focused()
    keyboard.type("Every morning")
    walk.keys.pick("Workflow", name)
    walk.keys.pick("On which days", "Only on working days of Munich")
    expect(page.locator("#preview")).to_contain_text("on working days of the calendar Munich")
    walk.is_right()
    walk.press("Make the schedule", "Every morning")
    expect(page.locator(".lead")).to_contain_text("every day at 09:00, on working days of Munich")
    expect(page.locator(".times li")).to_have_count(10)
    expect(page.locator(".month .due").first).to_be_visible()
    expect(page.locator(".month .due.free")).to_have_count(0)
    walk.press("Run now", name)
    make.work()
    walk.find("Schedules", "Schedules")
    walk.press(f"Every morning {name}: every day at 09:00, on working days of Munich", "Every morning")
    expect(page.get_by_role("row", name="by hand")).to_contain_text("Started run")
    walk.keys.press("Pause")
    expect(page.locator("#pause input:focus")).to_be_visible()
    keyboard.type("Holidays")
    keyboard.press("Enter")
    expect(page.locator("main")).to_contain_text("It is off")
    expect(page.locator("main")).to_contain_text("Holidays")
    walk.is_right()


def test_fifty_waiting_runs_are_moved_of_which_three_can_not(walk):
    run_ids = waiting(50)
    version = make.newer(run_ids[0], NEW)
    for run_id in run_ids[:3]:
        make.send(run_id, "paid")
    make.claimed()
    page, name = walk.page, version.workflow.name
    walk.visitor.open("/")
    walk.find(name, name)
    walk.find("Move open runs", "Move open runs")
    expect(page.get_by_label("From", exact=True)).to_be_focused()
    walk.keys.pick("To", "v2")
    walk.press("See which fit", "Which runs fit v2")
    work.work(30)
    expect(page.get_by_role("heading", name="47 of 50 runs fit")).to_be_visible()
    walk.is_right()
    walk.keys.text("Reason", "A step was missing")
    page.keyboard.press("Enter")
    walk.at("Move runs to v2")
    work.work(30)
    expect(page.get_by_role("heading", name="47 of 50 runs moved")).to_be_visible()
    walk.keys.press("Refused 3")
    expect(page.get_by_role("row")).to_have_count(4)
    walk.is_right()
    assert sum(results(page)) == 50
    assert queries.open_runs_by_version(version.workflow, most=None)[version.pk] == 47


def results(page: Page) -> list[int]:
    """How many runs the report has of each result; the first one is of all."""
    tabs = page.locator(".tabs", has_text="Refused").inner_text()
    counts = [int(number) for number in re.findall(r"\d+", tabs)]
    assert counts[0] == sum(counts[1:])
    return counts[1:]
