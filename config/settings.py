"""Settings of the local profile (`make up`: plain http on loopback); what differs by place is in the environment."""

import os
import secrets

from config import environment

BASE_DIR = environment.BASE_DIR
HANDOFF_HOME = environment.home()
HANDOFF_PORT = environment.port()
DEBUG = False
# A process without a home (a linter, `makemigrations --check`) gets a key that nobody else has.
SECRET_KEY = environment.secret("HANDOFF_SECRET_KEY", "secret-key") or secrets.token_urlsafe(64)
ALLOWED_HOSTS = ["127.0.0.1", "localhost", "[::1]", "testserver"]

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
    "accounts",
    "workflows",
    "runs",
]

MIDDLEWARE = [
    "django.middleware.security.SecurityMiddleware",
    "whitenoise.middleware.WhiteNoiseMiddleware",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "django.contrib.messages.middleware.MessageMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
]

ROOT_URLCONF = "config.urls"
ASGI_APPLICATION = "config.asgi.application"
WSGI_APPLICATION = "config.wsgi.application"

TEMPLATES = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "DIRS": [BASE_DIR / "templates"],
        "APP_DIRS": False,
        "OPTIONS": {
            "context_processors": [
                "django.template.context_processors.request",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
            ],
        },
    },
]

DATABASE_URL = environment.server_url("DATABASE_URL", "database_url")
REDIS_URL = environment.server_url("REDIS_URL", "redis_url")
DATABASES = {"default": environment.database_of(DATABASE_URL)}
if os.environ.get("HANDOFF_PROCESS") == "web":
    # Threads of the web process share a pool; the workers keep one connection a thread (CELERY_DB_REUSE_MAX).
    DATABASES["default"]["OPTIONS"] |= {"pool": {"min_size": 2, "max_size": 10, "timeout": 10}}  # type: ignore[operator]
    DATABASES["default"]["CONN_HEALTH_CHECKS"] = True
else:
    DATABASES["default"]["CONN_MAX_AGE"] = 600
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"

AUTH_USER_MODEL = "accounts.User"
PASSWORD_HASHERS = [
    "django.contrib.auth.hashers.Argon2PasswordHasher",
    "django.contrib.auth.hashers.PBKDF2PasswordHasher",
]
LOGIN_URL = "login"
LOGIN_REDIRECT_URL = "/"
LOGOUT_REDIRECT_URL = "login"

LANGUAGE_CODE = "en"
TIME_ZONE = "UTC"
USE_TZ = True

STATIC_URL = "/static/"
STATICFILES_DIRS = [BASE_DIR / "static"]
STATIC_ROOT = BASE_DIR / "staticfiles"
# Files are served from where they lie, so a first start needs no collectstatic.
WHITENOISE_USE_FINDERS = True

CELERY_BROKER_URL = REDIS_URL
CELERY_TASK_SERIALIZER = "json"
CELERY_ACCEPT_CONTENT = ["json"]
CELERY_TASK_IGNORE_RESULT = True
CELERY_WORKER_DISABLE_PREFETCH = False
CELERY_WORKER_PREFETCH_MULTIPLIER = 1
CELERY_WORKER_HIJACK_ROOT_LOGGER = False
CELERY_BROKER_CONNECTION_RETRY_ON_STARTUP = True
CELERY_BROKER_CONNECTION_MAX_RETRIES = None
CELERY_DB_REUSE_MAX = 1_000_000_000

# Polling only: no hint is ever sent through Redis (DESIGN "How it is run").
HANDOFF_HINTS = os.environ.get("HANDOFF_HINTS", "on").lower() not in {"off", "0", "false", "no"}
