"""Every URL of Handoff."""

from importlib.util import find_spec

from django.urls import URLPattern, URLResolver, include, path

from config.health import healthz, readyz


def _mounted(prefix: str, module: str) -> list[URLResolver]:
    """The URLs of `module` under `prefix`; none while the module is not written yet."""
    parent = module.rpartition(".")[0]
    return [path(prefix, include(module))] if find_spec(parent) and find_spec(module) else []


urlpatterns: list[URLPattern | URLResolver] = [
    path("healthz", healthz, name="healthz"),
    path("readyz", readyz, name="readyz"),
    *_mounted("", "accounts.urls"),
    *_mounted("api/v1/", "workflows.api.urls"),
    *_mounted("api/v1/", "runs.api.urls"),
    # It ends with whatever is no route, so it comes after all others below api/.
    *_mounted("api/", "lib.api.urls"),
    *_mounted("", "workflows.urls"),
    *_mounted("", "runs.urls"),
]

handler400 = "lib.api.pages.bad_request"
handler403 = "lib.api.pages.forbidden"
handler404 = "lib.api.pages.not_found"
handler500 = "lib.api.pages.server_error"
