"""The statements of runs: those of the engine, and those of features, which have theirs in `store`."""

from importlib import import_module

from django.utils.module_loading import module_has_submodule

from config.features import features
from runs.store import hot


def texts() -> dict[str, str]:
    """Each statement by its name."""
    stores = (
        import_module(f"{app.name}.store") for app in features() if module_has_submodule(app.module, "store")
    )
    return hot.SQL.texts | {name: text for store in stores for name, text in store.SQL.texts.items()}
