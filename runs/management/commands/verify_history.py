"""`manage.py verify_history`: history against its seals, and rows against history (docs/engine.md, "History")."""

from argparse import ArgumentParser
from collections.abc import Iterator
from datetime import datetime
from itertools import chain
from typing import Any
from uuid import UUID

from django.core.management.base import CommandError
from django.db.models import QuerySet
from django.utils.dateparse import parse_date, parse_datetime
from django.utils.timezone import get_current_timezone, make_aware

from accounts.models import Tenant
from lib.commands import QuickCommand
from lib.english import counted
from runs.integrity.verify import verify
from runs.models import Run
from runs.reading import queries
from runs.store import history_checks

BATCH = 50
TELL_EVERY = 20


class Command(QuickCommand):
    help = "Recomputes seals, rebuilds runs from their events and reports every difference; exits 1 if there is one."

    def add_arguments(self, parser: ArgumentParser) -> None:
        which = parser.add_mutually_exclusive_group(required=True)
        which.add_argument("--run", help="the id of one run")
        which.add_argument("--tenant", help="every run of this tenant")
        which.add_argument("--all", action="store_true", help="every run of every tenant")
        parser.add_argument("--since", help="only runs that are open, or have ended since this day or time")

    def handle(self, *args: Any, **options: Any) -> None:
        runs = _select_runs(options)
        looked_at = wrong = 0
        for number, batch in enumerate(chain(_batches(runs), _gone(options)), 1):
            for difference in verify(batch):
                wrong += 1
                where = f"run {difference.run}" + (f" step {difference.node}" if difference.node else "")
                self.stdout.write(
                    f"{where} {difference.field}: expected {difference.expected}, found {difference.actual}"
                )
            looked_at += len(batch)
            if number % TELL_EVERY == 0:
                self.stderr.write(f"  … {counted(looked_at, 'run')} checked, {counted(wrong, 'difference')}")
        if looked_at == 0 and options["run"]:
            raise CommandError("There is no such run.", returncode=2)
        self.stderr.write(f"{counted(looked_at, 'run')} checked, {counted(wrong, 'difference')}")
        if unsealed := queries.unsealed(runs).count():
            self.stderr.write(f"{unsealed:,} of them have ended and are not sealed yet")
        if wrong:
            raise CommandError("History and rows are not what they should be.", returncode=1)


def _select_runs(options: dict[str, Any]) -> QuerySet[Run]:
    runs = Run.unsafe_all_tenants.all()
    if options["run"]:
        try:
            runs = runs.filter(pk=UUID(options["run"]))
        except ValueError:
            raise CommandError(f"{options['run']!r} is not the id of a run.", returncode=2) from None
    if options["tenant"]:
        tenant = Tenant.objects.filter(slug=options["tenant"]).first()
        if tenant is None:
            raise CommandError(f"There is no tenant {options['tenant']!r}.", returncode=2)
        runs = Run.objects.for_tenant(tenant.pk)
    return runs if options["since"] is None else queries.not_over_before(runs, _moment(options["since"]))


def _gone(options: dict[str, Any]) -> Iterator[list[str]]:
    """Runs without a row, of which history or a seal is left, whenever they ended."""
    if options["run"]:
        run = UUID(options["run"])
        _, gone = history_checks.gone(str(UUID(int=max(run.int - 1, 0))), limit=1)
        if gone == [str(run)]:
            yield gone
        return
    tenant = Tenant.objects.get(slug=options["tenant"]).pk if options["tenant"] else None
    after: str | None = str(UUID(int=0))
    while after is not None:
        after, gone = history_checks.gone(after, limit=BATCH * TELL_EVERY, tenant=tenant)
        if gone:
            yield gone


def _moment(text: str) -> datetime:
    try:
        day = parse_date(text)
        moment = datetime(day.year, day.month, day.day) if day else parse_datetime(text)  # noqa: DTZ001
    except ValueError:
        moment = None
    if moment is None:
        raise CommandError(f"{text!r} is not a day (2026-11-20) or time (RFC 3339).", returncode=2)
    return moment if moment.tzinfo else make_aware(moment, get_current_timezone())


def _batches(runs: QuerySet[Run]) -> Iterator[list[str]]:
    """The ids of the runs, in bounded batches by keyset: what is written meanwhile makes none long."""
    ids = runs.order_by("id").values_list("id", flat=True)
    last: UUID | None = None
    while batch := list((ids if last is None else ids.filter(id__gt=last))[:BATCH]):
        yield [str(run) for run in batch]
        last = batch[-1]
