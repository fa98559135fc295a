"""Fields that name a person: what may be typed there, who is meant, and how it is shown; pure.

The value of such a field is a username. Who the people are is known to others (`People`).
"""

from collections.abc import Iterable, Sequence
from typing import Protocol

from lib.forms.fields import FormField


class People(Protocol):
    """The people who may be named."""

    def offered(self) -> Sequence[str]:
        """The texts that a field suggests, each of which means one of them."""

    def meant_by(self, text: str) -> Sequence[str]:
        """The usernames that a text may mean: a username, a full name, or both as a field suggests them."""

    def text_of(self, username: str) -> str:
        """The text that a field suggests for a username; the username itself where there is no such person."""


def username_of(text: str, people: People) -> tuple[str | None, str]:
    """The username that a text means, and what is wrong where it means none or several."""
    usernames = people.meant_by(text)
    if len(usernames) == 1:
        return usernames[0], ""
    if usernames:
        return None, f"Several members are called “{text}”: enter one of {', '.join(usernames)}."
    return None, not_a_member(text)


def not_a_member(text: str) -> str:
    """The sentence that refuses a name."""
    return f"“{text}” is not a member. Enter the name or username of one."


def people_in(fields: Iterable[FormField]) -> list[tuple[str, str]]:
    """The place and the username of each filled field that names a person."""
    return [(one.place or one.name, one.text) for one in fields if one.kind == "person" and one.text]


def offer_people(fields: Iterable[FormField], people: People) -> None:
    """Show the names of people in their fields. The first of these fields carries the suggestions for all."""
    for place, one in enumerate(field for field in fields if field.kind == "person"):
        one.local = people.text_of(one.text)
        one.options = tuple((text, text) for text in people.offered()) if place == 0 else ()
