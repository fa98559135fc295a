"""What the engine has to do every so often."""

from runs.maintenance import (
    answers,
    blobs,
    due,
    duties,
    files,
    forecasts,
    histories,
    input_index,
    leases,
    seals,
    sla,
    stuck,
    timers,
)
from runs.maintenance.duties import Duty

duties.register(
    Duty("due", 1.0, due.hint),
    Duty("timers", 1.0, timers.fire),
    Duty("leases", 5.0, leases.sweep),
    Duty("forgotten", 5.0, due.hint_forgotten),
    Duty("seals", 5.0, seals.seal),
    Duty("sla", 5.0, sla.look),
    Duty("answers", 60.0, answers.forget),
    Duty("files", 60.0, files.forget),
    Duty("blobs", 60.0, blobs.sweep, is_slow=True),
    Duty("forecasts", 15.0, forecasts.make, is_slow=True),
    Duty("forecasts_kept", 60.0, forecasts.forget, is_slow=True),
    Duty("history", 15.0, histories.check, is_slow=True),
    Duty("inputs", 5.0, input_index.index, is_slow=True),
    # Last: whatever it finds, the others are done.
    Duty("stuck", 60.0, stuck.check),
)
