"""Settings of the local profile (`make up`: plain http on loopback); what differs by place is in the environment."""

import os
import secrets

from config import dispatch_environment, environment, grpc_environment, kafka_environment, request_environment
from config.channel_layers import POSTGRES_LAYER, broker_url, channel_layers
from lib.sealing import Hidden

BASE_DIR = environment.BASE_DIR
HANDOFF_HOME = environment.home()
HANDOFF_PORT = environment.port()
HANDOFF_URL = environment.url() or f"http://127.0.0.1:{HANDOFF_PORT}"
DEBUG = False
# A process without a home (a linter, `makemigrations --check`) gets a key that nobody else has.
SECRET_KEY = environment.secret("HANDOFF_SECRET_KEY", "secret-key") or secrets.token_urlsafe(64)
# None is made up here: what it sealed would be lost with the process.
HANDOFF_MASTER_KEYS = tuple(map(Hidden, environment.master_keys()))
ALLOWED_HOSTS = ["127.0.0.1", "localhost", "[::1]"]

INSTALLED_APPS = [
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.sessions",
    "django.contrib.messages",
    "whitenoise.runserver_nostatic",
    "django.contrib.staticfiles",
    "rest_framework",
    "drf_spectacular",
    "drf_spectacular_sidecar",
    "django_htmx",
    # Both without their own setup, which would each wrap the loaders of the other.
    "django_cotton.apps.SimpleAppConfig",
    "template_partials.apps.SimpleAppConfig",
    "config",
    "accounts",
    "workflows",
    "workflows.pipeline",
    "runs",
    "runs.files",
    "tasks_inbox",
    "triggers.schedules",
    "triggers.webhooks",
    "operations.alerts",
    "operations.bulk",
    "operations.dispatch",
    "operations.telemetry",
    "integrations.broker",
    "integrations.orchestration",
    "integrations.rochallor",
    "integrations.webhooks_out",
]

MIDDLEWARE = [
    "lib.api.request_id.RequestIdMiddleware",
    "django.middleware.security.SecurityMiddleware",
    "lib.api.policy.content_policy",
    "whitenoise.middleware.WhiteNoiseMiddleware",
    "lib.api.private.no_store",
    "lib.visible_pages.show_all",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "accounts.sessions.NoteActivity",
    "runs.web.pace.Measured",
    "lib.routes.Slashes",
    "django.middleware.csrf.CsrfViewMiddleware",
    "accounts.sessions.Authentication",
    "accounts.audit.requests.note_origin",
    # Default deny: a page that may be seen without a login says so itself (`login_not_required`).
    "accounts.ended.LoginRequired",
    "django.contrib.messages.middleware.MessageMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
    "django_htmx.middleware.HtmxMiddleware",
    "lib.api.pages.RefusalMiddleware",
    "config.observing.Observed",
]

ROOT_URLCONF = "config.urls"
ASGI_APPLICATION = "config.asgi.application"
WSGI_APPLICATION = "config.wsgi.application"

TEMPLATES = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "DIRS": [environment.resource("templates")],
        "APP_DIRS": False,
        "OPTIONS": {
            "loaders": [
                (
                    "template_partials.loader.Loader",
                    [
                        (
                            "django.template.loaders.cached.Loader",
                            [
                                "django_cotton.cotton_loader.Loader",
                                "django.template.loaders.filesystem.Loader",
                                "django.template.loaders.app_directories.Loader",
                            ],
                        )
                    ],
                )
            ],
            "builtins": [
                "django.templatetags.static",
                "django_cotton.templatetags.cotton",
                "template_partials.templatetags.partials",
                "config.templatetags.reading",
                "lib.panels",
            ],
            "context_processors": [
                "django.template.context_processors.request",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
                "tasks_inbox.web.context.inbox",
                "runs.web.navigation.navigation",
            ],
        },
    },
]

DATABASE_URL = environment.server_url("DATABASE_URL", "database_url")
# How workers hear of work, and pages of changes: docs/dispatch.md.
HANDOFF_DISPATCH_MODE = dispatch_environment.mode()
HANDOFF_DISPATCH = dispatch_environment.way()
# Through which broker consumers hear of jobs: "redis", "kafka", or none.
HANDOFF_BROKER = dispatch_environment.broker()
# After how many seconds consumers are told again of a job that nobody has taken.
HANDOFF_OUTBOX_SECONDS = dispatch_environment.outbox_seconds()
# How Kafka is reached, where it is the broker; it has a secret.
HANDOFF_KAFKA = kafka_environment.kafka()._asdict() if kafka_environment.is_used() else {}
REDIS_URL = environment.server_url("REDIS_URL", "redis_url")
DATABASES = {
    "default": environment.connected_as(
        os.environ.get("HANDOFF_PROCESS", ""),
        dispatch_environment.connected(environment.database_of(DATABASE_URL)),
    )
}
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"

AUTH_USER_MODEL = "accounts.User"
PASSWORD_HASHERS = [
    "django.contrib.auth.hashers.Argon2PasswordHasher",
    "django.contrib.auth.hashers.PBKDF2PasswordHasher",
]
AUTH_PASSWORD_VALIDATORS = [
    {"NAME": "django.contrib.auth.password_validation.MinimumLengthValidator", "OPTIONS": {"min_length": 12}},
    {"NAME": "django.contrib.auth.password_validation.CommonPasswordValidator"},
]
LOGIN_URL = "login"
LOGIN_REDIRECT_URL = "/"
LOGOUT_REDIRECT_URL = "login"
# In every token, so that a secret scanner or a person sees where one belongs.
HANDOFF_TOKEN_ENVIRONMENT = "local"

# Cookies know no ports: the name keeps two homes on one machine apart.
SESSION_COOKIE_NAME = f"handoff_session_{HANDOFF_PORT}"
HANDOFF_DEVICE_COOKIE = f"handoff_browser_{HANDOFF_PORT}"
# Whose X-Forwarded-For is believed.
HANDOFF_TRUSTED_PROXIES = environment.trusted_proxies()
SESSION_ENGINE = "accounts.sessions"
# A session ends so long after the login, and after so long without anybody doing something.
HANDOFF_SESSION_SECONDS = SESSION_COOKIE_AGE = 3600 * environment.session_hours()
HANDOFF_IDLE_SECONDS = 60 * environment.idle_minutes(default=12 * 60)
SESSION_COOKIE_SAMESITE = "Lax"
CSRF_USE_SESSIONS = True
CSRF_FAILURE_VIEW = "accounts.views.too_old"
SECURE_REFERRER_POLICY = "same-origin"
X_FRAME_OPTIONS = "DENY"
CONTENT_SECURITY_POLICY = {
    "DIRECTIVES": {
        "default-src": ["'none'"],
        "script-src": ["'self'"],
        "style-src": ["'self'"],
        "img-src": ["'self'", "data:"],
        "font-src": ["'self'"],
        "connect-src": ["'self'"],
        "form-action": ["'self'"],
        "base-uri": ["'none'"],
        "frame-ancestors": ["'none'"],
        "object-src": ["'none'"],
    }
}

# A body of the API; a text of more than 1 MiB must still get in, to fail its step.
HANDOFF_MAX_BODY_BYTES = 8 * 1024 * 1024
# A form of a page: a text as long as a run takes, however a browser writes it.
HANDOFF_MAX_FORM_BYTES = 3 * HANDOFF_MAX_BODY_BYTES
DATA_UPLOAD_MAX_MEMORY_SIZE = HANDOFF_MAX_FORM_BYTES
# A pipeline's form has three for each row of a list.
DATA_UPLOAD_MAX_NUMBER_FIELDS = 20_000
# Files of tasks come with forms; `tasks_inbox.forms.files` says how large each may be.
DATA_UPLOAD_MAX_NUMBER_FILES = 20

REST_FRAMEWORK = {
    "DEFAULT_PERMISSION_CLASSES": ["accounts.api.permissions.DenyAll"],
    "DEFAULT_AUTHENTICATION_CLASSES": [
        "accounts.api.authentication.BearerAuthentication",
        "accounts.api.authentication.SessionAuthentication",
    ],
    "DEFAULT_PARSER_CLASSES": ["lib.api.parsers.StrictJSONParser"],
    "DEFAULT_RENDERER_CLASSES": ["lib.api.renderers.JsonRenderer"],
    "DEFAULT_SCHEMA_CLASS": "accounts.api.schema.Schema",
    "DEFAULT_METADATA_CLASS": None,
    "EXCEPTION_HANDLER": "lib.api.errors.handle_exception",
    "UNAUTHENTICATED_USER": None,
    "URL_FORMAT_OVERRIDE": None,
    "TEST_REQUEST_DEFAULT_FORMAT": "json",
}
SPECTACULAR_SETTINGS = {
    "PATH_CONVERTER_OVERRIDES": {"run": {"type": "string", "format": "uuid"}},
    "TITLE": "Handoff",
    "DESCRIPTION": "A durable workflow engine. docs/api.md says what holds for every route.",
    "VERSION": "1",
    "OAS_VERSION": "3.1.0",
    "SERVE_INCLUDE_SCHEMA": False,
    "SERVE_PERMISSIONS": ["rest_framework.permissions.AllowAny"],
    "SERVE_AUTHENTICATION": [],
    "SCHEMA_PATH_PREFIX": "/api/v1",
    "COMPONENT_SPLIT_REQUEST": True,
    "ENUM_NAME_OVERRIDES": {
        "LeftKind": "tasks_inbox.api.leaving.LEFT_KINDS",
        "LeftAction": "tasks_inbox.api.leaving.LEFT_ACTIONS",
        "LeaverEnd": "tasks_inbox.api.leaving.LEFT_ENDS",
        "RunStatus": "runs.reading.run_view.RUN_STATUSES",
        "ListedStatus": "runs.api.search_serializers.LISTED_STATUSES",
        "RunBulkAction": "runs.api.search_serializers.BULK_ACTIONS",
        "RunBulkAnswer": "runs.api.search_serializers.BULK_ANSWERS",
        "RunDifference": "runs.api.comparison_serializers.DIFFERENCES",
        "StepDifference": "runs.reading.comparing.OF_STEPS",
        "ComparedPath": "runs.reading.comparing.PATHS",
        "ValueChangeKind": "runs.reading.changes.KINDS",
        "StepStatus": "runs.reading.run_view.STEP_STATUSES",
        "TaskStatus": "tasks_inbox.api.serializers.TASK_STATUSES",
        "FormatEnum": "workflows.document.texts.FORMATS",
        "TableFormat": "workflows.design.tables.FORMATS",
        "ProblemSeverityEnum": "workflows.api.serializers.SEVERITIES",
        "DifferenceKind": "workflows.api.serializers.DIFFERENCE_KINDS",
        "MemberRole": "accounts.roles.MEMBER_ROLES",
        "TokenRole": "accounts.roles.TOKEN_ROLES",
        "TokenStatus": "accounts.api.token_serializers.TOKEN_STATUSES",
        "MailChoice": "accounts.models.MAILS",
        "TaskKind": "tasks_inbox.api.serializers.TASK_KINDS",
        "RequestKind": "runs.api.requests.REQUEST_KINDS",
        "BulkAction": "tasks_inbox.api.bulk.BULK_ACTIONS",
        "BulkAnswer": "tasks_inbox.api.bulk.BULK_RESULTS",
        "CaseStatus": "workflows.api.case_serializers.STATUSES",
        "WhatEnum": "workflows.api.case_serializers.WHAT_DIFFERS",
    },
    "POSTPROCESSING_HOOKS": [
        "drf_spectacular.hooks.postprocess_schema_enums",
        "lib.api.schema.add_common_responses",
        "lib.api.schema.say_any_value",
        "lib.api.schema.add_examples",
    ],
}

LANGUAGE_CODE = "en"
TIME_ZONE = "UTC"
USE_TZ = True

STATIC_URL = "/static/"
STATICFILES_DIRS = [environment.resource("static")]
# Files are served from where they lie, so a first start needs no collectstatic.
WHITENOISE_USE_FINDERS = True

CELERY_BROKER_URL = broker_url(REDIS_URL)
CELERY_TASK_SERIALIZER = "json"
CELERY_ACCEPT_CONTENT = ["json"]
CELERY_TASK_IGNORE_RESULT = True
CELERY_WORKER_DISABLE_PREFETCH = False
CELERY_WORKER_PREFETCH_MULTIPLIER = 1
CELERY_WORKER_HIJACK_ROOT_LOGGER = False
# Nobody commands workers through Redis, and the channel for it is what breaks first when Redis is killed.
CELERY_WORKER_ENABLE_REMOTE_CONTROL = False
# Nothing here acknowledges late, so nothing is cancelled; unset, it is eight lines of warning at each lost connection.
CELERY_WORKER_CANCEL_LONG_RUNNING_TASKS_ON_CONNECTION_LOSS = True
CELERY_BROKER_CONNECTION_RETRY_ON_STARTUP = True
CELERY_BROKER_CONNECTION_MAX_RETRIES = None
CELERY_DB_REUSE_MAX = 1_000_000_000
# A Redis that hangs must not hold a commit or a worker for long.
CELERY_BROKER_TRANSPORT_OPTIONS = {"socket_timeout": 5, "socket_connect_timeout": 0.5}

CHANNEL_LAYERS = (
    POSTGRES_LAYER if HANDOFF_DISPATCH == dispatch_environment.POLLING else channel_layers(REDIS_URL)
)

# Without hints no message is ever sent: workers look for themselves, every half second.
HANDOFF_HINTS = environment.switch("HANDOFF_HINTS", default=True)

# How many steps of the queue `blocking` one worker process does at once.
HANDOFF_BLOCKING_THREADS = environment.blocking_threads()
HANDOFF_WEB_PROCESSES = environment.web_processes()

# How many polls for jobs a tenant may make in a second.
HANDOFF_POLLS_PER_SECOND = request_environment.polls_per_second()
# What requests may take of the processes that answer.
HANDOFF_REQUEST_CPU_SECONDS = request_environment.cpu_seconds()
HANDOFF_REQUESTS_PER_MINUTE = request_environment.per_minute()
# Where gRPC is answered (docs/grpc.md): 0 is nowhere.
HANDOFF_GRPC_PORT = grpc_environment.port() or 0
HANDOFF_GRPC_HOST = grpc_environment.host()
HANDOFF_GRPC_CERT, HANDOFF_GRPC_KEY = grpc_environment.files()
HANDOFF_GRPC_REFLECTION = grpc_environment.reflection()
# As which tenant whoever shows no credentials asks the rochallor API (docs/rochallor-api.md); empty: as none.
HANDOFF_V1_OPEN_TENANT = os.environ.get("HANDOFF_V1_OPEN_TENANT", "").strip()
# Whether they may do so from other machines, too.
HANDOFF_V1_OPEN_ANYWHERE = environment.switch("HANDOFF_V1_OPEN_ANYWHERE", default=False)
# How long the lease of a job lasts that the rochallor API hands out, where its definition says nothing; 0: as others.
HANDOFF_V1_LEASE_SECONDS = environment.whole(*environment.V1_LEASE)
HANDOFF_CONTINUE_AFTER_EVENTS = environment.continue_after_events()
# How many runs one run may start, directly and through others (docs/engine.md, "Child runs").
HANDOFF_TREE_DEPTH = environment.tree_depth()
HANDOFF_TREE_OPEN_RUNS = environment.tree_open_runs()
HANDOFF_TREE_RUNS = environment.tree_runs()
HANDOFF_BLOBS = environment.blobs()
HANDOFF_BLOB_BYTES = environment.blob_bytes()
HANDOFF_FILE_SCAN = environment.file_scan()

# How many steps a text pipeline has, at least and at most.
_PIPELINE_STEPS_MIN = environment.whole("HANDOFF_PIPELINE_STEPS_MIN", 2, 1, 1_000)
HANDOFF_PIPELINE_STEPS = (
    _PIPELINE_STEPS_MIN,
    environment.whole("HANDOFF_PIPELINE_STEPS_MAX", max(4, _PIPELINE_STEPS_MIN), _PIPELINE_STEPS_MIN, 1_000),
)

# How many days records of the audit log are kept, 30 at least; 0: for ever.
HANDOFF_AUDIT_DAYS = environment.whole("HANDOFF_AUDIT_DAYS", 0, 0, 36_500)

# How long a decision on a page can be undone where its step doesn't say.
HANDOFF_UNDO_SECONDS = environment.undo_seconds()

# Nobody decides a task without saying what they saw of it.
HANDOFF_REQUIRE_SEEN = environment.switch("HANDOFF_REQUIRE_SEEN", default=True)

# Of what operators get tasks in the inbox.
HANDOFF_OPERATOR_TASKS = environment.operator_tasks()
HANDOFF_MAIL_FACTS = environment.mail_facts()

# Whether mail of steps is written to the log where there is no mail server; otherwise these steps fail.
HANDOFF_LOG_MAIL = environment.switch("HANDOFF_LOG_MAIL", default=True)

# One line for each event on standard error, where the supervisor puts the name of the process before it.
LOGGING = {
    "version": 1,
    "disable_existing_loggers": False,
    "formatters": {"line": {"()": "config.logs.formatter"}},
    "filters": {
        "one_line": {"()": "config.logs.OneLine"},
        "no_tokens": {"()": "config.logs.NoTokens"},
        "seldom": {"()": "config.logs.Seldom"},
        "not_twice": {"()": "config.logs.NotTwice"},
    },
    "handlers": {
        "console": {
            "()": "config.logs.Console",
            "formatter": "line",
            # What is told apart by its pattern is so before the others write records anew.
            "filters": ["seldom", "one_line", "no_tokens"],
        }
    },
    "root": {"handlers": ["console"], "level": "WARNING"},
    # Django's own handlers speak in DEBUG only, or by mail.
    "loggers": {
        "django": {"handlers": [], "level": "WARNING", "propagate": True},
        "django.request": {"filters": ["not_twice"]},
        "handoff": {"level": "INFO"},
        # It repeats each second what Redis says while it is away; whoever waits for Redis says so once.
        "channels_redis": {"level": "CRITICAL"},
    },
}
