"""Limits of runs: what callers and workers may send, what one call, pass or statement does, what pages show."""

NAMED_WORKFLOWS = 200
"""Workflows that a query names; whoever may read more of them may read many runs."""
CALL_JOBS = 1_000
"""Jobs of one call."""
INDEXED_ITEMS = 50
"""Items of a list in a searchable field that are indexed, each as a row."""
INDEX_HITS = 5_000
"""Runs that the index of inputs finds: more are so dense that the newest runs have a page of them."""
INDEX_NEWS = 2_000
"""Runs newer than the index of inputs that are tested one by one."""
JOB_LOG_LINES = 1_000
"""Log lines of a job in one call; those beyond are only counted."""
COLUMN_INTEGER = 2**31 - 1
"""The largest number of an integer column of PostgreSQL."""
POLL_PAUSE_SECONDS = 5
"""The random pause after which a refused poll may return."""
CATALOGUE_ROWS = 200
"""Workflows in the catalogue of requests; a search finds the others."""
PAGE_STEPS = 2_000
"""Steps of all runs of one page: a page of runs of large workflows ends early."""
USERNAME_CHARACTERS = 150
"""A user name, as wide as its column."""
TRIAL_NODES = 500
"""Nodes that a trial names, as many as a workflow may have."""
CALENDAR_NAME_CHARACTERS = 128
"""The name of a calendar, as wide as its column."""
CALENDAR_EXCEPTIONS = 1_000
"""Exceptions of one calendar, which are read together."""
CALENDAR_DAYS = 400
"""Days of a calendar that one call asks for."""
CALENDAR_RUNS = 10_000
"""Open runs that are counted and examined for due dates."""
BROADCAST_RUNS = 1_000
"""Runs that one broadcast signals."""
BULK_RUNS = 1_000
"""Runs of one bulk call."""
CHAINED_RUNS = 100
"""Runs that follow one another without a person: more are hardly intended (R-013)."""
KNOWN_CONTACTS = 10_000
"""Contacts of workers that a process remembers; then it forgets all."""
REDRIVEN_STEPS = 1000
"""Dead letters that one call redrives."""
JOB_ERROR_CODE_CHARACTERS = 100
"""The error code that a worker reports."""
JOB_ERROR_MESSAGE_CHARACTERS = 10_000
"""The error message that a worker reports."""
JOB_ERROR_STACK_CHARACTERS = 20_000
"""The stack that a worker reports; of a longer one both ends are kept."""
JOB_PROGRESS_BYTES = 64 * 1024
"""The progress that a worker reports, as JSON."""
JOB_EVENT_ID_CHARACTERS = 200
"""The id of an event that a worker sends."""
RUN_VARIABLES = 1_000
"""Variables of one run: its definition does not bound the names that workers choose."""
NOTED_QUEUES = 10_000
"""Queues whose polls a process remembers; then it forgets all."""
POLLED_JOBS = 500
"""Jobs that polls which are answered together may ask for."""
MIGRATED_PARTS = 1_000
"""Open runs of items that move together with their run, in one transaction."""
USER_SEARCHES = 50
"""Saved searches of one person."""
SIGNAL_BYTES = 1024 * 1024
"""The payload of a signal, as JSON."""
SIGNAL_ID_CHARACTERS = 200
"""The id of a signal: as long as those of other systems' events."""
LISTED_SIGNAL_BYTES = 4 * 1024
"""The payload of a signal in a list, as those of runs."""
SIGNAL_RUNS = 10_000
"""The newest runs of a tree among which one that a signal can undo is looked for."""
SIGNAL_FORM_RUNS = 200
"""The newest runs of a tree whose definitions are read for the fields of a signal, in one statement."""
TEST_FORM_BYTES = 4 * 1024 * 1024
"""A definition, or values, of which the forms of a test are made; as JSON."""
START_DRAFT_BYTES = 256 * 1024
"""The draft of a start form, as JSON."""
BUSINESS_KEY_CHARACTERS = 256
"""The business key of a run, as wide as its column."""
START_ITEMS = 1000
"""Runs that one call starts."""
INPUT_PROBLEMS = 50
"""Problems that are reported for one input."""
REPAIRS = 3
"""Repairs of one finding; one that returns after these is reported and left alone."""
KEPT_STEPS = 8
"""Steps of a run that one worker keeps in a row before the run queues again."""
APPROVED_BYTES = 64 * 1024
"""A document that somebody approved; of a larger one only the digest is kept."""
CONTAINER_RESULT_BYTES = 4 * 1024 * 1024
"""The collected results of a container, as JSON."""
LATE_ERROR_CHARACTERS = 500
"""Code and message of an error that arrived too late."""
LIVE_TOPICS = 20_000
"""Topics that wait to be published, more than pages can watch: so many wait only while Redis is slow."""
NOTICE_TOPICS = 200
"""Topics in one message."""
CLIMBED_RUNS = 2_000
"""Changed runs whose ancestors are looked up; with more of them everybody who watches is notified."""
WATCHED_GROUPS = 20_000
"""Groups that one process knows to be watched."""
WATCHED_SECONDS = 60.0
"""How long another process may say that a group is watched."""
RUN_OUTPUT_BYTES = 16 * 1024 * 1024
"""The output of a run, which is made of several steps' outputs, as JSON."""
OVERWRITTEN_VALUES = 20
"""Overwritten values that a variable reports, the last ones first."""
WORKING_CLOCKS = 500
"""Working clocks in memory, of some 40 KiB each; tenants with equal working hours share one."""
FORECAST_RUNS = 2_000
"""Changed runs for which one pass makes a forecast; the others are for the next passes."""
VERIFIED_EVENTS = 20_000
"""A longer history is left to `manage.py verify_history`: reading it takes longer than a pass may."""
DIFFERENCE_CHARACTERS = 500
"""The text of a difference between a run and its history."""
PAST_COUNTS = 200_000
"""Counts in memory, some 50 MB; those that were used least recently are forgotten first."""
STUCK_TIMERS = 5000
"""Overdue timers that one pass finds."""
STUCK_RUNS = 200
"""Stuck runs that one pass repairs."""
STEP_ATTEMPTS = 50
"""Attempts of a step on its page."""
VALUE_CHANGES = 100
"""Changes between two values that are shown."""
CHANGE_CHARACTERS = 500
"""The JSON of a changed part; a longer one is cut."""
COMPARED_DIGESTS = 50
"""Payloads that are too large to show and are compared by their digests."""
RUN_CHANGES = 1_000
"""Changes between all values of two runs."""
FILTER_CHARACTERS = 1000
"""A search for runs."""
READ_EVENTS = 2000
"""Events of a run that are read, the first ones first; events of containers' children are not among them."""
INNER_PARTS = 2_000
"""Parts of a run whose steps are counted: a page that tries a draft asks several times a second."""
REFERENCE_BYTES = 500
"""The longest reference to a value beside the database; a longer value is a value."""
PAGE_ITEMS = 1_000
"""Items in a grid at once."""
COUNTED_ITEMS = 10_000
"""Items that are counted one by one, as many as a map may have; the row of a loop has its number of rounds."""
LAST_RUN_STEPS = 500
"""Steps of the last run that the builder reads."""
LAST_RUN_VALUE_BYTES = 64 * 1024
"""One value of the last run, compressed as it is stored; an expression reads at most 256 KiB."""
LAST_RUN_PARTS = 500
"""Parts of the last run: the builder asks while somebody types."""
OPEN_LEAVES = 100
"""Open steps of a tree of runs that are read."""
REQUEST_FACTS = 40
"""Fields of the input that the page of a request shows."""
RESULT_CHARACTERS = 10_000
"""Characters of one value that the page of a request shows of its result."""
RESULT_PEOPLE = 500
"""People in a value of a result who are called by their names: more are no longer read."""
PICKED_PEOPLE = 500
"""Members that a start form offers by name; others are typed."""
REQUEST_REMINDER_SECONDS = 4 * 3600
"""A requester may remind again after this time: twice in a working day, and no more, so that reminders stay rare."""
REQUEST_FAILED_RUNS = 500
"""Failed runs below the requests of a page that are read for the message of a `fail` step."""
SEARCH_KEYS = 5_000
"""Keys of one statement; with fewer the planner prefers to read the runs."""
STEP_LOG_LINES = 600
"""The last lines of a step on a page."""
STATEMENT_RUNS = 8
"""Runs that one statement reads for as many callers: each may be shown with megabytes."""
STORY_CHARACTERS = 500
"""A text in the story of a run; a longer one is cut."""
TIMELINE_LANES = 200
"""Lanes of a timeline."""
TIMELINE_GAPS = 8
"""Gaps that a timeline shortens."""
LANE_BARS = 200
"""Distinguishable bars of one lane; closer ones become one bar."""
FOUND_VALUES = 200
"""Matches of a search in a value."""
INDENTED_CHARACTERS = 1024 * 1024
"""A longer value is not indented: for millions of short items that takes seconds."""
WORKER_ROWS = 100
"""Processes on the page of workers."""
STATEMENT_BYTES = 64 * 1024 * 1024
"""The parameters of one statement, as JSON."""
COUNTED_ROWS = 100_000
"""Rows of a kind that metrics count; a larger number reads as this one."""
COUNTED_TIMERS = 10_000
"""Overdue timers that metrics count."""
METRIC_QUEUES = 100
"""Queues in metrics beside the built-in ones: workflows choose the names of queues of jobs."""
WHOLE_VALUE_BYTES = 64 * 1024 * 1024
"""A value that is put together of several outputs, each within its own limit."""
UNDO_ROWS = 20_000
"""Entries that one statement writes."""
SHOWN_CHARACTERS = 100_000
"""A text on a page; of a longer one the rest is counted."""
SHOWN_FIELDS = 30
"""Fields of an object that is shown as a list of names and values."""
RANKED_WORDS = 100
"""Words with scores that are shown in the order of their scores."""
STARTED_RUNS = 5
"""Runs started by a run that its page shows."""
FORM_ITEMS = 200
"""Items of one form, each in a transaction of its own."""
RUN_REASON_CHARACTERS = 1000
"""The reason that somebody types for an action on a run."""
GRID_MONTHS = 2
"""Months of a calendar's page."""
DAY_TIMES = 3
"""Times of one day that are written out; the others are counted."""
PAGE_COST_SECONDS = 0.5
"""The cost of a page in the pace of updates; one slow page must not delay all others for longer."""
STORY_EVENTS = 1_000
"""Events of the runs below a run in its story."""
VALUE_SEARCH_CHARACTERS = 200
"""A search in a value."""
TRACE_SPANS = 1_000
"""Attempts in one trace; another trace begins after these."""
SLOW_STEPS = 4
"""Slow steps that a worker runs beside the others."""
STEP_ERROR_BYTES = 64 * 1024
"""The error of an attempt, as JSON."""
RETRY_AFTER_SECONDS = 30 * 86_400
"""The longest pause that a server may ask for."""
SEARCH_NAME_CHARACTERS = 80
"""The name of a saved search."""
SEARCH_CHARACTERS = 1000
"""The text of a saved search."""
RUN_REPAIRS = 100
"""Repairs of one run in one pass; the next pass continues."""
REPAIR_SECONDS = 5.0
"""How long a repair holds a run; the next pass continues."""
HISTORY_BATCHES = 20
"""Batches of histories that one pass verifies."""
SOCKET_NODES = 500
"""Nodes whose status is kept for a socket, or for those that come back to its topic; of more a page reads all."""
KEPT_TOPICS = 500
"""Topics of which a web process knows what changed after their last socket has left: as many as it has sockets."""
USER_SOCKETS = 20
"""Open websockets of one person."""
TENANT_SOCKETS = 200
"""Open websockets of a tenant."""
PROCESS_SOCKETS = 500
"""Open websockets of a web process."""
WORKFLOW_NAMES = 500
"""Workflows that a filter offers."""
SEARCH_OFFERS = 12
"""Completions that the search offers."""
KEY_OFFERS = 8
"""Business keys that the search offers."""
REQUEST_CHOICES = 24
"""Workflows on the page of requests; a search finds the others."""
