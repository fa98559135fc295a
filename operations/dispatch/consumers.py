"""The socket `/ws/queues`: it says that what is in the tenant's queues changed."""

from accounts.principal import Principal
from runs.kernel.live import QUEUES, Topic
from runs.web.consumers import RunsConsumer


class QueuesConsumer(RunsConsumer):
    """A socket about the tenant's queues."""

    def _topic_in(self, principal: Principal) -> Topic | None:
        return Topic(principal.tenant_id, about=QUEUES)
