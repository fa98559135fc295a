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
        from runs.commands.human_skips import Rules, tell_skips
        from runs.commands.reassigning import tell_reassigns
        from runs.commands.starts import judges_starts
        from runs.kernel.compensation import tell_of_failures, tell_of_settling
        from runs.kernel.wait_kinds import register
        from runs.reading.mails import tell_mails
        from runs.reading.people_asked import tell_asked
        from runs.reading.task_dues import tell_dues
        from steps import outside
        from tasks_inbox.actions import leaving, reassigning, skipping
        from tasks_inbox.design.publishing import judge
        from tasks_inbox.design.starting import judge_starts
        from tasks_inbox.eligibility import membership
        from tasks_inbox.eligibility.seeing import guard_task
        from tasks_inbox.lifecycle import compensations
        from tasks_inbox.lifecycle.waits import TASK
        from tasks_inbox.reading import dues, impact, left, open_with, requests, unsent
        from workflows.ports.judges import judges_definitions

        register("task", TASK)
        guards("task_id", guard_task)
        judges_definitions(judge)
        judges_starts(judge_starts)
        tell_asked(requests)
        tell_dues(dues)
        tell_mails(unsent.MAILS)
        tell_reassigns(reassigning)
        tell_skips(
            Rules(skipping.decide_below, skipping.decide_here, leaving.check_cancel, leaving.check_move)
        )
        tell_of_failures(compensations.open_for)
        tell_of_settling(compensations.close_for)
        ports.tell_what_is_open(open_with.open_with)
        ports.say_of_mail(lambda: outside.mail().server is not None)
        ports.tell_of_members(membership.member_changed)
        ports.tell_what_is_left(left.left_by)
        ports.foretell(impact.impact_of)
        ports.count_by_group(membership.count_by_group)
