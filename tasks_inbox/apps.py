"""The app of what people must do: tasks, who may decide them, and their decisions."""

from django.apps import AppConfig


class TasksInboxConfig(AppConfig):
    """Tasks of people."""

    name = "tasks_inbox"
    verbose_name = "Inbox"

    def ready(self) -> None:
        """Tell `runs` who opens and closes what a step or a failed compensation waits for, `accounts` who has tasks."""
        from accounts import ports
        from accounts.guards import guards
        from runs.commands.human_skips import SKIP_RULES, Rules
        from runs.commands.reassigning import REASSIGNMENTS
        from runs.commands.requests import REMINDERS
        from runs.commands.starts import START_JUDGES
        from runs.files.trees import SOURCES
        from runs.kernel.compensation import FAILED_COMPENSATIONS, SETTLED_COMPENSATIONS
        from runs.kernel.wait_kinds import register
        from runs.ports import FINDERS
        from runs.reading.mails import MAILS
        from runs.reading.people_asked import PEOPLE_ASKED
        from runs.reading.task_dues import TASK_DUES
        from steps import outside
        from tasks_inbox.actions import leaving, reassigning, reminding, skipping
        from tasks_inbox.design.publishing import judge
        from tasks_inbox.design.starting import judge_starts
        from tasks_inbox.eligibility import membership
        from tasks_inbox.eligibility.seeing import guard_task
        from tasks_inbox.forms.files import SOURCE
        from tasks_inbox.lifecycle import compensations
        from tasks_inbox.lifecycle.waits import TASK
        from tasks_inbox.reading import dues, finding, impact, left, open_with, requests, unsent
        from workflows.ports import JUDGES

        register("task", TASK)
        guards("task_id", guard_task)
        JUDGES.register(judge)
        START_JUDGES.register(judge_starts)
        SOURCES.register(SOURCE)
        PEOPLE_ASKED.register(requests)
        TASK_DUES.register(dues)
        FINDERS.register(finding.find)
        MAILS.register(unsent.MAILS)
        REASSIGNMENTS.register(reassigning)
        REMINDERS.register(reminding.remind)
        SKIP_RULES.register(
            Rules(skipping.decide_below, skipping.decide_here, leaving.check_cancel, leaving.check_move)
        )
        FAILED_COMPENSATIONS.register(compensations.open_for)
        SETTLED_COMPENSATIONS.register(compensations.close_for)
        ports.OPEN_THINGS.register(open_with.open_with)
        ports.MAIL_SERVERS.register(lambda: outside.mail().server is not None)
        ports.MEMBER_CHANGES.register(membership.member_changed)
        ports.LEFT_THINGS.register(left.left_by)
        ports.IMPACTS.register(impact.impact_of)
        ports.TASKS_OF_GROUPS.register(membership.count_by_group)
