"""Limits of tasks: what people may send, what one call does, what pages and mails show."""

from datetime import timedelta

ABSENCE_NOTE_CHARACTERS = 500
"""The note of an absence."""
ABSENCE_WORKFLOWS = 100
"""Workflows that one absence names."""
BULK_TASKS = 200
"""Tasks of one call: each is a transaction of its own within one request."""
TASK_COMMENT_CHARACTERS = 4_000
"""A comment on a task."""
DECISION_BYTES = 1024 * 1024
"""The data of a decision, as JSON."""
DECISION_COMMENT_CHARACTERS = 10_000
"""The comment of a decision and of its draft."""
DECISION_PROBLEMS = 50
"""Problems that are reported for one form."""
TASK_DRAFT_BYTES = 1024 * 1024
"""The draft of a decision, as large as the decision may be."""
TASK_REASON_CHARACTERS = 2_000
"""The reason that somebody gives for an action on a task."""
HANDOVER_ITEMS = 600
"""Items that one call hands over, each in a transaction of its own."""
SNOOZE_PERIOD = timedelta(days=366)
"""How far ahead a task may be put off."""
REASSIGNED_TASKS = 100
"""Open tasks of one run that are reassigned at once; a run with more of them is refused."""
TASK_ROUNDS = 20
"""Rounds in which a task is returned and asked again."""
APPROVAL_COMBINATIONS = 2_000
"""Combinations of deciders that are tried before a version is published."""
NAMED_PEOPLE = 20
"""People whom one message of a check names."""
SUMMARY_PEOPLE = 3
"""People whom the summary of a step names; of more it gives the number."""
DIGEST_LINES = 15
"""Tasks in each list of a digest mail."""
INCIDENT_TITLE_CHARACTERS = 300
"""The title of an incident."""
EVIDENCE_VALUES = 40
"""Values of a step that are shown to whoever decides."""
EVIDENCE_VALUE_CHARACTERS = 400
"""One shown value; a longer one is cut."""
FILE_CHANGES = 100
"""Changes of files that are searched for those a person has not seen."""
TASK_FILES = 20
"""Files of one task."""
MAIL_TITLE_CHARACTERS = 200
"""The title of a task in the subject of a mail."""
MENTIONED_PEOPLE = 20
"""People whom one comment notifies."""
IMPACT_TASKS = 1_000
"""Open tasks that are examined for an impact, the oldest first."""
LEFT_ITEMS = 100
"""Items of each kind that are handed over at once; the rest is shown again afterwards."""
REQUEST_MILESTONES = 500
"""Milestones of one run that are read."""
REQUEST_REMINDERS = 50
"""Reminders by the requester that the page of a request tells of: there is one in four hours."""
REQUEST_TASKS = 25
"""Open tasks of each run on a page, the oldest first, so that one run does not displace the others."""
REQUEST_CORRECTIONS = 20
"""Corrected tasks of each run on a page, the newest ones: their facts are read."""
VIEW_NAME_CHARACTERS = 80
"""The name of a saved view."""
USER_VIEWS = 50
"""Saved views of one person."""
SEARCH_CHARACTERS = 200
"""A search in the inbox; each word of it is a condition."""
SEARCH_VALUE_BYTES = 500
"""A value of a search, as JSON."""
REASON_PEOPLE = 3
"""People named where a condition means many."""
REASON_NAMES = 500
"""People whose names a page looks up."""
UNDONE_BYTES = 16 * 1024
"""What was to be undone is shown in full up to this size; of more, this many characters are shown."""
ABSENCE_CHOICES = 200
"""Workflows offered while somebody types; any other is found by a word of its title."""
ABSENCE_MATCHES = 10
"""Workflows that a search on the page of absences finds."""
ABSENCE_SEARCH_CHARACTERS = 256
"""The search on the page of absences."""
FACT_ROWS = 100
"""Rows of a table, entries of a list and fields of an object that are drawn."""
FACT_COLUMNS = 12
"""Columns of a drawn table."""
FACT_LEVELS = 4
"""Levels of nesting that are drawn; deeper values are shown as JSON."""
FACT_PARTS = 2_000
"""Values into which one fact is split, whatever it nests."""
FACT_CHARACTERS = 4_000
"""A text below the first level of a fact."""
ASSIGNEE_CHARACTERS = 150
"""A user name typed into a form, as wide as its column."""
MEMBER_CHOICES = 200
"""Members offered by name; any other may be typed."""
PANE_VALUES = 20
"""Values in the pane of a task."""
DIGEST_PERIOD = timedelta(days=7)
"""How far back a digest reports."""
BULK_FACTS = 4
"""Facts of each task in the review of a bulk decision: one line of them fits."""
MAIL_FACT_ROWS = 10
"""Entries of a list that is a fact in a mail: the task's page has all."""
MAIL_FACT_CHARACTERS = 1_000
"""One line of a fact in a mail."""
MAILS_BEFORE_DIGEST = 5
"""Mails about tasks that one person gets one by one within `DIGEST_MINUTES`; further ones are collected."""
DIGEST_MINUTES = 15
"""How long mails about tasks are collected for one person."""
COLLECTED_WAIT_MINUTES = 30
"""How long a notification waits at most for the mail that collects it, whatever else its reader gets meanwhile."""
COLLECTED_MAILS = 200
"""Tasks in one collected mail."""
OUTCOME_CHARACTERS = 64
"""The name of an outcome in a link."""
KEYS_FOUND = 200
"""Runs whose business keys begin with a word of a search for tasks."""
