"""The duties of all installed apps: each is in the module `duties` of its app, which registers it."""

from django.utils.module_loading import autodiscover_modules


def register() -> None:
    """Have this process know all duties."""
    autodiscover_modules("duties")
