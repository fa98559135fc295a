"""The socket `/ws/inbox`: it says that tasks of the tenant changed, and nothing of what is in them."""

from accounts.principal import Principal
from accounts.roles import TASKS_READ
from runs.kernel.live import INBOX, Topic
from runs.web.consumers import RunsConsumer


class InboxConsumer(RunsConsumer):
    """A socket about the tenant's inbox."""

    required_scope = TASKS_READ

    def _topic_in(self, principal: Principal) -> Topic | None:
        return Topic(principal.tenant_id, about=INBOX)
