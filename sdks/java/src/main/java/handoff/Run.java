package handoff;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.Set;

/** A run as the API shows it; {@code raw} has all of its fields. */
public record Run(JsonNode raw) {
    private static final Set<String> OPEN = Set.of(
            "PENDING", "WAITING", "RUNNING", "PAUSED", "FAILING", "CANCELLING", "COMPENSATING", "WAITING_FOR_MANUAL_ACTION");

    /** Why a run failed: its code, the words for people, the node where it did (or null) and what programs should know. */
    public record Failure(String code, String message, String node, JsonNode details) {}

    /** What the run is called in the API. */
    public String id() {
        return text("id");
    }

    /** The name of its workflow. */
    public String workflow() {
        return text("workflow");
    }

    /** How it stands, such as {@code RUNNING} or {@code COMPLETED}. */
    public String status() {
        return text("status");
    }

    /** What whoever started it calls it, or null. */
    public String businessKey() {
        return text("business_key");
    }

    /** What it waits for, or null. */
    public String waitingFor() {
        return text("waiting_for");
    }

    /** What it was started with. */
    public JsonNode input() {
        return Json.field(raw, "input");
    }

    /** What came of it, null of JSON until then. */
    public JsonNode output() {
        return Json.field(raw, "output");
    }

    /** Why it failed, or null. */
    public Failure error() {
        JsonNode error = Json.field(raw, "error");
        if (error.isNull()) {
            return null;
        }
        String node = error.path("node").textValue();
        return new Failure(error.path("code").asText(), error.path("message").asText(), node, Json.field(error, "details"));
    }

    /** Whether it has ended. */
    public boolean hasEnded() {
        return !OPEN.contains(status());
    }

    private String text(String field) {
        return raw.path(field).textValue();
    }
}
