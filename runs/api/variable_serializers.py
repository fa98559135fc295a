"""Variables of runs: what a worker may set, and what is told of them."""

import re
from typing import Any

from engine.definition import VARIABLE_NAME
from engine.limits import STEP_VARIABLES
from lib.api import fields


class Variables(fields.JsonObject):
    """Variables of a run, by name."""

    default_error_messages = {
        "bad_name": "A variable is called by letters, digits and _, not a digit first, 64 at most: {name} is not.",
        "too_many": "At most {most} variables are set at once.",
    }

    def to_internal_value(self, data: Any) -> dict[str, Any]:
        values = super().to_internal_value(data)
        if len(values) > STEP_VARIABLES:
            self.fail("too_many", most=STEP_VARIABLES)
        for name in values:
            if not re.fullmatch(VARIABLE_NAME.strip("^$"), name):
                self.fail("bad_name", name=name[:100])
        return values
