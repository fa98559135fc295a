"""The SDK as a package."""

import subprocess
import sys
import zipfile
from shutil import copytree, ignore_patterns

from tests.serving import ROOT

GENERATED = ("client.py", "models.py", "routes.py")


def run(*arguments, cwd):
    subprocess.run([sys.executable, "-m", *arguments], cwd=cwd, check=True, timeout=60)


def test_the_wheel_has_all_of_it_and_nothing_of_the_server(tmp_path):
    """As from a clean checkout, by way of a source distribution."""
    source = copytree(ROOT / "sdks" / "python", tmp_path / "sdk", ignore=ignore_patterns(*GENERATED))
    run("hatchling", "build", "-t", "sdist", "-d", str(tmp_path), cwd=source)
    [sdist] = tmp_path.glob("handoff_sdk-*.tar.gz")
    run(
        "pip",
        "wheel",
        "-q",
        "--no-deps",
        "--no-build-isolation",
        "-w",
        str(tmp_path),
        str(sdist),
        cwd=tmp_path,
    )
    [wheel] = tmp_path.glob("handoff_sdk-*.whl")
    with zipfile.ZipFile(wheel) as archive:
        names = archive.namelist()
        [metadata] = [archive.read(name).decode() for name in names if name.endswith("/METADATA")]
    packages = {name.partition("/")[0] for name in names}
    assert packages == {"handoff_sdk", f"{wheel.name.split('-py3')[0]}.dist-info"}
    assert {f"handoff_sdk/{name}" for name in ("py.typed", *GENERATED)} <= set(names)
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
