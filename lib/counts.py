"""How many rows there are, or at least how many; pure."""

from typing import NamedTuple

from lib.reader import number_text


class Count(NamedTuple):
    """A number of rows; where it is not exact there are at least so many."""

    number: int
    is_exact: bool = True

    @property
    def text(self) -> str:
        """As a page writes it: `1,000`, or `1,000+`."""
        return f"{number_text(str(self.number))}{'' if self.is_exact else '+'}"

    @property
    def title(self) -> str:
        """What a plus means, for whoever points at it."""
        return "" if self.is_exact else f"At least {number_text(str(self.number))}"

    @property
    def is_told(self) -> bool:
        """Whether it says something: that there are 0 or more rows does not."""
        return self.is_exact or self.number > 0

    def __str__(self) -> str:
        return self.text


def up_to(number: int, most: int) -> Count:
    """The count of rows that were counted up to one more than `most`."""
    return Count(min(number, most), number <= most)
