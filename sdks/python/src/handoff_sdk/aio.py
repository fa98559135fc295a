"""The client for asyncio, of which generate.py makes the one that blocks: methods for the common calls,
`send` with `routes` for all others.
"""

import asyncio
from collections.abc import AsyncIterator, Mapping, Sequence
from typing import Any

from handoff_sdk import models, routes
from handoff_sdk.calls import UNSET, Unset
from handoff_sdk.sender import AsyncSender
from handoff_sdk.waits import Pauses


class AsyncClient(AsyncSender):
    """A client of the API. Every method raises ApiError and NoResponse."""

    async def start(
        self,
        workflow: str,
        input: Any,
        *,
        version: int | Unset = UNSET,
        business_key: str | Unset = UNSET,
        if_exists: models.IfExistsEnum | Unset = UNSET,
        signal: models.SignalFieldsRequest | Unset = UNSET,
        on_behalf_of: str | Unset = UNSET,
        idempotency_key: str | None = None,
    ) -> models.StartedRun:
        """Start a run, or get the one that has the business key."""
        call = routes.post_runs(
            workflow=workflow,
            input=input,
            version=version,
            business_key=business_key,
            if_exists=if_exists,
            signal=signal,
            on_behalf_of=on_behalf_of,
            idempotency_key=idempotency_key,
        )
        return await self.send(call)

    async def start_many(
        self, workflow: str, items: Sequence[models.BatchItemRequest], *, version: int | Unset = UNSET
    ) -> models.Batch:
        """Start up to 1,000 runs, all or none."""
        return await self.send(routes.post_run_batch(workflow=workflow, items=list(items), version=version))

    async def run(self, run: str) -> models.Run:
        """The present state of a run, with its steps."""
        return await self.send(routes.get_run(run))

    async def wait(self, run: str, *, seconds: float = 300.0) -> models.Run:
        """The run once it has ended, with whatever status. Raises WaitTimeout after `seconds`."""
        pauses = Pauses(seconds)
        while True:
            state = await self.run(run)
            if pauses.is_over(state):
                return state
            await asyncio.sleep(pauses.next())

    def runs(
        self, *, workflow: str | None = None, status: models.ListedStatus | None = None, q: str | None = None
    ) -> AsyncIterator[models.Run]:
        """The runs, newest first; pages are fetched as needed."""
        return self.pages(routes.get_runs(workflow=workflow, status=status, q=q))

    async def signal(
        self,
        run: str,
        name: str,
        signal_id: str,
        payload: Any = UNSET,
        *,
        child: str | Unset = UNSET,
        index: int | Unset = UNSET,
        to_all: bool = False,
    ) -> models.Signal:
        """Send a run a message; `signal_id` names it: sent again it changes nothing.

        It goes to the oldest wait of its name in the run and the runs below it: of the run `child` or of the item
        `index`, if they are given; or to all of them.
        """
        call = routes.post_run_signals(
            run,
            name=name,
            signal_id=signal_id,
            payload=payload,
            child=child,
            index=index,
            all=True if to_all else UNSET,
        )
        return await self.send(call)

    async def cancel(self, run: str, *, reason: str | Unset = UNSET) -> models.Run:
        """Cancel a run."""
        return await self.send(routes.post_run_cancel(run, reason=reason))

    async def create_workflow(self, name: str, definition: Mapping[str, Any]) -> models.DraftedWorkflow:
        """A new workflow with this draft; the response lists its `problems`."""
        return await self.send(routes.post_workflows(name=name, definition=dict(definition)))

    async def save_draft(
        self, name: str, definition: Mapping[str, Any], *, revision: int
    ) -> models.SavedDraft:
        """Replace the draft that has this revision. Raises Stale where somebody has changed it since."""
        return await self.send(routes.put_draft(name, definition=dict(definition), if_match=f'"{revision}"'))

    async def publish(self, name: str, *, note: str | Unset = UNSET) -> models.Published:
        """Publish the draft as a version. Raises Invalid where the definition has errors."""
        return await self.send(routes.post_publish(name, note=note))

    def workflows(self, *, q: str | None = None) -> AsyncIterator[models.Workflow]:
        """The workflows."""
        return self.pages(routes.get_workflows(q=q))

    async def create_token(
        self,
        name: str,
        *,
        role: models.TokenRole | Unset = UNSET,
        queues: list[str] | Unset = UNSET,
        folders: list[str] | Unset = UNSET,
    ) -> models.NewToken:
        """A token, whose text is shown only once; one that takes jobs is limited to queues and folders (`*`: all)."""
        return await self.send(routes.post_tokens(name=name, role=role, queues=queues, folders=folders))

    async def revoke_token(self, token: str) -> models.Token:
        """Revoke the token."""
        return await self.send(routes.post_token_revoke(token))

    async def poll(
        self, worker: str, queues: Sequence[str], *, jobs: int = 1, wait: float = 0.0
    ) -> list[models.Job]:
        """Lease jobs; a `Worker` does this, and renews and reports them."""
        call = routes.post_jobs_poll(worker_id=worker, queues=list(queues), max_jobs=jobs, wait_seconds=wait)
        return (await self.send(call))["jobs"]

    async def complete(
        self, job: models.Job, output: Any, *, variables: Mapping[str, Any] | Unset = UNSET
    ) -> models.JobAnswer:
        """Complete the job."""
        return await self.send(
            routes.post_job_complete(
                job["id"],
                lease_token=job["lease_token"],
                output=output,
                variables=variables if isinstance(variables, Unset) else dict(variables),
            )
        )

    async def complete_many(self, items: Sequence[models.CompletedJobRequest]) -> list[models.JobResult]:
        """Complete these jobs, each by itself."""
        return (await self.send(routes.post_jobs_complete(items=list(items))))["results"]

    async def fail(self, job: models.Job, code: str, message: str, *, retryable: bool) -> models.JobAnswer:
        """Fail the attempt."""
        error: models.JobErrorRequest = {"code": code, "message": message}
        return await self.send(
            routes.post_job_fail(job["id"], lease_token=job["lease_token"], error=error, retryable=retryable)
        )

    async def fail_many(self, items: Sequence[models.FailedJobRequest]) -> list[models.JobResult]:
        """Fail these attempts, each by itself."""
        return (await self.send(routes.post_jobs_fail(items=list(items))))["results"]

    async def heartbeat(self, job: models.Job, progress: Any = UNSET) -> models.JobAnswer:
        """Renew the lease."""
        return await self.send(
            routes.post_job_heartbeat(job["id"], lease_token=job["lease_token"], progress=progress)
        )

    async def heartbeat_many(self, items: Sequence[models.BeatingJobRequest]) -> list[models.JobResult]:
        """Renew these leases."""
        return (await self.send(routes.post_jobs_heartbeat(items=list(items))))["results"]

    async def release(self, job: models.Job) -> models.JobAnswer:
        """Release the job unstarted: no attempt is counted."""
        return await self.send(routes.post_job_release(job["id"], lease_token=job["lease_token"]))
