"""How tests are distributed to processes."""

from xdist.scheduler import LoadScopeScheduling
from xdist.workermanage import WorkerController


class ByFile(LoadScopeScheduling):
    """Each file stays with one process, and all that starts whole products with one of them: they would take each
    other's time.
    """

    def _split_scope(self, nodeid: str) -> str:
        return "acceptance" if is_acceptance(nodeid) else nodeid.partition("::")[0]

    def _reschedule(self, node: WorkerController) -> None:
        """Give work to a process that has said which tests there are; one that replaces another does so later.

        A process begins a test when it knows the next one, or that there is none: with one test it would wait.
        """
        if node not in self.registered_collections:
            return
        super()._reschedule(node)
        while not node.shutting_down and self._pending_of(self.assigned_work[node]) < 2:
            super()._reschedule(node)

    def remove_node(self, node: WorkerController) -> str | None:
        """Give what its process left to others, but for the test in which it ended: that one has failed.

        Files whose tests have all been run are not given again: a process without a test would wait for ever.
        """
        workload = self.assigned_work.pop(node)
        ended_in = next(
            (name for unit in workload.values() for name, is_done in unit.items() if not is_done), None
        )
        for scope, unit in workload.items():
            if ended_in in unit:
                unit[ended_in] = True
            if not all(unit.values()):
                self.workqueue[scope] = unit
        for other in self.nodes:
            self._reschedule(other)
        return ended_in


def is_acceptance(nodeid: str) -> bool:
    """Whether the test starts whole products."""
    return nodeid.startswith("tests/acceptance/")
