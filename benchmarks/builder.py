"""The builder in a browser: how soon a large graph is drawn, and how smoothly a step is dragged in it."""

import json
import os
import shutil
from pathlib import Path
from typing import Any

import httpx
from playwright.sync_api import Page, sync_playwright

from benchmarks.scenarios import percentiles

ROWS = 10
LOADS = 5
# Drawn: steps and edges are there, and a frame with them was painted.
WATCH = """
(() => {
  const isThere = (name) => document.querySelector(`.react-flow__${name}`) !== null;
  const noteDrawn = () => { document.documentElement.dataset.drawn = performance.now(); };
  const look = () => {
    if (isThere("node-step") && isThere("edge-path")) requestAnimationFrame(() => requestAnimationFrame(noteDrawn));
    else requestAnimationFrame(look);
  };
  requestAnimationFrame(look);
})();
"""
FRAMES = """
() => {
  window.frames_ms = [];
  let last = performance.now();
  const tick = (now) => {
    window.frames_ms.push(now - last);
    last = now;
    window.ticking = requestAnimationFrame(tick);
  };
  window.ticking = requestAnimationFrame(tick);
}
"""


def graph(steps: int) -> tuple[dict[str, Any], dict[str, Any]]:
    """Chains of ten side by side that meet and part, with their places."""
    nodes = [{"id": f"s{n}", "type": "text.clean", "title": f"Step number {n}"} for n in range(steps)]
    edges = [{"from": f"s{n}", "to": f"s{n + ROWS}"} for n in range(steps - ROWS)]
    edges += [{"from": f"s{n}", "to": f"s{n + ROWS + 1}"} for n in range(0, steps - ROWS - 1, 7)]
    places = {f"s{n}": {"x": n // ROWS * 310, "y": n % ROWS * 108} for n in range(steps)}
    return {"nodes": nodes, "edges": edges}, {"nodes": places}


def drawn_and_dragged(url: str, steps: int) -> dict[str, Any]:
    """Milliseconds from navigation to drawn, in five loads, and of the frames while one step is dragged."""
    password = (Path(os.environ["HANDOFF_HOME"]) / "admin-password").read_text().strip()
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=chromium(), args=["--no-sandbox", "--disable-gpu"]
        )
        page = browser.new_context(base_url=url, viewport={"width": 1440, "height": 900}).new_page()
        page.goto("/login")
        page.fill("[name=username]", "admin")
        page.fill("[name=password]", password)
        page.click("button[type=submit]")
        page.wait_for_selector(".side")
        name = _make_workflow(url, page, steps)
        page.add_init_script(WATCH)
        loads = sorted(_load(page, name) for _ in range(LOADS))
        frames = _drag(page)
        browser.close()
    return {
        "steps": steps,
        "drawn_ms": round(loads[LOADS // 2]),
        "drawn_worst_ms": round(loads[-1]),
        **{f"frame {key}": value for key, value in percentiles("ms", frames).items()},
    }


def chromium() -> str:
    """Where the browser is. Raises FileNotFoundError."""
    path = shutil.which("chromium-headless-shell") or shutil.which("chromium")
    if path is None:
        raise FileNotFoundError("Chromium is missing: apt-get install chromium")
    return path


def _make_workflow(url: str, page: Page, steps: int) -> str:
    """Make a workflow with so many steps over the API; gives its name."""
    name = f"large-{steps}"
    definition, layout = graph(steps)
    cookies = {each["name"]: each["value"] for each in page.context.cookies()}
    csrf = page.locator('meta[name="csrf"]').get_attribute("content") or ""
    headers = {"X-CSRFToken": csrf, "Content-Type": "application/json"}
    with httpx.Client(base_url=f"{url}/api/v1", cookies=cookies, headers=headers, trust_env=False) as api:
        api.post("/workflows", content=json.dumps({"name": name})).raise_for_status()
        body = {"definition": {"name": name, **definition}, "layout": layout}
        api.put(
            f"/workflows/{name}/draft", headers={"If-Match": '"1"'}, content=json.dumps(body)
        ).raise_for_status()
    return name


def _load(page: Page, name: str) -> float:
    page.goto(f"/workflows/{name}/edit")
    # A selector and no function: the page's policy lets nothing be evaluated again and again.
    return float(page.locator("html[data-drawn]").get_attribute("data-drawn") or "nan")


def _drag(page: Page) -> list[float]:
    """The intervals between frames, in ms, while a step is dragged for three seconds or so."""
    page.wait_for_selector("[data-state=saved]")
    box = page.locator(".react-flow__node-step").first.bounding_box()
    assert box is not None
    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    page.mouse.move(x, y)
    page.mouse.down()
    page.evaluate(FRAMES)
    for step in range(150):
        page.mouse.move(x + step % 75 * 3, y + step % 50 * 3)
    page.evaluate("cancelAnimationFrame(window.ticking)")
    page.mouse.up()
    return [float(each) for each in page.evaluate("window.frames_ms.slice(2)")]
