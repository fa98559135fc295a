"""Limits of what callers may send and of what accounts keep and show; the name says of what, and the unit."""

AUDIT_EXPORT_RECORDS = 5_000
"""Records of one export; a longer period is exported in parts."""
AUDIT_EXPORT_CHARACTERS = 16 * 1024 * 1024
"""Text of one export, which is built in memory."""
OFFERED_MEMBERS = 500
"""Members that a field of a form suggests; others are typed, since a page of all would be slow to open."""
SIMILAR_MEMBERS = 20
"""Members of one full name who are named where it is typed in a field for one of them."""
GROUP_MEMBERS = 1_000
"""Members that one request may give a group."""
AUDIT_KEPT_DAYS = 30
"""The shortest time that records are kept: `accounts_audit_close` closes nothing younger."""
AUDIT_OUTSIDE_RECORDS = 100
"""Records outside the chain that one check reports."""
AUDIT_FILTER_CHARACTERS = 300
"""The value of a filter; the page cuts a longer one, the API refuses it."""
REFUSAL_COUNTERS = 2_000
"""Principals and routes with a counter of their own; the other refusals of a tenant share one."""
AUDIT_FIELDS = 50
"""Changed fields that one record holds."""
AUDIT_VALUE_CHARACTERS = 2_000
"""One field; a longer value is cut and kept with its length and SHA-256."""
AUDIT_RECORD_CHARACTERS = 10_000
"""All fields of a record together; later fields are cut shorter."""
AUDIT_SHOWN_CHARACTERS = 300
"""A value in the list of audit records; a longer one would fill the page."""
DEVICE_NAMES = 8
"""User names that a browser's cookie remembers; a cookie has at most 4 KB."""
FOLDER_PAGE_GROUPS = 150
"""Groups that the page of a folder offers for grants."""
FOLDER_NAME_CHARACTERS = 150
"""The name of a folder, as wide as its column."""
FOLDER_GRANTS = 200
"""Grants of one folder: its page and each answer show all of them."""
IMPACT_TASKS = 20
"""Tasks that the page names before somebody loses access; the others are counted."""
MEMBER_PAGE_TOKENS = 50
"""Tokens on the page of a member, the newest first."""
IDEMPOTENCY_KEY_CHARACTERS = 255
"""A key that a client chooses, as wide as its column."""
TOKEN_NETWORKS = 50
"""Networks from which one token may be used: all are compared on each request."""
NETWORK_CHARACTERS = 43
"""The longest IPv6 network in writing."""
TYPED_CHARACTERS = 2000
"""A text field of a form, before the field's own limit is checked."""
LINK_TOKEN_CHARACTERS = 100
"""The token of a link for a new password, before it is parsed."""
ADDRESS_USERS = 5
"""Users of one mail address who are sent a link for a new password."""
MAIL_ADDRESS_CHARACTERS = 254
"""The longest address that SMTP delivers to (RFC 5321)."""
DISPLAY_NAME_CHARACTERS = 200
"""The name that others see."""
TOKEN_NAME_CHARACTERS = 200
"""The name of a token, as wide as its column."""
GROUP_NAME_CHARACTERS = 150
"""The name of a group, as wide as its column."""
PASSWORD_CHARACTERS = 1_000
"""A password, which is hashed slowly; as long as one that signs a decision over REST."""
SESSION_ROWS = 100
"""Sessions of one person that are listed."""
LOGIN_PAUSE_SECONDS = 900.0
"""The longest pause after failed logins; longer would lock out the owner of the name."""
TOKEN_QUEUES_CHARACTERS = 7_000
"""The queues of a token as typed into the form."""
USER_TOKENS = 200
"""Valid tokens of one user."""
AUDIT_TARGET_CHARACTERS = 300
"""The target of a record, as wide as its column."""
AUDIT_REASON_CHARACTERS = 2_000
"""The reason of a record; a longer one is cut."""
TOKEN_QUEUES = 50
"""Queues to which a token is restricted."""
TOKEN_FOLDERS = 50
"""Folders to which a token is restricted."""
QUEUE_CHARACTERS = 256
"""The name of a queue, or the start of names."""
TOKEN_MAIL_CHARACTERS = 150
"""The name of a token in a mail about its end."""
