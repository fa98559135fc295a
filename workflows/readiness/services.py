"""Services that steps need and that are not set up in this installation: a mail server, a language model."""

from collections.abc import Iterable, Sequence

from accounts.roles import WORKFLOWS_READ
from lib.english import counted
from steps import outside
from workflows.limits import NAMED_STEPS
from workflows.readiness.findings import Finding
from workflows.readiness.rights import Rights
from workflows.readiness.steps import DraftStep


def missing_services(rights: Rights, steps: Sequence[DraftStep]) -> list[Finding]:
    """At most one finding for each service, at the first step that needs it. Reads the environment of this process."""
    by_need = {need: [step for step in steps if step.type.needs == need] for need in ("mail", "model")}
    findings = []
    if (senders := by_need["mail"]) and (words := _mail()):
        findings.append(_finding(rights, "no_mail_server", words, senders))
    if (askers := _without_model(by_need["model"])) and (words := _model()):
        findings.append(_finding(rights, "no_language_model", words, askers))
    return findings


def _finding(rights: Rights, code: str, words: str, steps: Sequence[DraftStep]) -> Finding:
    names = list(dict.fromkeys(step.node for step in steps if step.node))
    others = f" It concerns {_listed(names)}." if len(names) > 1 else ""
    return Finding(
        code=code,
        message=f"{words}{others}",
        node=steps[0].node,
        field=steps[0].field.removesuffix(".params"),
        mend=rights.mend("field", "Show the step", WORKFLOWS_READ),
    )


def _listed(names: Sequence[str]) -> str:
    names_text = ", ".join(f"`{name}`" for name in names[:NAMED_STEPS])
    rest = len(names) - NAMED_STEPS
    return f"{counted(len(names), 'step')}: {names_text}" + (f" and {rest} more" if rest > 0 else "")


def _mail() -> str:
    try:
        if outside.mail().server is not None:
            return ""
    except outside.BadSetting as error:
        return f"The mail server is not set up correctly: {str(error).rstrip('.')}. The step fails."
    becomes = (
        "mail is written to the log of the worker and not sent" if outside.logs_mail() else "the step fails"
    )
    return f"No mail server is set up here: {becomes}. Whoever runs this server sets {outside.SMTP_URL}."


def _without_model(steps: Iterable[DraftStep]) -> list[DraftStep]:
    """Those that find no model: where a server and no default model is set up, those that name none."""
    try:
        server = outside.llm()
    except outside.BadSetting:
        server = None
    return [step for step in steps if server is None or not (server.model or step.params.get("model"))]


def _model() -> str:
    try:
        server = outside.llm()
    except outside.BadSetting as error:
        return f"The language model is not set up correctly: {str(error).rstrip('.')}. The step fails."
    if server is None:
        return (
            "No language model is set up here: the step fails. Whoever runs this server sets "
            f"{outside.LLM_URL} and {outside.LLM_MODEL}."
        )
    return (
        "No model is named: the step fails. Name one in the step, or have whoever runs this server set "
        f"{outside.LLM_MODEL}."
    )
