"""What the inbox has to do every so often."""

from accounts import tokens
from accounts.audit import chain
from runs.maintenance import duties
from runs.maintenance.duties import Duty
from tasks_inbox.duties import account_mails, clock, digests, incidents, settling, undecidable
from tasks_inbox.mail import mailing

duties.register(
    Duty("decisions", 1.0, settling.tick),
    Duty("tasks", 1.0, clock.tick),
    Duty("incidents", 5.0, incidents.tick),
    Duty("undecidable", 5.0, undecidable.tick),
    Duty("mails", 5.0, mailing.tick, is_slow=True),
    Duty("digests", 5.0, digests.tick, aside=True),
    Duty("audit", 1.0, chain.link),
    Duty("audit_kept", 60.0, chain.keep, aside=True),
    Duty("token_ends", 60.0, tokens.warn_of_ends, aside=True),
    Duty("account_mails", 5.0, account_mails.tick, is_slow=True),
)
