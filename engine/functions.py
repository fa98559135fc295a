"""The functions of expressions, for completion: each with an example that works (`tests/engine/test_functions.py`)."""

from dataclasses import asdict, dataclass


@dataclass(frozen=True, slots=True)
class Function:
    """One function or operator."""

    name: str
    signature: str
    help: str
    example: str

    def as_dict(self) -> dict[str, str]:
        """As the API gives it."""
        return asdict(self)


FUNCTIONS = (
    Function("has", "has(value.key)", "Whether the key exists.", "has(input.name)"),
    Function(
        "? :",
        "condition ? this : that",
        "This if the condition holds, else that.",
        "input.amount > 100 ? 'large' : 'small'",
    ),
    Function("&&", "this && that", "True if both are.", "input.amount > 100 && input.vip"),
    Function("||", "this || that", "True if one of them is.", "input.amount > 100 || input.vip"),
    Function("!", "!this", "The opposite of true or false.", "!input.vip"),
    Function(
        "in", "value in list", "Whether the list has the value, or the object the key.", "'a' in input.tags"
    ),
    Function("size", "size(value)", "How many characters, items or keys.", "size(input.tags)"),
    Function(
        "contains", "text.contains(part)", "Whether the text contains the part.", "input.name.contains('nn')"
    ),
    Function(
        "startsWith",
        "text.startsWith(part)",
        "Whether the text starts with the part.",
        "input.name.startsWith('A')",
    ),
    Function(
        "endsWith", "text.endsWith(part)", "Whether the text ends with the part.", "input.name.endsWith('a')"
    ),
    Function(
        "matches",
        "text.matches(pattern)",
        "Whether a regular expression is found in the text.",
        "input.name.matches('^A')",
    ),
    Function("string", "string(value)", "The value as a text.", "string(input.amount)"),
    Function("int", "int(value)", "The value as a whole number.", "int('17')"),
    Function("double", "double(value)", "The value as a number with decimals.", "double('1.5')"),
    Function("bool", "bool(text)", "The text true or false as the value.", "bool('true')"),
    Function(
        "all",
        "list.all(item, condition)",
        "Whether the condition holds for every item.",
        "input.items.all(item, item.price > 0)",
    ),
    Function(
        "exists",
        "list.exists(item, condition)",
        "Whether it holds for one item at least.",
        "input.items.exists(item, item.price > 100)",
    ),
    Function(
        "exists_one",
        "list.exists_one(item, condition)",
        "Whether it holds for exactly one item.",
        "input.items.exists_one(item, item.price > 100)",
    ),
    Function(
        "filter",
        "list.filter(item, condition)",
        "The items for which it holds.",
        "input.items.filter(item, item.price > 100)",
    ),
    Function(
        "map",
        "list.map(item, value)",
        "A list with a value made of each item.",
        "input.items.map(item, item.price * 2)",
    ),
    Function(
        "timestamp",
        "timestamp(text)",
        "The text as a moment, to compare and calculate with.",
        "timestamp(run.now) > timestamp('2026-01-01T00:00:00Z')",
    ),
    Function(
        "duration",
        "duration(text)",
        "A length of time, such as 90s, 15m or 24h.",
        "timestamp(run.now) + duration('24h')",
    ),
    Function(
        "getFullYear",
        "moment.getFullYear(zone)",
        "The year; the time zone may be left out.",
        "timestamp(run.now).getFullYear('Europe/Berlin')",
    ),
    Function(
        "getMonth", "moment.getMonth(zone)", "The month; January is 0.", "timestamp(run.now).getMonth()"
    ),
    Function(
        "getDate", "moment.getDate(zone)", "The day of the month, from 1.", "timestamp(run.now).getDate()"
    ),
    Function(
        "getDayOfWeek",
        "moment.getDayOfWeek(zone)",
        "The day of the week; Sunday is 0.",
        "timestamp(run.now).getDayOfWeek()",
    ),
    Function("getHours", "moment.getHours(zone)", "The hour, 0 to 23.", "timestamp(run.now).getHours()"),
    Function(
        "getMinutes", "moment.getMinutes(zone)", "The minute, 0 to 59.", "timestamp(run.now).getMinutes()"
    ),
)
"""In the order in which they are offered."""
