"""Limits of steps: parameters in a definition, what a step takes, gives and logs."""

MAIL_ADDRESS_CHARACTERS = 254
"""The longest address that SMTP delivers to (RFC 5321)."""
MEDIA_TYPE_CHARACTERS = 1_000
"""The type of an answer: parsing its parameters takes quadratic time, and no real type is longer."""
DISPOSITION_CHARACTERS = 2_000
"""The header with the name of a file: parsing it takes quadratic time, and no real name is longer."""
REDIRECTS = 5
"""Redirects that one request follows."""
ASKED_NAMES = 200
"""People or groups that one step asks."""
LOG_LINES = 200
"""Lines of one attempt that are kept; the others are counted."""
LOG_LINE_CHARACTERS = 2_000
"""One line of a log; a longer one is cut."""
LOG_READ_CHARACTERS = 8 * LOG_LINE_CHARACTERS
"""What of a line is searched for secrets before it is cut."""
MAX_OUTPUT_BYTES = 4 * 1024 * 1024
"""The output of a step, as JSON. Plug-ins import it."""
MAX_INPUT_BYTES = 8 * 1024 * 1024
"""The input of a step, as JSON: outputs that meet at a join, or what a mapping builds. Plug-ins import it."""
RUN_INPUT_BYTES = MAX_OUTPUT_BYTES
"""The input of a run: its first step may have to pass it on unchanged."""
BODY_STEPS = 100
"""Steps of the body of a container."""
TYPE_NAME_CHARACTERS = 100
"""The name of a step type, as wide as its column."""
MAIL_RECIPIENTS = 50
"""Recipients of one mail."""
MAIL_TEXT_CHARACTERS = 1024 * 1024
"""The text of a mail."""
MAIL_ATTACHMENTS = 20
"""Attachments of one mail."""
MAIL_ATTACHMENT_BYTES = 20 * 1024 * 1024
"""Attachments of one mail together: many mail servers take no larger message."""
MULTIPART_PARTS = 100
"""Parts of a multipart body."""
MULTIPART_BYTES = 50 * 1024 * 1024
"""Files of a multipart body together, kept in memory while they are sent."""
REQUEST_SECONDS = 600
"""The timeout of a request: a worker waits for it."""
TASK_BYTES = 256 * 1024
"""A task that a step opens, as JSON."""
TASK_TITLE_CHARACTERS = 300
"""The question of a task: more does not fit a list. With its values in the format of a reader it is cut there."""
MODEL_NAME_CHARACTERS = 100
"""The name of a model in a log line."""
PROMPT_CHARACTERS = 1024 * 1024
"""A prompt, as a definition has it."""
PLACE_CHARACTERS = 300
"""An address in a log line; a longer one is cut."""
LOOP_ROUNDS = 1_000_000
"""Rounds of a loop."""
MAP_ITEMS = 10_000
"""Items of a map: each is a row of its own."""
MATCHED_CHARACTERS = 64 * 1024
"""A text that is matched against a pattern; a longer one fits none."""
NAMED_CHOICES = 12
"""Choices and fields that a message names."""
NAMED_CHARACTERS = 100
"""A value or name in a message."""
SIGNAL_NAME_CHARACTERS = 200
"""The name of a signal."""
