"""What alerts have to do every so often."""

from operations.alerts import evaluating, sending
from runs.maintenance import duties
from runs.maintenance.duties import Duty

duties.register(
    Duty("alerts", 15.0, evaluating.look),
    Duty("alerts_out", 5.0, sending.send_due, is_slow=True),
    Duty("alerts_kept", 60.0, evaluating.forget),
)
