"""The socket `/ws/alerts`: it says that alerts of the tenant changed, and nothing of what is in them."""

from accounts.principal import Principal
from accounts.roles import RUNS_OPERATE
from operations.alerts.models import LIVE_TOPIC
from runs.kernel.live import Topic
from runs.web.consumers import RunsConsumer


class AlertsConsumer(RunsConsumer):
    """A socket about the tenant's alerts."""

    required_scope = RUNS_OPERATE

    def _topic_in(self, principal: Principal) -> Topic | None:
        return Topic(principal.tenant_id, about=LIVE_TOPIC)
