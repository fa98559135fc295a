"""Settings behind a proxy that ends TLS: what the local profile must leave open is closed here."""

import os
from typing import Any

from django.core.exceptions import ImproperlyConfigured

from config import environment, hardness
from config.settings import *  # noqa: F403
from config.settings import CONTENT_SECURITY_POLICY, MIDDLEWARE


def _listed(variable: str) -> list[str]:
    return [each.strip() for each in os.environ.get(variable, "").split(",") if each.strip()]


SECRET_KEY = os.environ.get("HANDOFF_SECRET_KEY", "")
SECRET_KEY_FALLBACKS = _listed("HANDOFF_OLD_SECRET_KEYS")
ALLOWED_HOSTS = _listed("HANDOFF_HOSTS")
for _problem in hardness.problems(SECRET_KEY, SECRET_KEY_FALLBACKS, ALLOWED_HOSTS, os.environ):
    raise ImproperlyConfigured(_problem)
HANDOFF_URL = environment.url() or f"https://{ALLOWED_HOSTS[0].lstrip('.')}"
CSRF_TRUSTED_ORIGINS = [f"https://{'*' if host.startswith('.') else ''}{host}" for host in ALLOWED_HOSTS]
USE_X_FORWARDED_HOST = False
# Only where the proxy strips this header from what clients send.
if environment.switch("HANDOFF_TRUST_PROXY", default=False):
    SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https")

# Pages are sent to https; a token that came over http is burnt, so the API refuses instead (ASVS 4.1.2).
MIDDLEWARE = ["config.https_only.refuse_plain_api", *MIDDLEWARE]
SECURE_SSL_REDIRECT = True
SECURE_HSTS_SECONDS = 31_536_000
SECURE_HSTS_INCLUDE_SUBDOMAINS = True
SECURE_HSTS_PRELOAD = True
SECURE_CONTENT_TYPE_NOSNIFF = True
SECURE_CROSS_ORIGIN_OPENER_POLICY = "same-origin"

SESSION_COOKIE_NAME = "__Host-handoff_session"
HANDOFF_DEVICE_COOKIE = "__Host-handoff_browser"
HANDOFF_IDLE_SECONDS = 60 * environment.idle_minutes(default=30)
SESSION_COOKIE_SECURE = True
SESSION_COOKIE_HTTPONLY = True
CSRF_COOKIE_NAME = "__Host-handoff_csrf"
CSRF_COOKIE_SECURE = True

FILE_UPLOAD_PERMISSIONS = 0o600
HANDOFF_TOKEN_ENVIRONMENT = "live"
# A run must not complete as if a mail had been sent.
HANDOFF_LOG_MAIL = environment.switch("HANDOFF_LOG_MAIL", default=False)
_DIRECTIVES: dict[str, Any] = {**CONTENT_SECURITY_POLICY["DIRECTIVES"], "upgrade-insecure-requests": True}
CONTENT_SECURITY_POLICY = {"DIRECTIVES": _DIRECTIVES}
