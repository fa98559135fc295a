"""The functions of expressions, for completion: each with an example that works (`tests/engine/test_functions.py`)."""

from dataclasses import asdict, dataclass
from difflib import get_close_matches


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
    Function("upper", "text.upper()", "The text in capital letters.", "input.name.upper()"),
    Function("lower", "text.lower()", "The text in small letters.", "input.name.lower()"),
    Function("trim", "text.trim()", "The text without spaces at its ends.", "input.name.trim()"),
    Function(
        "join",
        "list.join(separator)",
        "The texts of the list as one text; '\\n' as the separator makes lines.",
        "input.items.map(item, string(item.price)).join(', ')",
    ),
    Function(
        "round",
        "round(number, places)",
        "The number with so many decimals; a whole number without `places`. Halves go away from zero.",
        "round(input.amount * 1.19, 2)",
    ),
    Function(
        "sum",
        "sum(list)",
        "What the numbers add up to, as decimal numbers: 0.1 and 0.2 are 0.3.",
        "sum(input.items.map(item, item.price))",
    ),
    Function(
        "min", "min(list)", "The smallest number or text of a list.", "min(input.items.map(item, item.price))"
    ),
    Function(
        "max", "max(list)", "The largest number or text of a list.", "max(input.items.map(item, item.price))"
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
        "now",
        "now()",
        "The moment in which the step began, to compare and calculate with.",
        "now() + duration('24h')",
    ),
    Function(
        "timestamp",
        "timestamp(text)",
        "The text as a moment, to compare and calculate with.",
        "now() > timestamp('2026-01-01T00:00:00Z')",
    ),
    Function(
        "duration",
        "duration(text)",
        "A length of time, such as 90s, 15m or 24h.",
        "now() + duration('24h')",
    ),
    Function(
        "getFullYear",
        "moment.getFullYear(zone)",
        "The year; the time zone may be left out.",
        "now().getFullYear('Europe/Berlin')",
    ),
    Function("getMonth", "moment.getMonth(zone)", "The month; January is 0.", "now().getMonth()"),
    Function("getDate", "moment.getDate(zone)", "The day of the month, from 1.", "now().getDate()"),
    Function(
        "getDayOfWeek",
        "moment.getDayOfWeek(zone)",
        "The day of the week; Sunday is 0.",
        "now().getDayOfWeek()",
    ),
    Function("getHours", "moment.getHours(zone)", "The hour, 0 to 23.", "now().getHours()"),
    Function("getMinutes", "moment.getMinutes(zone)", "The minute, 0 to 59.", "now().getMinutes()"),
)
"""In the order in which they are offered."""

_BY_NAME = {function.name: function for function in FUNCTIONS}
_ALIKE = {
    "size": ("len", "length", "count", "strlen"),
    "upper": ("uppercase", "toupper", "touppercase", "upperascii", "upcase", "ucase"),
    "lower": ("lowercase", "tolower", "tolowercase", "lowerascii", "downcase", "lcase"),
    "trim": ("strip", "ltrim", "rtrim", "lstrip", "rstrip", "trimstart", "trimend"),
    "contains": ("includes", "has_text", "indexof", "find_text", "index"),
    "startsWith": ("startswith", "starts_with", "hasprefix"),
    "endsWith": ("endswith", "ends_with", "hassuffix"),
    "matches": ("match", "regex", "regexmatch", "test", "like", "search"),
    "join": ("implode", "joinlist", "string_join", "concat_ws"),
    "round": ("tofixed", "fixed", "floor", "ceil", "ceiling", "trunc"),
    "sum": ("total", "add", "sumof", "reduce", "sum_by", "sumby"),
    "min": ("minimum", "least", "smallest"),
    "max": ("maximum", "greatest", "largest"),
    "now": ("today", "utcnow", "currenttime", "current_timestamp", "getdate", "sysdate", "time"),
    "timestamp": ("date", "datetime", "todate", "parsedate", "fromisoformat"),
    "duration": ("interval", "timedelta", "days", "hours", "minutes", "seconds"),
    "getFullYear": ("year", "getyear"),
    "getMonth": ("month",),
    "getDate": ("day", "getday", "dayofmonth"),
    "getDayOfWeek": ("weekday", "dayofweek"),
    "getHours": ("hour", "gethour"),
    "getMinutes": ("minute", "getminute"),
    "string": ("str", "tostring", "text", "totext"),
    "int": ("integer", "parseint", "toint", "tointeger"),
    "double": ("number", "float", "decimal", "parsefloat", "tofloat", "tonumber"),
    "bool": ("boolean", "tobool"),
    "exists": ("any", "some"),
    "all": ("every", "each"),
    "filter": ("where", "select", "find"),
    "map": ("collect", "foreach", "for_each", "pluck"),
    "has": ("isset", "defined", "isdefined", "exist", "haskey"),
    "? :": ("if", "iif", "ifelse", "choose", "switch", "case"),
    "&&": ("and",),
    "||": ("or",),
    "!": ("not",),
}
_MIN_BY = "list.filter(item, item.price == {}(list.map(each, each.price)))[0]"
_WRITTEN = {
    **dict.fromkeys(("concat", "append", "concatenate"), "this + that"),
    **dict.fromkeys(("coalesce", "default", "ifnull", "nvl", "get"), "has(value.key) ? value.key : that"),
    **dict.fromkeys(("isempty", "empty"), "size(value) == 0"),
    **dict.fromkeys(("avg", "average", "mean"), "sum(list) / double(size(list))"),
    **dict.fromkeys(("min_by", "minby"), _MIN_BY.format("min")),
    **dict.fromkeys(("max_by", "maxby"), _MIN_BY.format("max")),
    "abs": "value < 0 ? -value : value",
    "first": "list[0]",
    "last": "list[size(list) - 1]",
    **dict.fromkeys(("format", "sprintf", "printf"), "'Total: ' + string(value)"),
}
_NEITHER = frozenset({"replace", "split", "substring", "substr", "slice", "sort", "reverse", "unique"})
_NAMES = {name: real for real, names in _ALIKE.items() for name in names}


def no_function(name: str) -> str:
    """Why a call of a function does not compile, with the one to use instead."""
    if function := _BY_NAME.get(name):
        return f"`{name}` is written as `{function.signature}`"
    plain = name.lower()
    if form := _WRITTEN.get(plain):
        return f"there is no `{name}`: write `{form}`"
    real = _NAMES.get(plain) or next((one for one in _BY_NAME if one.lower() == plain), None)
    if real is None and plain not in _NEITHER:
        real = next(iter(get_close_matches(name[:64], _BY_NAME, n=1)), None)
    if real is not None:
        return f"there is no `{name}`: use `{_BY_NAME[real].signature}`"
    return f"there is no function `{name}`: {_OFFERED}"


_OFFERED = f"there are {', '.join(name for name in _BY_NAME if name.isidentifier() and name != 'in')}"
