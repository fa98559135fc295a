"""What webhooks have to do every so often."""

from runs.maintenance import duties
from runs.maintenance.duties import Duty
from triggers.webhooks import deliveries

duties.register(Duty("deliveries", 60.0, deliveries.forget))
