"""Texts that slow readers down: what begins and never ends, runs of one sign, of two by turns, long words, depth."""

from collections.abc import Iterator

SIGNS = tuple("\"'\\. \n\t<>[](){}&|-_*`~#/@=:;,!?+%$^0aA\u0301é。\u200d「")
PAIRS = (
    *(
        '"\\',
        '\\"',
        "'\"",
        "\"'",
        '" ',
        "a'",
        "a’",
        "a-",
        "a_",
        "a.",
        ".a",
        "A. ",
        "a b c. ",
        "e\u0301",
        "日。",
    ),
    *(
        "<a",
        '<a "',
        "<a b=",
        "<a b='",
        "</a",
        "</a ",
        "</script",
        "<script ",
        "<!--",
        "<!-- -->",
        "<a\n",
        "<b> ",
        "a>",
    ),
    *(
        "[]",
        "[](",
        "![",
        "[a](",
        "](",
        "[a][",
        "[a]: ",
        "((",
        "(a",
        "()",
        "{{",
        "}}",
        "{{a",
        "{}",
        "{a:",
        "{{ '",
    ),
    *(
        "||",
        "| a ",
        "|a|\n",
        "|-|\n",
        "|\n",
        "|-",
        "&a",
        "&#",
        "&#x",
        "&amp;",
        "//",
        "/*",
        "\n//",
        "/a",
        "~~",
        "~~a",
    ),
    *(
        " \n",
        "\n ",
        "\n\n",
        "\n\t\n",
        "\t ",
        "\r",
        "\r\n",
        "- ",
        "\n- ",
        " - ",
        "\n> ",
        "> ",
        "\n1. ",
        "1.",
        "1,",
        "1e",
    ),
    *(
        "\n# ",
        "**",
        "**a ",
        "*a*",
        "*a ",
        "_a ",
        "__a",
        "``",
        "` ``",
        "`a",
        "\n```",
        '"""',
        "'''",
        'r"',
        "r'''",
        '"a" ',
    ),
    *(
        "a: ",
        "\na: ",
        "\n- a: ",
        "a, ",
        "[a, ",
        "&a ",
        "*a ",
        "? ",
        "!a ",
        "%41",
        "%",
        "a@",
        "@a",
        "a@b.",
        "a:b:",
    ),
    *(
        "http://",
        "a=b&",
        "a=b;",
        "a;",
        "-a",
        "+a",
        "1-",
        "has(",
        "a in ",
        "a?",
        "a[",
        '["',
        "steps.a.",
        "\\u0000",
        "\\u",
    ),
)
BEFORE = ('{{"', "|a|b|\n|-|-|\n", "<a", "<a ", '"', "P1")


def texts(size: int) -> Iterator[tuple[str, str]]:
    """(what it is, a text of about so many characters) of every shape."""
    for unit in (*SIGNS, *PAIRS):
        middle = unit * (size // len(unit))
        yield repr(unit), middle
        yield f"{unit!r} between", f"A b c. {middle}a"
    for unit in SIGNS:
        for before in BEFORE:
            yield f"{unit!r} after {before!r}", before + unit * (size // len(unit))
    for first, second in (("(", ")"), ("[", "]"), ("{", "}"), ("<b>", "</b>"), ("> ", "\n"), ("*", "_")):
        half = size // (len(first) + len(second))
        yield f"{first!r} within {second!r}", first * half + second * half
    yield "as many columns as rows", _table(int((size / 2) ** 0.5))
    yield (
        "wide head, many rows",
        "|a" * (size // 8) + "|\n" + "|-" * (size // 8) + "|\n" + "|\n" * (size // 4),
    )
    yield "longer and longer runs", _runs("`", size)
    yield "different words", " ".join(f"w{number:x}" for number in range(size // 7))
    yield "different lines", "\n".join(f"A{number:x} b." for number in range(size // 9))


# Four to a text: signs that end each other would hide what the first of them does.
_MIXED = (
    ("a b ", "a b ", "a b ", "a b "),
    ("'a' ", '"\\', "a b ", "<a"),
    (" ", "\n", "((", "a"),
    (".", "{{", "-", "\\"),
    (",", "<!--", "_", "\n- "),
    (":", "[](", "*a ", "=a&"),
    ("/", "@a", "é", "0"),
)


def mixtures(size: int) -> Iterator[tuple[str, str]]:
    """As `texts`, but few: each of several shapes. For what is costly and consists of what is looked at on its own."""
    for units in _MIXED:
        yield " ".join(map(repr, units)), "".join(unit * (size // 4 // len(unit)) for unit in units) + "!"


def _table(side: int) -> str:
    return (
        "|".join("a" * side)
        + "\n"
        + "|".join("-" * side)
        + "\n"
        + ("|".join("b" * side) + "\n") * max(1, side // 2)
    )


def _runs(sign: str, size: int) -> str:
    return "a".join(sign * length for length in range(int((2 * size) ** 0.5)))
