"""The SBOM and the list of licences that `make wheel` writes."""

import json
import re
import subprocess
import sys

import pytest

from config.environment import BASE_DIR

LOCKED = re.compile(r"^([a-z0-9-]+)==(\S+)", re.MULTILINE)
FILES = ("idiomorph", "@fontsource-variable/inter", "lucide-static", "noto-fonts")


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    target = tmp_path_factory.mktemp("dist")
    subprocess.run([sys.executable, "-W", "error", "scripts/make_bom", target], cwd=BASE_DIR, check=True)
    return target


def test_every_locked_package_and_every_committed_file_is_a_component_with_a_licence(folder):
    [path] = folder.glob("handoff-*.cdx.json")
    bom = json.loads(path.read_text())
    assert (bom["bomFormat"], bom["specVersion"]) == ("CycloneDX", "1.6")
    parts = {part["name"]: part for part in bom["components"]}
    locked = dict(LOCKED.findall((BASE_DIR / "requirements.txt").read_text()))
    assert locked.items() <= {name: part["version"] for name, part in parts.items()}.items()
    assert {*FILES, "react", "@xyflow/react"} <= parts.keys()
    assert [name for name, part in parts.items() if not part.get("licenses")] == []
    assert [name for name in locked if not parts[name].get("hashes")] == []
    named = {
        one["license"].get("name")
        for part in bom["components"]
        for one in part["licenses"]
        if "license" in one
    }
    assert named <= {None}, "these are no SPDX ids"


def test_the_list_of_licences_has_a_line_for_each(folder):
    rows = [line.split(" | ") for line in (folder / "LICENSES.md").read_text().splitlines()[4:]]
    [path] = folder.glob("handoff-*.cdx.json")
    assert len(rows) == len(json.loads(path.read_text())["components"])
    assert all(row[3].removesuffix(" |") for row in rows)


def test_what_lies_in_the_wheel_carries_its_licence():
    for folder in (
        "tasks_inbox/evidence/fonts",
        "static/vendor/inter-5.3.0",
        "static/vendor/idiomorph-0.8.0",
    ):
        assert [path for path in (BASE_DIR / folder).iterdir() if path.name in ("OFL.txt", "LICENSE")], folder
