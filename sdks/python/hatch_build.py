"""Makes modules of the SDK when a wheel of it is built, also an editable one."""

import runpy
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface


class Modules(BuildHookInterface[Any]):
    """Writes what generate.py makes; it is not in the repository, hence an artifact."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Before anything is packed."""
        made = runpy.run_path(str(Path(self.root) / "generate.py"))
        made["write"]()
        build_data["artifacts"] += [f"src/handoff_sdk/{name}.py" for name in made["MODULES"]]
