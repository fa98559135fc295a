"""Channels as admins see them: make, change, test, remove. An address is kept sealed, shown in part (R-215)."""

from collections.abc import Iterable
from urllib.parse import urlsplit

from django.db import transaction
from django.db.models import QuerySet

from accounts import audit
from accounts.principal import Principal
from accounts.roles import ALERTS_MANAGE
from accounts.sealed import ring_of
from engine.catalogue import Json
from lib.egress import EgressRefused, url_of
from lib.refusals import Conflict, Invalid, Missing
from lib.sealing import Hidden, Place
from operations.alerts.evaluating import make_rules
from operations.alerts.limits import ADDRESS_CHARACTERS, CHANNEL_ADDRESSES, NAME_CHARACTERS, TENANT_CHANNELS
from operations.alerts.models import CHANNEL_KINDS, AlertChannel, AlertDelivery, AlertRule
from steps.addresses import is_address

_REGIONS = ("us", "eu")
_KEY_LENGTH = 32


def channels_of(tenant_id: int) -> QuerySet[AlertChannel]:
    """The tenant's channels."""
    return AlertChannel.objects.for_tenant(tenant_id)


def get_channel(tenant_id: int, channel_id: int) -> AlertChannel:
    """The tenant's channel. Raises Missing."""
    channel = channels_of(tenant_id).filter(pk=channel_id).first()
    if channel is None:
        raise Missing("There is no such channel.")
    return channel


def deliveries_of(tenant_id: int, channels: Iterable[int]) -> dict[int, AlertDelivery]:
    """The last message of each of these channels that has one; one statement."""
    rows = AlertDelivery.objects.for_tenant(tenant_id).filter(channel_id__in=list(channels))
    return {row.channel_id: row for row in rows.order_by("channel_id", "-id").distinct("channel_id")}


def messages_to(channel: AlertChannel, most: int) -> list[AlertDelivery]:
    """The last messages to a channel, newest first."""
    rows = AlertDelivery.objects.for_tenant(channel.tenant_id).filter(channel_id=channel.pk)
    return list(rows.order_by("-id")[:most])


def create_channel(
    principal: Principal,
    *,
    name: str,
    kind: str,
    address: str,
    is_default: bool = False,
    fill_rules: bool = False,
    reason: str | None = None,
) -> AlertChannel:
    """A new channel; new rules notify it where it is a default one. `fill_rules`: and rules that have none so far.

    Raises Invalid for what is no address of its kind, Conflict for a name that is taken.
    """
    principal.require(ALERTS_MANAGE)
    if kind not in CHANNEL_KINDS:
        raise Invalid(f"There is no kind {kind!r}.", field="kind")
    name, address = _checked_name(name), checked_address(kind, address)
    tenant_id = principal.tenant_id
    with transaction.atomic():
        if channels_of(tenant_id).count() >= TENANT_CHANNELS:
            raise Conflict(f"There can be at most {TENANT_CHANNELS} channels.", code="too_many")
        _refuse_name(tenant_id, name)
        channel = AlertChannel.objects.create(
            tenant_id=tenant_id,
            kind=kind,
            name=name,
            sealed=b"",
            shown=shown(kind, address),
            is_default=is_default,
            made_by=principal.username,
        )
        # Bound to its id, which it has only now.
        channels_of(tenant_id).filter(pk=channel.pk).update(sealed=_sealed(tenant_id, channel.pk, 1, address))
        audit.change(principal, "alert_channel.create", name, after=_facts_of(channel), reason=reason)
        if fill_rules:
            _fill_rules(principal, channel, reason)
    return get_channel(tenant_id, channel.pk)


def change_channel(
    principal: Principal,
    channel_id: int,
    *,
    fill_rules: bool = False,
    reason: str | None = None,
    **values: Json,
) -> AlertChannel:
    """Change what is given of `name`, `address`, `enabled` and `is_default`; `fill_rules` as in `create_channel`.

    Raises as `create_channel`, and Missing.
    """
    principal.require(ALERTS_MANAGE)
    channel = get_channel(principal.tenant_id, channel_id)
    changes: dict[str, Json] = {}
    if "name" in values:
        changes["name"] = _checked_name(values["name"])
    if "enabled" in values:
        changes["enabled"] = bool(values["enabled"])
    if "is_default" in values:
        changes["is_default"] = bool(values["is_default"])
    if "address" in values:
        address, number = checked_address(channel.kind, values["address"]), channel.number + 1
        changes |= {
            "number": number,
            "shown": shown(channel.kind, address),
            "sealed": _sealed(channel.tenant_id, channel.pk, number, address),
        }
    if changes:
        with transaction.atomic():
            if changes.get("name", channel.name) != channel.name:
                _refuse_name(channel.tenant_id, changes["name"])
            # Of two who change the address at once one has sealed it for a number that is taken.
            rows = channels_of(channel.tenant_id).filter(pk=channel.pk, number=channel.number)
            if not rows.update(**changes):
                raise Conflict("Somebody has changed this channel just now.")
            before, after = _facts_of(channel), _facts_of(get_channel(channel.tenant_id, channel.pk))
            if "sealed" in changes:
                after["address"] = audit.CHANGED
            audit.change(
                principal, "alert_channel.change", channel.name, before=before, after=after, reason=reason
            )
    if fill_rules:
        with transaction.atomic():
            _fill_rules(principal, channel, reason)
    return get_channel(channel.tenant_id, channel.pk)


def _fill_rules(principal: Principal, channel: AlertChannel, reason: str | None) -> None:
    """Have the rules that notify nobody notify this channel."""
    make_rules(channel.tenant_id)
    all_rules = AlertRule.objects.for_tenant(channel.tenant_id).select_for_update().order_by("pk")
    for rule in all_rules.filter(channels=[]):
        AlertRule.objects.for_tenant(channel.tenant_id).filter(pk=rule.pk).update(
            channels=[channel.pk], changed_by=principal.username
        )
        before: dict[str, Json] = {"channels": []}
        after: dict[str, Json] = {"channels": [channel.pk]}
        audit.change(principal, "alert_rule.change", rule.name, before=before, after=after, reason=reason)


def default_channels(tenant_id: int) -> list[int]:
    """The channels that new rules notify."""
    return list(channels_of(tenant_id).filter(is_default=True).order_by("pk").values_list("pk", flat=True))


def send_test(principal: Principal, channel_id: int, *, reason: str | None = None) -> AlertDelivery:
    """Have a test sent, as alerts are; what came of it is in the message that is given. Raises Missing."""
    principal.require(ALERTS_MANAGE)
    channel = get_channel(principal.tenant_id, channel_id)
    with transaction.atomic():
        delivery = AlertDelivery.objects.create(
            tenant_id=channel.tenant_id, channel_id=channel.pk, event="test"
        )
        audit.record(principal, "alert_channel.test", channel.name, reason=reason)
    return AlertDelivery.objects.for_tenant(channel.tenant_id).get(pk=delivery.pk)


def delete_channel(principal: Principal, channel_id: int, *, reason: str | None = None) -> None:
    """Remove a channel, also from rules; what waits for it is not sent. Raises Missing."""
    principal.require(ALERTS_MANAGE)
    channel = get_channel(principal.tenant_id, channel_id)
    with transaction.atomic():
        for rule in AlertRule.objects.for_tenant(channel.tenant_id).select_for_update().order_by("pk"):
            left = {
                field: [one for one in getattr(rule, field) if one != channel.pk]
                for field in ("channels", "escalate_channels")
                if channel.pk in getattr(rule, field)
            }
            if left:
                AlertRule.objects.for_tenant(channel.tenant_id).filter(pk=rule.pk).update(**left)
        channels_of(channel.tenant_id).filter(pk=channel.pk).delete()
        before = _facts_of(channel)
        audit.change(principal, "alert_channel.delete", channel.name, before=before, reason=reason)


def _facts_of(channel: AlertChannel) -> dict[str, Json]:
    """What the audit log says of a channel; its address may be a secret."""
    return audit.fields_of(channel, "name", "kind", "enabled", "is_default", "shown")


def open_address(tenant_id: int, channel_id: int, number: int, sealed: bytes) -> str:
    """The address of a channel in the clear. Raises CannotOpen where the key that sealed it is not here."""
    return ring_of(tenant_id).open(sealed, _place(tenant_id, channel_id, number)).reveal().decode()


def checked_address(kind: str, address: str) -> str:
    """An address of this kind, as it is kept. Raises Invalid."""
    address = address.strip()
    if len(address) > ADDRESS_CHARACTERS or not address.isascii() or not address.isprintable():
        raise Invalid(
            "This is not a valid address: it is too long or has invalid characters.", field="address"
        )
    if kind == "mail":
        return ",".join(_mail_addresses(address))
    if kind == "pagerduty":
        region, _, key = address.rpartition(":")
        if (region and region not in _REGIONS) or len(key) != _KEY_LENGTH or not key.isalnum():
            message = (
                "This is not a PagerDuty integration key: 32 letters and digits, in Europe with eu: in front."
            )
            raise Invalid(message, field="address")
        return address
    _check_url(address, secure=kind == "teams")
    return address


def shown(kind: str, address: str) -> str:
    """What people see of an address: mail whole, of the rest only where it leads or how it ends."""
    if kind == "mail":
        return address.replace(",", ", ")
    if kind == "pagerduty":
        return f"…{address[-4:]}"
    parts = urlsplit(address)
    return f"{parts.scheme}://{parts.netloc}/…"


def _mail_addresses(text: str) -> list[str]:
    addresses = list(dict.fromkeys(one.strip() for one in text.split(",")))
    if len(addresses) > CHANNEL_ADDRESSES:
        raise Invalid(
            f"At most {CHANNEL_ADDRESSES} addresses can be notified by one channel.", field="address"
        )
    for one in addresses:
        if not is_address(one):
            raise Invalid(f"{one[:100]!r} is not an e-mail address.", field="address")
    return addresses


def _check_url(address: str, *, secure: bool) -> None:
    begins = "https://" if secure else "https:// or http://"
    wrong = Invalid(f"This must be an address that begins with {begins}.", field="address")
    try:
        if "@" in urlsplit(address).netloc:
            raise Invalid("An address here has no user or password.", field="address")
        url = url_of(address)
    except (ValueError, EgressRefused):
        raise wrong from None
    if " " in address or (secure and url.scheme != "https"):
        raise wrong


def _checked_name(name: str) -> str:
    name = name.strip()
    if not name or len(name) > NAME_CHARACTERS or not name.isprintable():
        raise Invalid(f"A name has 1 to {NAME_CHARACTERS} characters on one line.", field="name")
    return name


def _refuse_name(tenant_id: int, name: str) -> None:
    if channels_of(tenant_id).filter(name=name).exists():
        raise Conflict(f"A channel {name!r} already exists.", code="name_taken", field="name")


def _sealed(tenant_id: int, channel_id: int, number: int, address: str) -> bytes:
    return ring_of(tenant_id).seal(Hidden(address.encode()), _place(tenant_id, channel_id, number))


def _place(tenant_id: int, channel_id: int, number: int) -> Place:
    return Place(tenant_id, f"alert_channel/{channel_id}", "address", number)
