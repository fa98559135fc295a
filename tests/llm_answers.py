"""What a language model's server says: chat completions as OpenAI's API has them."""

import json

from tests.answering import http

USED = {"prompt_tokens": 7, "completion_tokens": 3, "total_tokens": 10, "model": "small-1"}


def said(content, finish="stop", **message):
    """A chat completion."""
    choice = {
        "index": 0,
        "finish_reason": finish,
        "message": {"role": "assistant", "content": content, **message},
    }
    body = {"id": "x", "object": "chat.completion", "model": "small-1", "choices": [choice]}
    body["usage"] = {"prompt_tokens": 7, "completion_tokens": 3, "total_tokens": 10, "details": {"cached": 1}}
    return http(json.dumps(body).encode(), content_type="application/json")


def said_json(value):
    """A chat completion that holds JSON."""
    return said(json.dumps(value))


def messages(asked):
    """role → content of what was asked."""
    return {message["role"]: message["content"] for message in asked["messages"]}
