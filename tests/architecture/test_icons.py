"""The icons that templates name are in the sprite: one that is not draws nothing."""

import re

from tests.architecture.sources import ROOT, source
from tests.architecture.test_page_numbers import TEMPLATES

NAMED = re.compile(r'\{% icon "([\w-]+)"|(?<![:\w-])icon="([\w-]+)"')


def test_each_icon_of_a_template_is_in_the_sprite():
    [sprite] = (ROOT / "static" / "vendor").glob("lucide-*/sprite.svg")
    drawn = set(re.findall(r'<symbol id="([\w-]+)"', sprite.read_text()))
    named = {(path, first or second) for path in TEMPLATES for first, second in NAMED.findall(source(path))}
    assert len(named) > 200
    missing = {path: name for path, name in named if name not in drawn}
    assert missing == {}, "name it in static/vendor/vendor.lock.json, then run scripts/vendor"
