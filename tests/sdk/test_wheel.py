"""The SDK as a package."""

import subprocess
import sys
import zipfile
from shutil import copytree

from tests.serving import ROOT


def test_the_wheel_has_all_of_it_and_nothing_of_the_server(tmp_path):
    source = copytree(ROOT / "sdks" / "python", tmp_path / "sdk")
    subprocess.run(
        [
            sys.executable,
            "-m",
            "pip",
            "wheel",
            "-q",
            "--no-deps",
            "--no-build-isolation",
            "-w",
            tmp_path,
            source,
        ],
        check=True,
        timeout=60,
    )
    [wheel] = tmp_path.glob("handoff_sdk-*.whl")
    with zipfile.ZipFile(wheel) as archive:
        names = archive.namelist()
        [metadata] = [archive.read(name).decode() for name in names if name.endswith("/METADATA")]
    packages = {name.partition("/")[0] for name in names}
    assert packages == {"handoff_sdk", f"{wheel.name.split('-py3')[0]}.dist-info"}
    assert "handoff_sdk/py.typed" in names
    assert "Requires-Dist: httpx" in metadata
    assert "django" not in metadata.lower()


def test_it_is_imported_without_the_server():
    script = "import sys, handoff_sdk; print({'django', 'handoff', 'engine', 'prometheus_client'} & set(sys.modules))"
    told = subprocess.run(
        [sys.executable, "-c", script],
        cwd=ROOT / "sdks" / "python" / "src",
        env={"PYTHONSAFEPATH": "", "PATH": "/usr/bin:/bin"},
        capture_output=True,
        text=True,
        check=True,
    )
    assert told.stdout.strip() == "set()"
