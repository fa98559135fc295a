"""Every URL of Handoff."""

from django.urls import URLPattern, URLResolver, include, path, re_path

from config.features import routes
from config.health import healthz, readyz
from config.metrics import metrics
from config.styleguide import styleguide
from lib.api.views import UnknownOrchestrationRouteView
from lib.routes import by_words

_ROUTES: list[URLPattern | URLResolver] = [
    path("healthz", healthz, name="healthz"),
    path("readyz", readyz, name="readyz"),
    path("metrics", metrics, name="metrics"),
    path("api/v1/", include("runs.api.urls")),
    path("api/v1/", include("workflows.api.urls")),
    path("api/v1/", include("tasks_inbox.api.urls")),
    path("api/v1/", include("accounts.api.urls")),
    path("api/v1/", include(routes("api"))),
    path("v1/", include(routes("v1"))),
    path("", include("accounts.urls")),
    # They end with whatever is no route, so they come after all others below api/ and v1/.
    path("api/", include("lib.api.urls")),
    path("v1/", include([re_path("^", UnknownOrchestrationRouteView.as_view(), name="v1-unknown")])),
    path("styleguide/", styleguide, name="styleguide"),
    path("", include("workflows.pipeline.urls")),
    path("", include("workflows.web.urls")),
    path("", include("runs.web.urls")),
    path("", include("tasks_inbox.web.urls")),
    path("", include(routes("pages"))),
]
urlpatterns = by_words(_ROUTES)

handler400 = "lib.api.pages.bad_request"
handler403 = "lib.api.pages.forbidden"
handler404 = "lib.api.pages.not_found"
handler500 = "lib.api.pages.server_error"
