"""job: work that an external worker takes by polling the node's queue."""

from pydantic import ConfigDict

from engine.catalogue import Json
from engine.errors import StepError
from steps.base import Params, StepContext, StepType


class JobParams(Params):
    """Anything: what they mean is between the workflow and its workers."""

    model_config = ConfigDict(extra="allow")


def run(context: StepContext) -> Json:
    """Raises StepError: no worker of ours may execute a job."""
    raise StepError("NotExecutable", "A job is done by an external worker that polls its queue.")


JOB = StepType(
    name="job",
    kind="external",
    title="External job",
    help="Waits until a worker of yours has polled the queue, done the work and reported its output.",
    keywords="code script worker program function python sdk external task queue custom run",
    icon="plug",
    group="integration",
    example={"params": {"tile_size": 256}, "input": {"image": "s3://slides/17.tiff"}},
    params_model=JobParams,
    run=run,
    timeout_seconds=None,
    has_side_effects=True,
)
