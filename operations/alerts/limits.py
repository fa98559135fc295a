"""Limits of alerts: rules and channels of a tenant, what one evaluation examines, what a delivery takes."""

NOTE_CHARACTERS = 2_000
"""The note of an answer to an alert."""
TENANT_CHANNELS = 50
"""Channels of a tenant."""
CHANNEL_ADDRESSES = 20
"""Addresses of one channel: each is sent a mail of its own."""
ADDRESS_CHARACTERS = 2_000
"""The address of a channel, a URL or mail addresses."""
NAME_CHARACTERS = 100
"""The name of a rule or channel, as wide as its column."""
NOTIFIED_ALERTS = 20
"""Alerts of a rule that one evaluation reports; the next one reports more. A flood of messages helps nobody."""
EVALUATED_DEFINITIONS = 200
"""Definitions that one evaluation examines."""
ANSWER_BYTES = 1_000_000
"""What is read of the answer of a channel."""
ERROR_CHARACTERS = 500
"""The error of a delivery that is kept."""
NUMBER_DIGITS = 9
"""Digits of a number typed into a form: it fits into an integer column."""
TENANT_RULES = 200
"""Rules of a tenant: each is evaluated every time."""
COOLDOWN_SECONDS = 7 * 86_400
"""The pause of a rule between two notifications."""
ESCALATION_MINUTES = 7 * 1_440
"""The time until an alert is escalated."""
MUTE_SECONDS = 30 * 86_400
"""How long a rule may be muted."""
RULE_CHANNELS = 20
"""Channels of one rule."""
DELIVERY_ATTEMPTS = 8
"""Attempts to deliver one notification."""
RULE_FINDINGS = 1_000
"""Rows that are read for a rule, and findings of a condition that are used."""
READY_STEPS = 10_000
"""Ready steps that are counted."""
LATE_TIMERS = 10_000
"""Late timers that are counted."""
READ_RUNS = 10_000
"""Runs that are read to find `RULE_FINDINGS` that are neither tests nor parts of others."""
OPEN_STEP_ALERTS = 50
"""Alerts of steps without a recent dead letter that one evaluation examines; the next one examines others."""
EVALUATED_QUEUES = 100
"""Queues that are examined."""
RESOLVED_ALERTS = 1_000
"""Alerts that one evaluation resolves; the next one resolves more."""
EVALUATED_RULES = 5_000
"""Rules of all tenants that one evaluation reads."""
DELIVERY_PAUSE_SECONDS = 3_600
"""The longest pause between two attempts to deliver."""
COUNTED_ROWS = 10_000
"""Dead letters, tasks or jobs in the outbox that one evaluation counts for a tenant."""
COUNTED_SCHEDULES = 1_000
"""Schedules of a tenant that one evaluation examines."""
LATE_SCHEDULE_SECONDS = 300
"""A schedule that is due for so long is late: due times are looked at each second."""
COUNTED_ALERTS = 99
"""Open alerts that the navigation counts."""
SUBJECT_CHARACTERS = 300
"""The subject of an alert; a longer one is cut."""
MESSAGE_CHARACTERS = 2_000
"""The message of an alert; a longer one is cut."""
