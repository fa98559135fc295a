"""Where the icons are."""

from functools import cache

from django.templatetags.static import static

SPRITE = "vendor/lucide-static-1.62.0/sprite.svg"


@cache
def sprite() -> str:
    """The address of the file with all icons. Found once: a page names it hundreds of times."""
    return static(SPRITE)
