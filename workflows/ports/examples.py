"""What else comes with the examples; an app above tells it in its `AppConfig.ready`."""

from collections.abc import Callable

from accounts.principal import Principal

Act = Callable[[Principal], None]
_ACTS: list[Act] = []


def comes_with_examples(act: Act) -> Act:
    """Registers what is made, by whom the examples were made, once these are published."""
    _ACTS.append(act)
    return act


def make_what_comes_with_them(who: Principal) -> None:
    """Make what else comes with the examples."""
    for act in _ACTS:
        act(who)
