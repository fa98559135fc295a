"""What schedules have to do every so often."""

from runs.maintenance import duties
from runs.maintenance.duties import Duty
from triggers.schedules import firing, forgetting

duties.register(
    Duty("schedules", 1.0, firing.fire),
    Duty("schedule_owners", 60.0, firing.stop_orphans),
    Duty("schedule_history", 60.0, forgetting.forget),
)
