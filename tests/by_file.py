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
        """Give work to a process that has said which tests there are; one that replaces another does so later."""
        if node in self.registered_collections:
            super()._reschedule(node)

    def remove_node(self, node: WorkerController) -> str | None:
        """Give what its process left to others, but for the test in which it ended: that one has failed."""
        ended_in = super().remove_node(node)
        if ended_in is not None:
            scope = self._split_scope(ended_in)
            self.workqueue[scope][ended_in] = True
            if all(self.workqueue[scope].values()):
                del self.workqueue[scope]
        return ended_in


def is_acceptance(nodeid: str) -> bool:
    """Whether the test starts whole products."""
    return nodeid.startswith("tests/acceptance/")
