"""Asking the language model that an operator has configured, with the times and retries that suit such a step."""

from steps.llm_client import LEASE_SECONDS, RETRY, TIMEOUT_SECONDS, Question, ask, marked

__all__ = ["LEASE_SECONDS", "RETRY", "TIMEOUT_SECONDS", "Question", "ask", "marked"]
