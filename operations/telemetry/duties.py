"""What telemetry has to do every so often."""

from operations.telemetry import counting
from runs.maintenance import duties
from runs.maintenance.duties import Duty

duties.register(
    Duty("telemetry", 5.0, counting.count, is_slow=True),
    Duty("telemetry_kept", 60.0, counting.forget, is_slow=True),
)
