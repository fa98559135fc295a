"""Every URL of Handoff."""

from django.urls import URLPattern, URLResolver, include, path

from config.health import healthz, readyz
from config.styleguide import styleguide

urlpatterns: list[URLPattern | URLResolver] = [
    path("healthz", healthz, name="healthz"),
    path("readyz", readyz, name="readyz"),
    path("", include("accounts.urls")),
    path("api/v1/", include("workflows.api.urls")),
    path("api/v1/", include("runs.api.urls")),
    path("api/v1/", include("tasks_inbox.api.urls")),
    path("api/v1/", include("accounts.api.urls")),
    # It ends with whatever is no route, so it comes after all others below api/.
    path("api/", include("lib.api.urls")),
    path("styleguide/", styleguide, name="styleguide"),
    path("", include("workflows.web.urls")),
    path("", include("runs.web.urls")),
    path("", include("tasks_inbox.web.urls")),
]

handler400 = "lib.api.pages.bad_request"
handler403 = "lib.api.pages.forbidden"
handler404 = "lib.api.pages.not_found"
handler500 = "lib.api.pages.server_error"
