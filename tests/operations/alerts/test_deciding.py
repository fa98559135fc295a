"""What becomes of alerts, whatever is found: decided purely, and held by properties."""

from datetime import UTC, datetime, timedelta

from hypothesis import given
from hypothesis import strategies as st

from operations.alerts.deciding import Finding, FormerAlert, OpenAlert, Rule, decide
from operations.alerts.limits import NOTIFIED_ALERTS

NOW = datetime(2026, 1, 1, 9, tzinfo=UTC)
KEYS = st.sampled_from("abcdef")
MOMENTS = st.none() | st.integers(-7200, 7200).map(lambda seconds: NOW + timedelta(seconds=seconds))
PAST = st.none() | st.integers(0, 7200).map(lambda seconds: NOW - timedelta(seconds=seconds))
RULES = st.builds(
    Rule,
    id=st.just(1),
    cooldown_seconds=st.integers(0, 3600),
    muted_until=MOMENTS,
    escalate_minutes=st.none() | st.integers(1, 60),
)
FINDINGS = st.lists(KEYS.map(lambda key: finding(key)), max_size=8)


def finding(key):
    return Finding(key=key, subject=key, message=key)


@st.composite
def standing(draw):
    """Open alerts, one of a key at most, and those that were before."""
    alerts = [
        OpenAlert(
            id=place,
            key=key,
            status=draw(st.sampled_from(["open", "acknowledged"])),
            quiet_until=draw(MOMENTS),
            muted_until=draw(MOMENTS),
            told_at=draw(PAST),
            escalated=draw(st.booleans()),
        )
        for place, key in enumerate(draw(st.lists(KEYS, unique=True)), start=1)
    ]
    former = {
        key: FormerAlert(
            key, NOW - timedelta(seconds=draw(st.integers(0, 7200))), draw(PAST), draw(st.booleans())
        )
        for key in draw(st.lists(KEYS, unique=True))
    }
    return alerts, former


@given(RULES, FINDINGS, standing())
def test_one_alert_is_open_for_what_holds_and_none_for_what_does_not(rule, findings, before):
    alerts, former = before
    made = decide(rule, findings, alerts, former, NOW)
    keys = {one.key for one in findings}
    by_id = {one.id: one for one in alerts}
    raised = [one.finding.key for one in made.raised]
    assert len(raised) == len(set(raised))
    assert set(raised) <= keys - {one.key for one in alerts}
    assert {by_id[one].key for one in made.resolved} == {one.key for one in alerts} - keys
    assert {by_id[one].key for one, _ in made.seen} == {one.key for one in alerts} & keys
    # What is not raised although it holds was resolved by somebody just now.
    for key in keys - {one.key for one in alerts} - set(raised):
        assert former[key].by_hand
        assert former[key].resolved_at + timedelta(seconds=rule.cooldown_seconds) > NOW


@given(RULES, FINDINGS, standing())
def test_nobody_is_told_twice_or_while_it_is_quiet(rule, findings, before):
    alerts, former = before
    made = decide(rule, findings, alerts, former, NOW)
    by_id = {one.id: one for one in alerts}
    muted = rule.muted_until is not None and rule.muted_until > NOW
    for one in made.told:
        alert = by_id[one]
        assert alert.status == "open"
        assert alert.told_at is None
        assert not muted
        assert all(until is None or until <= NOW for until in (alert.quiet_until, alert.muted_until))
    for one in made.raised:
        if one.tells:
            assert not muted
            assert one.quiet_until is None
    for one in made.escalated:
        alert = by_id[one]
        assert alert.status == "open"
        assert not alert.escalated
        assert alert.told_at + timedelta(minutes=rule.escalate_minutes) <= NOW
    assert len(made.told) + sum(one.tells for one in made.raised) <= NOTIFIED_ALERTS


def test_a_flood_is_told_bit_by_bit():
    found = [finding(str(number)) for number in range(50)]
    first = decide(Rule(1), found, [], {}, NOW)
    assert (len(first.raised), sum(one.tells for one in first.raised)) == (50, NOTIFIED_ALERTS)
    left = [
        OpenAlert(id=place, key=one.finding.key, told_at=NOW if one.tells else None)
        for place, one in enumerate(first.raised)
    ]
    second = decide(Rule(1), found, left, {}, NOW)
    assert len(second.told) == NOTIFIED_ALERTS
    assert not set(second.told) & {one.id for one in left if one.told_at}
