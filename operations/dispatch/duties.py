"""What dispatch has to do every so often."""

from operations.dispatch import sampling
from runs.maintenance import duties
from runs.maintenance.duties import Duty

duties.register(Duty("dispatch", 60.0, sampling.sample, is_slow=True))
