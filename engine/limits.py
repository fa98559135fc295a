"""Limits of definitions and expressions: what is taken, and how much work a check does."""

EXPRESSION_MACROS = 10
"""Macros of one expression. A child process bounds their cost; this refuses early and with a reason."""
MACRO_LEVELS = 3
"""Nested macros of one expression."""
LOOPED_SUMS = 20
"""Sums inside macros: each may double a text."""
WARNING_WORK = 300_000
"""Edges of the graph times edges into joins that the search for joins that may not fire looks at."""
FLOW_WORK = 3_000_000
"""Steps times links up to which the check of the flow is exact."""
WORKFLOW_NODES = 500
"""Steps of a workflow, in the builder and when it is published."""
VARIABLE_WORK = 50_000
"""Steps and edges that the search for variables set twice looks at; history shows what it does not find."""
ERROR_MESSAGE_CHARACTERS = 2000
"""The message of an error that a run keeps."""
STEP_VARIABLES = 50
"""Variables that one step sets by name."""
NESTED_LEVELS = 24
"""Levels of brackets in an expression."""
CHAINED_OPERATORS = 64
"""Operators of one level without brackets: each is a level of the tree, and CEL takes no more than 32."""
TITLE_CHARACTERS = 200
"""A title that an import keeps."""
QUESTION_CHARACTERS = 300
"""The question of a user task that an import keeps."""
DESCRIPTION_CHARACTERS = 10_000
"""A description that an import keeps."""
STEP_ID_CHARACTERS = 50
"""The first part of a step's id that an import makes."""
IMPORTED_ID_CHARACTERS = 256
"""The id of a step in an imported definition."""
EXPRESSION_NODES = 400
"""Nodes of the tree of an expression."""
WORKING_DAYS = 3_660
"""Working days that a step waits."""
OFFERED_PATHS = 400
"""Paths that the builder offers for an expression."""
ENTRY_LEVELS = 5
"""Levels of objects that the builder offers."""
ENTRY_KEY_CHARACTERS = 100
"""A key that the builder offers."""
ERROR_REASON_CHARACTERS = 100
"""The reason of an error."""
TEMPLATE_LEVELS = 64
"""Levels of nesting in a value with expressions."""
TYPE_HOPS = 10
"""References that are followed from one schema to the next."""
TYPE_LEVELS = 6
"""Levels of a value whose types are known: more are shown as they are."""
TYPE_NODES = 500
"""Parts of one schema that are looked at for types."""
INLINED_PARTS = 2_000
"""Parts of one schema up to which its references are replaced by what they point to."""
TYPE_STEPS = 60
"""Steps of one definition through which a type is followed: each is a few frames of the stack."""
REPORTED_PROBLEMS = 500
"""Problems that are reported for one definition."""
VARIABLES_BYTES = 64 * 1024
"""What one step sets, as JSON."""
EXPRESSION_VARIABLES = 1000
"""Variables that one expression sets; by name a step sets `STEP_VARIABLES`."""
WORKFLOW_NAME_CHARACTERS = 256
"""The name of a workflow; as long as ids of definitions in the rochallor engine (R-016)."""
NODE_ID_CHARACTERS = 256
"""The id of a step, as long as the name of a workflow; a job's queue may be called by it."""
VARIABLE_NAME_CHARACTERS = 64
"""The name of a variable."""
RESULT_ROWS = 40
"""Rows of what a requester gets: as many as the fields of a request that are shown."""

STEP_ATTEMPTS = 101
"""Attempts at a step: the first and 100 retries."""
AMOUNT_DIGITS = 30
"""Digits before the point, and behind it, of a text that expressions compute with as an amount."""
ROUNDED_PLACES = 15
"""Decimals that `round` gives: a double has no more."""
JOINED_CHARACTERS = 1_000_000
"""Characters of a text that `join` makes: a separator from the input could make it as large as memory."""
READ_EXPRESSIONS = 5_000
"""Expressions of a definition that are looked at for what they read of a value: each is compiled once."""
READ_FIELDS = 100
"""Fields of one object that a form has because expressions read them."""
