"""`manage.py run_workflow NAME --input FILE|-`: runs a published workflow and shows each step as it ends."""

import sys
from argparse import ArgumentParser
from pathlib import Path
from time import monotonic, sleep
from typing import Any

import orjson
from django.core.management.base import CommandError

from accounts.principal import Principal
from accounts.queries import command_principal
from accounts.roles import RUNS_START
from engine.statuses import RUN_ENDED
from lib.api.renderers import to_json
from lib.commands import QuickCommand
from lib.database_errors import OPERATIONAL_ERRORS
from lib.json import Json
from lib.messages import first_line
from lib.refusals import Refusal
from lib.strict_json import BadJson, strict_loads
from runs.commands.named_starts import start_workflow
from runs.commands.starts import NewRun
from runs.kernel.refused import RunRefused
from runs.models import StartedFrom
from runs.reading.presentation import run_row
from runs.reading.run_view import RunView, StepView
from runs.reading.stored import WHOLE
from steps.limits import RUN_INPUT_BYTES
from workflows.access import guard_workflow

LOOK_SECONDS = 0.1
SILENT_SECONDS = 5.0
ENDED_STEPS = frozenset({"COMPLETED", "FAILED", "SKIPPED", "CANCELLED"})


class Command(QuickCommand):
    help = "Runs a published workflow; exits 0 only if the run completed."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("name", help="the workflow")
        parser.add_argument(
            "--input", required=True, help="a file (- is stdin) with JSON, or with a text: then {text: …}"
        )
        parser.add_argument("--json", action="store_true", help="print the final run as JSON, nothing else")
        parser.add_argument("--business-key", help="the same key again shows the existing run")
        parser.add_argument("--tenant", default="default")

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            principal = command_principal("admin", options["tenant"])
            run_id = self._start(principal, options)
        except (Refusal, RunRefused) as refusal:
            place = f"{refusal.field}: " if refusal.field else ""
            raise CommandError(f"{place}{refusal.message}", returncode=2) from None
        try:
            run = self._watch(principal.tenant_id, run_id)
        except OPERATIONAL_ERRORS as error:
            raise CommandError(
                f"The database does not answer any more ({first_line(error)})."
                f" The run {run_id} goes on when it does again; its page is /runs/{run_id}.",
                returncode=1,
            ) from None
        except KeyboardInterrupt:
            self.stderr.write(f"The run {run_id} goes on without me.")
            sys.exit(130)
        self._show(run, as_json=options["json"])
        if run["status"] != "COMPLETED":
            sys.exit(1)

    def _start(self, principal: Principal, options: dict[str, Any]) -> str:
        principal.require(RUNS_START)
        guard_workflow(principal, RUNS_START, options["name"])
        value = _value(_read(options["input"]), must_be_json=options["input"].endswith(".json"))
        item = NewRun(value, options["business_key"])
        (run,) = start_workflow(
            principal.tenant_id,
            options["name"],
            [item],
            by=principal.username,
            started_from=StartedFrom.COMMAND,
        )
        word = "started" if run.created else "exists already:"
        self.stderr.write(f"{options['name']} v{run.version}: run {run.id} {word}")
        if run.input_mismatch:
            self.stderr.write("  It was started with another input: what --input gives is not used.")
        for text in run.warnings:
            self.stderr.write(f"  ! {text}")
        return run.id

    def _watch(self, tenant_id: int, run_id: str) -> RunView:
        """The run when it has ended; tells of each step that ends, and what a silent run waits for."""
        reported: set[str] = set()
        last_word = monotonic()
        while True:
            run = _shown(tenant_id, run_id)
            for step in run["steps"]:
                if step["status"] in ENDED_STEPS and step["node"] not in reported:
                    reported.add(step["node"])
                    self._tell(step)
                    last_word = monotonic()
            if run["status"] in RUN_ENDED:
                return run
            if monotonic() - last_word > SILENT_SECONDS:
                self.stderr.write(f"  … {run['waiting_for'] or run['status']}")
                last_word = monotonic()
            sleep(LOOK_SECONDS)

    def _tell(self, step: StepView) -> None:
        took = f" in {step['duration_ms']:.0f} ms" if step["duration_ms"] is not None else ""
        why = f": {step['error']['message']}" if step["error"] else ""
        self.stderr.write(f"  {step['status']:<9} {step['node']} ({step['type']}){took}{why}")

    def _show(self, run: RunView, *, as_json: bool) -> None:
        if as_json:
            self.stdout.write(to_json(run).decode())
            return
        for step in run["steps"]:
            self.stdout.write(f"\n== {step['node']} ({step['type']}): {step['status']}")
            for what in ("output", "error"):
                if step[what] is not None:
                    self.stdout.write(_pretty(step[what]))
        self.stdout.write(f"\n{run['status']}")


def _shown(tenant_id: int, run_id: str) -> RunView:
    run = run_row(tenant_id, run_id, WHOLE)
    if run is None:
        raise CommandError(f"The run {run_id} is gone.", returncode=1)
    return run


def _read(source: str) -> bytes:
    try:
        return sys.stdin.buffer.read() if source == "-" else Path(source).read_bytes()
    except OSError as error:
        raise CommandError(f"--input: {error.strerror}: {source}", returncode=2) from None


def _value(raw: bytes, *, must_be_json: bool) -> Json:
    """The JSON in `raw`; a text that is none becomes `{text: …}`."""
    try:
        return strict_loads(raw, max_bytes=RUN_INPUT_BYTES)
    except BadJson as error:
        if must_be_json or raw.lstrip().startswith(b"{") or len(raw) > RUN_INPUT_BYTES:
            raise CommandError(f"--input: {error.located}", returncode=2) from None
    try:
        text = raw.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise CommandError("--input: this is neither JSON nor a text in UTF-8", returncode=2) from None
    if "\x00" in text:
        raise CommandError("--input: the text has a NUL character", returncode=2)
    return {"text": text}


def _pretty(value: Json) -> str:
    return orjson.dumps(value, option=orjson.OPT_INDENT_2).decode()
