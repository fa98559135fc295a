"""What people type to find runs: which words narrow it, what they find, and how a word may go on."""

from dataclasses import replace
from datetime import date, timedelta

import pytest

from accounts.models import Tenant
from accounts.principal import NOWHERE
from accounts.queries import principals_of
from lib.refusals import Invalid
from runs.commands.starts import NewRun, Terms, start_runs
from runs.models import StepExecution
from runs.reading import queries, search_words
from runs.reading.filters import filters_of_search
from runs.reading.search_words import InputTest, day, offers
from runs.web.offers import offers as offered
from tests import factories as make
from tests.store.watching import watching

THURSDAY = date(2026, 11, 26)
SIGNAL = {"id": "b", "type": "signal", "params": {"name": "paid"}}


def test_days_are_counted_back_from_today():
    assert {
        word: day(word, THURSDAY) for word in ("today", "Yesterday", "thursday", "friday", "2w", "3h", "x")
    } == {
        "today": THURSDAY,
        "Yesterday": THURSDAY - timedelta(days=1),
        "thursday": THURSDAY,
        "friday": date(2026, 11, 20),
        "2w": date(2026, 11, 12),
        "3h": None,
        "x": None,
    }


@pytest.mark.parametrize("word", ["waiting:soon", "input.:1", "input.a..b:1", "status>failed"])
def test_what_can_t_be_read_says_how_it_is_written(word):
    with pytest.raises(Invalid) as refusal:
        filters_of_search(word, "ann")
    assert refusal.value.field == "query"
    assert "Write" in refusal.value.message


def test_a_number_is_compared_as_one_and_a_text_as_a_text():
    assert InputTest(("a", 'b"'), ":", "7").json_path == '$."a"."b\\"" ? (@ == "7" || @ == (7))'
    assert InputTest(("a",), ">", "-1.5").json_path == '$."a" ? (@ > (-1.5))'
    assert InputTest(("a",), ">", "2026-11-01").json_path == '$."a" ? (@ > "2026-11-01")'
    assert InputTest(("a",), ":", "true").json_path == '$."a" ? (@ == "true" || @ == true)'


def test_the_word_at_the_end_may_go_on():
    values = {"status": lambda: [("failed", "Failed"), ("open", "At work")]}
    assert offers("siemens stat", values) == [("siemens status:", search_words.MEANS["status"])]
    assert offers("siemens state:f", values) == [("siemens status:failed", "Failed")]
    assert offers("status:failed", values) == []
    assert offers("input.x:1 ", values) == []
    assert {text for text, _ in offers("w", values)} == {"workflow:", "waiting:"}


class TestFound:
    """In the database."""

    pytestmark = pytest.mark.django_db

    def found(self, text: str) -> list[str]:
        filters = filters_of_search(text, "ann")
        rows = queries.runs_of(Tenant.objects.get().pk, **filters).order_by("id")
        return [str(run) for run in rows.values_list("pk", flat=True)]

    @pytest.fixture
    def three(self):
        """Three runs that wait for a signal, and what they were given."""
        run_ids = make.start(
            make.graph([SIGNAL], []),
            {"order_id": 7, "country": "DE", "lines": [{"sku": "A1"}, {"sku": "B2"}]},
            {"order_id": "7", "country": "FR", "amount": 20.5},
            {"order_id": 8, "country": None, "amount": "no number", "paid": True},
        )
        make.work()
        return run_ids

    @pytest.mark.parametrize(
        ("text", "places"),
        [
            ("input.order_id:7", [0, 1]),
            ("input.order_id>7", [2]),
            ("input.lines.sku:B2", [0]),
            ("input.amount>=20.5", [1]),
            ("input.amount<1000 input.country:FR", [1]),
            ("input.paid:true", [2]),
            ("input.country:null", [2]),
            ("data.country:DE", [0]),
            ('input.x:"\') || true"', []),
            ("step:b", [0, 1, 2]),
            ("step:c", []),
            ("version:1", [0, 1, 2]),
            ("version:v1 workflow:other", []),
            ("version:2", []),
        ],
    )
    def test_fields_of_the_input(self, three, text, places):
        assert self.found(text) == [three[place] for place in places]

    def test_who_has_waited_for_how_long(self, three):
        old = make.steps(three[0])["b"]
        StepExecution.unsafe_all_tenants.filter(pk=old.pk).update(
            started_at=old.started_at - timedelta(days=3)
        )
        assert self.found("waiting:>2d") == [three[0]]
        assert self.found("waiting:<2d") == three[1:]
        make.cancel(three[0])
        assert self.found("waiting:>2d") == []

    def test_what_is_offered_is_what_they_may_read(self, three):
        user = make.a_member("ann")
        ann = principals_of([user])[user.pk]
        text = f"workflow:{queries.workflow_names(ann, 1)[0][0]}"
        assert [found for found, _ in offered(ann, f"{text} step:")] == [f"{text} step:b"]
        assert [found for found, _ in offered(ann, f"{text} version:")] == [f"{text} version:1"]
        assert offered(ann, "step:") == offered(ann, "workflow:other version:") == []
        make.a_member("bea", "operator")
        assert ("by:bea", "bea") in offered(ann, "by:b")

    def test_keys_are_offered_as_they_are_written_of_what_they_may_read(self):
        user = make.a_member("ann")
        ann = principals_of([user])[user.pk]
        version = make.a_version(make.graph([SIGNAL], []))
        terms = Terms(tenant=version.tenant_id, version=version.pk, by="test")
        keys = ["PO 1", "PO 2", "po-3", "Q", 'In "two" parts', *(f"A{n:02}" for n in range(20))]
        start_runs(terms, [NewRun({}, business_key=key) for key in keys])
        with watching() as wire:
            assert [text for text, _ in offered(ann, "status:open key:PO")] == [
                'status:open key:"PO 1"',
                'status:open key:"PO 2"',
            ]
        assert wire.trips == 2
        name = version.workflow.name
        assert [text for text, _ in offered(ann, 'key:"PO 2')] == ['key:"PO 2"']
        whole = r'key:"In \"two\" parts"'
        for text in ("key:In", r'key:"In \"tw', r'key:"In \"two\" '):
            assert [text for text, _ in offered(ann, text)] == [whole]
        assert [text for text, _ in offered(ann, f"workflow:{name} key:po")] == [f"workflow:{name} key:po-3"]
        assert len(offered(ann, "key:A")) == 8
        assert offered(ann, "key:") == offered(ann, "key:Q") == offered(ann, "workflow:other key:P") == []
        assert offered(replace(ann, reach=NOWHERE), "key:P") == []

    def test_no_more_of_inputs_is_read_than_may_be(self, three, monkeypatch):
        assert self.found("input.country:DE") == three[:1]
        monkeypatch.setattr(queries, "BYTES_TESTED", 170)
        assert self.found("input.country:FR") == [three[1]]
        assert self.found("input.country:DE") == []

    def test_one_statement_finds_them(self, three):
        with watching() as wire:
            assert self.found("input.order_id:7 waiting:<2d step:b status:waiting") == three[:2]
        assert wire.trips == 2
