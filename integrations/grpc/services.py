"""The services that features offer beside Handoff's own, each in the module `grpc_service` of its app."""

from collections.abc import Callable, Mapping
from importlib import import_module

import grpc
from django.apps import apps
from django.utils.module_loading import module_has_submodule

from integrations.grpc.unary import Unary

Handlers = Callable[[Unary], "Mapping[str, grpc.RpcMethodHandler]"]
_MODULE = "grpc_service"


def offered() -> dict[str, Handlers]:
    """What makes the handlers of each of these services, by its full name: `handlers` and `SERVICE` of its module."""
    modules = (
        import_module(f"{app.name}.{_MODULE}")
        for app in apps.get_app_configs()
        if module_has_submodule(app.module, _MODULE)
    )
    return {module.SERVICE: module.handlers for module in modules}
