"""What bulk jobs have to do every so often."""

from operations.bulk import work
from runs.maintenance import duties
from runs.maintenance.duties import Duty

duties.register(Duty("bulk_jobs", 1.0, work.work))
