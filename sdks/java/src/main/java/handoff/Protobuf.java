package handoff;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.List;
import java.util.Map;

/**
 * The wire format of Protocol Buffers, as far as the messages of handoff.v1.Jobs need it. The fields are those of
 * integrations/grpc/proto/handoff/v1/handoff.proto; a field that is not listed is skipped.
 */
final class Protobuf {
    private static final int VARINT = 0;
    private static final int FIXED_64 = 1;
    private static final int BYTES = 2;
    private static final int FIXED_32 = 5;

    private Protobuf() {}

    /** What a field holds: JSON is any value of it as bytes, TIME a google.protobuf.Timestamp. */
    private enum Kind {
        TEXT,
        INTEGER,
        BOOLEAN,
        JSON,
        TIME,
        MESSAGE
    }

    private record Field(int number, String name, Kind kind, boolean isList, Message message) {}

    /** The fields of a message. */
    record Message(List<Field> fields) {
        private static Message of(Field... fields) {
            return new Message(List.of(fields));
        }
    }

    private static Field one(int number, String name, Kind kind) {
        return new Field(number, name, kind, false, null);
    }

    private static Field text(int number, String name) {
        return one(number, name, Kind.TEXT);
    }

    private static Field many(int number, String name, Message message) {
        return new Field(number, name, message == null ? Kind.TEXT : Kind.MESSAGE, true, message);
    }

    private static Field part(int number, String name, Message message) {
        return new Field(number, name, Kind.MESSAGE, false, message);
    }

    private static final Message TIMESTAMP = Message.of(one(1, "seconds", Kind.INTEGER), one(2, "nanos", Kind.INTEGER));
    private static final Message LOG_LINE =
            Message.of(text(1, "text"), text(2, "level"), one(3, "at", Kind.TIME), one(4, "seq", Kind.INTEGER));
    private static final Message ERROR =
            Message.of(text(1, "code"), text(2, "message"), one(3, "details", Kind.JSON), text(4, "stack"));
    private static final Message WEIGHT = Message.of(text(1, "key"), one(2, "value", Kind.INTEGER));
    private static final Message FILE = Message.of(
            text(1, "id"), text(2, "name"), text(3, "media_type"), one(4, "size", Kind.INTEGER), text(5, "sha256"), text(6, "url"));

    static final Message STREAM_JOBS = Message.of(
            text(1, "worker_id"),
            many(2, "queues", null),
            one(3, "max_jobs", Kind.INTEGER),
            many(5, "weights", WEIGHT),
            text(6, "version"),
            one(7, "slots", Kind.INTEGER));
    static final Message JOB = Message.of(
            text(1, "id"),
            text(2, "run_id"),
            text(3, "workflow"),
            text(4, "node"),
            text(5, "type"),
            one(6, "params", Kind.JSON),
            one(7, "input", Kind.JSON),
            one(8, "attempt", Kind.INTEGER),
            one(9, "max_attempts", Kind.INTEGER),
            one(10, "retries_remaining", Kind.INTEGER),
            one(11, "progress", Kind.JSON),
            text(12, "lease_token"),
            one(13, "lease_expires_at", Kind.TIME),
            text(14, "idempotency_key"),
            text(15, "traceparent"),
            text(16, "tracestate"),
            part(17, "approval", Message.of(text(1, "id"), text(2, "digest"))),
            many(18, "files", FILE),
            one(19, "sent_at", Kind.TIME));
    static final Message JOB_ANSWER = Message.of(
            one(1, "applied", Kind.BOOLEAN),
            text(2, "reason"),
            one(3, "duplicate", Kind.BOOLEAN),
            one(4, "lease_expires_at", Kind.TIME),
            one(5, "cancel_requested", Kind.BOOLEAN),
            many(6, "cut", null),
            one(7, "sent_at", Kind.TIME));
    /** The request of each verb on a job; its field job_id is called id here, as over REST. */
    static final Map<String, Message> VERBS = Map.of(
            "complete",
            Message.of(
                    text(1, "id"),
                    text(2, "lease_token"),
                    one(3, "output", Kind.JSON),
                    one(4, "variables", Kind.JSON),
                    many(5, "log", LOG_LINE)),
            "fail",
            Message.of(
                    text(1, "id"),
                    text(2, "lease_token"),
                    part(3, "error", ERROR),
                    one(4, "retryable", Kind.BOOLEAN),
                    many(5, "log", LOG_LINE)),
            "heartbeat",
            Message.of(text(1, "id"), text(2, "lease_token"), one(3, "progress", Kind.JSON), many(4, "log", LOG_LINE)),
            "release",
            Message.of(text(1, "id"), text(2, "lease_token")));

    /** The bytes of a message with the fields of an object. A field that is not there is left out. */
    static byte[] encode(Message message, JsonNode row) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        for (Field field : message.fields()) {
            JsonNode value = row.get(field.name());
            if (value == null) {
                continue;
            }
            for (JsonNode each : field.isList() ? value : List.of(value)) {
                encode(out, field, each);
            }
        }
        return out.toByteArray();
    }

    private static void encode(ByteArrayOutputStream out, Field field, JsonNode value) {
        if (field.kind() == Kind.INTEGER || field.kind() == Kind.BOOLEAN) {
            varint(out, field.number() * 8L + VARINT);
            varint(out, value.isBoolean() ? (value.asBoolean() ? 1 : 0) : value.asLong());
            return;
        }
        byte[] content = switch (field.kind()) {
            case JSON -> Json.bytes(value);
            case TIME -> time(OffsetDateTime.parse(value.asText()).toInstant());
            case MESSAGE -> encode(field.message(), value);
            default -> value.asText().getBytes(StandardCharsets.UTF_8);
        };
        varint(out, field.number() * 8L + BYTES);
        varint(out, content.length);
        out.writeBytes(content);
    }

    private static byte[] time(Instant at) {
        ObjectNode row = JsonNodeFactory.instance.objectNode();
        return encode(TIMESTAMP, row.put("seconds", at.getEpochSecond()).put("nanos", at.getNano()));
    }

    private static void varint(ByteArrayOutputStream out, long number) {
        long rest = number;
        for (; (rest & ~127L) != 0; rest >>>= 7) {
            out.write((int) (rest & 127) | 128);
        }
        out.write((int) rest);
    }

    /** What a message says. A field that is not there is left out. Throws IOException where it is cut short, or no such message. */
    static ObjectNode decode(Message message, ByteBuffer content) throws IOException {
        ObjectNode row = JsonNodeFactory.instance.objectNode();
        while (content.hasRemaining()) {
            long tag = varint(content);
            int wire = (int) (tag & 7);
            long number = switch (wire) {
                case VARINT, BYTES -> varint(content);
                case FIXED_64 -> 8;
                case FIXED_32 -> 4;
                default -> throw new IOException("There is no wire type " + wire + ".");
            };
            ByteBuffer part = wire == VARINT ? null : part(content, number);
            for (Field field : message.fields()) {
                if (field.number() == tag >>> 3 && (wire == VARINT || wire == BYTES)) {
                    JsonNode value = decode(field, number, part);
                    if (field.isList()) {
                        row.withArray(field.name()).add(value);
                    } else {
                        row.set(field.name(), value);
                    }
                }
            }
        }
        return row;
    }

    private static JsonNode decode(Field field, long number, ByteBuffer part) throws IOException {
        JsonNodeFactory nodes = JsonNodeFactory.instance;
        if (part == null) {
            return field.kind() == Kind.BOOLEAN ? nodes.booleanNode(number != 0) : nodes.numberNode(number);
        }
        return switch (field.kind()) {
            case JSON -> Json.read(bytes(part));
            case TIME -> {
                ObjectNode time = decode(TIMESTAMP, part);
                yield nodes.textNode(Instant.ofEpochSecond(time.path("seconds").asLong(), time.path("nanos").asLong()).toString());
            }
            case MESSAGE -> decode(field.message(), part);
            default -> nodes.textNode(new String(bytes(part), StandardCharsets.UTF_8));
        };
    }

    private static long varint(ByteBuffer content) throws IOException {
        long number = 0;
        for (int shift = 0; shift < Long.SIZE && content.hasRemaining(); shift += 7) {
            byte next = content.get();
            number |= (next & 127L) << shift;
            if (next >= 0) {
                return number;
            }
        }
        throw new IOException("The message is cut short.");
    }

    private static ByteBuffer part(ByteBuffer content, long size) throws IOException {
        if (size < 0 || size > content.remaining()) {
            throw new IOException("The message is cut short.");
        }
        ByteBuffer part = content.slice(content.position(), (int) size);
        content.position(content.position() + (int) size);
        return part;
    }

    private static byte[] bytes(ByteBuffer part) {
        byte[] all = new byte[part.remaining()];
        part.get(all);
        return all;
    }
}
