"""Limits of definitions: what editors may send, what the builder and its checks look at, what pages show."""

OPEN_RUNS_COUNTED = 10_000
"""Open runs of a workflow that are counted for a page; of more the newest."""
NAMED_HOLDERS = 5
"""People who may mend a finding and are named where its reader may not."""
NAMED_STEPS = 5
"""Steps that a finding about several names; the others are counted."""
GRANT_GROUPS = 20
"""Groups that are offered for a grant of the right to start."""
KNOWN_NAMES = 1_000
"""Names of groups, or of members, in which one is searched that is near to a misspelt one."""
NEAR_NAMES = 50
"""Different unknown names of a draft for which a near one is searched: each takes some milliseconds."""
MENTIONED_PEOPLE = 20
"""People whom one comment notifies."""
MENTION_CHOICES = 8
"""Members offered while somebody types a mention."""
COMMENT_CHARACTERS = 2_000
"""A comment on a step."""
THREAD_COMMENTS = 200
"""Comments of one thread, which are shown together."""
DESIGNED_NODES = 2_000
"""Nodes of a document that the builder sends, those within containers too."""
DESIGNED_TEXT_BYTES = 64 * 1024
"""A text that the builder sends, as JSON."""
SAMPLE_LEVELS = 5
"""Levels of objects that a sample of an input shows."""
START_FORM_PROBLEMS = 100
"""Problems that are reported for one start form."""
IGNORED_FIELDS = 10
"""Unknown fields that a start form names."""
BODY_LEVELS = 16
"""Containers around a step: the JSON of a definition is not nested deeper."""
REQUEST_GROUPS = 500
"""Groups of changes in one request; more are sent in parts."""
REQUEST_CHANGES = 5_000
"""Changes in one request; more are sent in parts."""
CHANGE_LABEL_CHARACTERS = 200
"""The label of a group of changes."""
PATH_KEY_CHARACTERS = 256
"""A key in the path of a change."""
PATH_KEYS = 12
"""Keys in the path of a change; what lies deeper changes as a whole."""
CHANGED_ENTRIES = 5_000
"""Entries of two definitions that are compared one by one."""
SPECIMEN_LEVELS = 16
"""Levels of a schema for which a specimen is made."""
DEFINITION_TEXT_BYTES = 1024 * 1024
"""A definition as text, JSON or YAML."""
LOGGED_CHANGE_BYTES = 64 * 1024
"""A change in the log of a draft, so that a page of the log stays readable; the draft holds all of it."""
PERSON_TABS = 8
"""Tabs of one person that are seen; of more the oldest are not."""
PRESENT_PEOPLE = 50
"""People who are shown as present in one draft."""
QUEUE_NAME_ENTRIES = 20_000
"""Versions whose queue names a process remembers."""
CASE_VALUES_BYTES = 32 * 1024 * 1024
"""What the expressions of one case may produce: it is played in a process that serves others too."""
CASE_OUTPUT_BYTES = 1024 * 1024
"""The output of a case, as JSON."""
WORKFLOW_CASES = 50
"""Test cases of a workflow: all of them run before it is published."""
CASE_BYTES = 512 * 1024
"""A test case, as JSON."""
COMPARED_FIELDS = 300
"""Fields in the comparison of two versions."""
COMPARED_CHARACTERS = 600
"""A value in the comparison of two versions; a longer one is cut."""
VERSION_ROWS = 200
"""Versions in a list, the newest first."""
SESSION_NOTES = 20
"""Notes of unsaved versions that a session keeps."""
