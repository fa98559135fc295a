"""The fields of a start form that name files and people, filled with an input once for all that looks at them."""

from collections.abc import Sequence

from lib.forms.fields import FormField
from lib.forms.schema_forms import SchemaForms
from lib.json import Json
from runs.kernel.graphs import Compiled
from steps.schema import fits

_FORMS = SchemaForms(fits, "input")


def fields_naming(version: Compiled, value: Json) -> Sequence[FormField]:
    """The filled fields for files and people."""
    schema = version.graph.input_schema
    if schema is None or not (version.takes_files or version.takes_people):
        return []
    return [one for one in _FORMS.filled(schema, value).each() if one.kind in ("file", "person") and one.text]
