"""Features: the installed apps below `triggers`, `operations` and `integrations`, and what is collected from them."""

from importlib import import_module
from typing import Any, Final

from django.apps import AppConfig, apps
from django.urls import URLPattern, URLResolver
from django.utils.module_loading import module_has_submodule

ROOMS: Final = ("triggers", "operations", "integrations")


def features() -> list[AppConfig]:
    """The installed features, in the order of `INSTALLED_APPS`."""
    return [app for app in apps.get_app_configs() if app.name.partition(".")[0] in ROOMS]


def routes(kind: str) -> list[URLPattern | URLResolver]:
    """The routes that features have in their `urls.py`, in the list of this name: `api` is below `/api/v1/`, `v1`
    below `/v1/`, `pages` below `/`. A feature has those that it needs.
    """
    return [route for module in modules("urls") for route in getattr(module, kind, ())]


def modules(name: str) -> list[Any]:
    """The modules of this name that features have."""
    return [
        import_module(f"{app.name}.{name}") for app in features() if module_has_submodule(app.module, name)
    ]


def enum_names() -> dict[str, str]:
    """What features call the choices of their serializers in the schema of the API: `enum_names` of their apps."""
    return {name: path for app in features() for name, path in getattr(app, "enum_names", {}).items()}
