"""What webhooks that go out have to do every so often."""

from integrations.webhooks_out import dispatcher, store, switching
from lib.batches import in_bounded_batches
from runs.maintenance import duties
from runs.maintenance.duties import Duty

_BATCH = 1_000
_PAGE = 5_000
_TICK_SECONDS = 0.8


def send() -> int:
    """What is done every second: what is due is sent, and replays go on."""
    return dispatcher.here.tick() + in_bounded_batches(store.page_replay, _PAGE, _TICK_SECONDS)


def _keep() -> int:
    """What is done every minute: bounds, and what is old."""
    return switching.keep_bounds() + in_bounded_batches(store.forget, _BATCH, _TICK_SECONDS)


duties.register(Duty("webhooks_out", 1.0, send, aside=True), Duty("webhooks_out_kept", 60.0, _keep))
