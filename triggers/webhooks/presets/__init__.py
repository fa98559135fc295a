"""Senders that sign and set up webhooks in their own way: one module for each, found by its name."""

from collections.abc import Mapping
from typing import Final

from triggers.webhooks.presets.base import Preset
from triggers.webhooks.presets.github import GITHUB
from triggers.webhooks.presets.gitlab import GITLAB
from triggers.webhooks.presets.graph import GRAPH
from triggers.webhooks.presets.meta import META
from triggers.webhooks.presets.slack import SLACK
from triggers.webhooks.presets.sns import SNS
from triggers.webhooks.presets.stripe import STRIPE
from triggers.webhooks.presets.twilio import TWILIO

PRESETS: Final[Mapping[str, Preset]] = {
    preset.name: preset for preset in (GITHUB, GITLAB, SLACK, STRIPE, TWILIO, GRAPH, META, SNS)
}
