"""The rules that `validate` applies, by subject; each takes an `Outline` and yields problems."""
