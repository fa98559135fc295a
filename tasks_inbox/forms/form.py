"""The forms of tasks: what `lib.forms` makes of a task's schema, its conditions judged as its data are."""

from lib.forms.schema_forms import SchemaForms
from steps.schema import fits

_FORMS = SchemaForms(fits)
form_of, filled, edited = _FORMS.form_of, _FORMS.filled, _FORMS.edited
