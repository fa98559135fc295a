"""Limits of the process: requests over HTTP, connections, logs, programs under the supervisor."""

MARKER_BYTES = 100
"""The marker that says to which database a store belongs."""
CONNECTION_WAIT_SECONDS = 2.0
"""How long a thread waits for a free connection."""
CONNECTION_LIFE_SECONDS = 3600.0
"""The life of a connection: a server process keeps what it has cached of catalogue and plans."""
SOCKET_PATH_BYTES = 107
"""The path of a socket that Linux accepts."""
COUNTED_EVENTS = 1_000
"""Events of the outbox that a check counts."""
TARGET_BYTES = 8_000
"""Path and query of a request, as in nginx and Apache; the parser of websockets takes 128 lines of 8,192 bytes."""
HEADER_LINES = 100
"""Header lines of a request."""
HEADER_LINE_BYTES = 8_000
"""One header line."""
HEAD_BYTES = 64 * 1024
"""All header lines of a request."""
PIPELINED_REQUESTS = 16
"""Requests that wait on one connection."""
BODY_PIECES = 100_000
"""Pieces of a chunked body: each is handled by itself."""
FRAME_BYTES = 4_096
"""A frame that a page sends over a websocket."""
BROKER_ADDRESSES = 50
"""Addresses of brokers in the environment."""
KAFKA_VALUE_CHARACTERS = 500
"""A setting of Kafka in the environment."""
SHORT_LOG_TEXT_CHARACTERS = 1_000
"""Message and traceback in a line of the log that would be too long otherwise."""
LOGGED_MESSAGES = 1_000
"""Messages that a process remembers so that it does not repeat them; then it forgets all."""
LOG_TEXT_CHARACTERS = 4_000
"""Message and traceback in a line of the log."""
LOG_LINE_CHARACTERS = 15_000
"""A line of the log as JSON, so that the supervisor does not cut it."""
HEAVY_THREADS = 4
"""Requests that compute much, at one time: threads share one interpreter."""
COMPUTING_REQUESTS = 1
"""Requests that compute what somebody has just written: a second one would slow down itself and all others."""
REQUESTS_PER_MINUTE = 10_000_000
"""The largest rate that the environment may set."""
RESTART_PAUSE_SECONDS = 15.0
"""The longest pause before a program is started again."""
READY_RESTART_PAUSE_SECONDS = 1.0
"""The longest pause before a program that was ready is started again."""
FAILED_STARTS = 5
"""Failed starts of a program before the supervisor gives up."""
SLOW_START_SECONDS = 160.0
"""The longest time that a program may take to become ready."""
LOST_WORKER_SECONDS = 20.0
"""The time that the search for lost workers may take."""
WAITING_LINES = 10_000
"""Lines of programs that wait to be written."""
OUTPUT_LINE_BYTES = 16_384
"""A line of a program; a longer one is cut."""
LOG_FILE_BYTES = 10 * 1024 * 1024
"""The log file; a longer one is replaced."""
HOME_TASKS = 5
"""Tasks on the first page, those that are due first."""
