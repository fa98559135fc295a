"""What workflows are called on pages: by their title, where they have one. Records and programs know them by name."""

from lib.calling import Names
from workflows.queries import titles_of

_NAMES = Names("workflow", titles_of)
learn, learn_titles, title_of = _NAMES.learn, _NAMES.learn_known, _NAMES.name_of
