"""The app of the rochallor engine's REST API and gRPC service."""

from django.apps import AppConfig


class RochallorConfig(AppConfig):
    """Its routes are in `urls.py`, its gRPC service in `grpc_service.py`: both are found by their names."""

    name = "integrations.rochallor"
    label = "rochallor"
    verbose_name = "rochallor API"
    enum_names = {
        "RochallorErrorCode": "integrations.rochallor.errors.CODES",
        "RochallorInstanceStatus": "integrations.rochallor.values.STATUSES",
        "RochallorJobStatus": "integrations.rochallor.rest.descriptions.LOCKED",
        "RochallorRecordStatus": "integrations.rochallor.rest.descriptions.RECORD_STATUSES",
        "RochallorStepType": "integrations.rochallor.rest.descriptions.STEP_TYPES",
        "RochallorTimerType": "integrations.rochallor.rest.descriptions.TIMER",
    }
