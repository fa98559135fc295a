// The wire format of Protocol Buffers, as far as the messages of handoff.v1.Jobs need it. The fields are those of
// integrations/grpc/proto/handoff/v1/handoff.proto; a field that is not listed is skipped.
const field = (name, kind = "text") => ({ name, kind });
const list = (name, kind = "text") => ({ name, kind, isList: true });
const LOG_LINE = { 1: field("text"), 2: field("level"), 3: field("at", "time"), 4: field("seq", "integer") };
const ERROR = { 1: field("code"), 2: field("message"), 3: field("details", "json"), 4: field("stack") };
const WEIGHT = { 1: field("key"), 2: field("value", "integer") };
const FILE = { 1: field("id"), 2: field("name"), 3: field("media_type"), 4: field("size", "integer"), 5: field("sha256"), 6: field("url") };
const LEASE = { 1: field("job_id"), 2: field("lease_token") };
export const STREAM_JOBS = {
    1: field("worker_id"),
    2: list("queues"),
    3: field("max_jobs", "integer"),
    5: list("weights", WEIGHT),
    6: field("version"),
    7: field("slots", "integer"),
};
export const JOB = {
    1: field("id"),
    2: field("run_id"),
    3: field("workflow"),
    4: field("node"),
    5: field("type"),
    6: field("params", "json"),
    7: field("input", "json"),
    8: field("attempt", "integer"),
    9: field("max_attempts", "integer"),
    10: field("retries_remaining", "integer"),
    11: field("progress", "json"),
    12: field("lease_token"),
    13: field("lease_expires_at", "time"),
    14: field("idempotency_key"),
    15: field("traceparent"),
    16: field("tracestate"),
    17: field("approval", { 1: field("id"), 2: field("digest") }),
    18: list("files", FILE),
    19: field("sent_at", "time"),
};
export const JOB_ANSWER = {
    1: field("applied", "boolean"),
    2: field("reason"),
    3: field("duplicate", "boolean"),
    4: field("lease_expires_at", "time"),
    5: field("cancel_requested", "boolean"),
    6: list("cut"),
    7: field("sent_at", "time"),
};
/** The request of each verb on a job. */
export const VERBS = {
    complete: { ...LEASE, 3: field("output", "json"), 4: field("variables", "json"), 5: list("log", LOG_LINE) },
    fail: { ...LEASE, 3: field("error", ERROR), 4: field("retryable", "boolean"), 5: list("log", LOG_LINE) },
    heartbeat: { ...LEASE, 3: field("progress", "json"), 4: list("log", LOG_LINE) },
    release: LEASE,
};
const TIMESTAMP = { 1: field("seconds", "integer"), 2: field("nanos", "integer") };
const VARINT = 0;
const FIXED_64 = 1;
const BYTES = 2;
const FIXED_32 = 5;
/** The bytes of a message. A field that is undefined is left out. */
export function encode(message, row) {
    const parts = [];
    for (const [number, { name, kind, isList }] of Object.entries(message)) {
        const value = row[name];
        if (value === undefined)
            continue;
        for (const one of isList ? value : [value]) {
            const [wire, content] = encodeValue(kind, one);
            parts.push(varint(Number(number) * 8 + wire), ...(wire === BYTES ? [varint(content.length)] : []), content);
        }
    }
    return Buffer.concat(parts);
}
function encodeValue(kind, value) {
    if (kind === "integer" || kind === "boolean")
        return [VARINT, varint(Number(value))];
    if (kind === "text")
        return [BYTES, Buffer.from(String(value))];
    if (kind === "json")
        return [BYTES, Buffer.from(JSON.stringify(value))];
    if (kind !== "time")
        return [BYTES, encode(kind, value)];
    const at = Date.parse(String(value));
    return [BYTES, encode(TIMESTAMP, { seconds: Math.floor(at / 1000), nanos: (at % 1000) * 1_000_000 })];
}
/** What a message says. A field that is not there is left out. Throws RangeError where it is cut short. */
export function decode(message, bytes) {
    const row = {};
    let at = 0;
    const take = (count) => {
        if (at + count > bytes.length)
            throw new RangeError("The message is cut short.");
        return bytes.subarray(at, (at += count));
    };
    const whole = () => {
        let value = 0;
        for (let factor = 1;; factor *= 128) {
            const byte = take(1)[0];
            value += (byte & 127) * factor;
            if (byte < 128)
                return value;
        }
    };
    while (at < bytes.length) {
        const tag = whole();
        const known = message[Math.floor(tag / 8)];
        const wire = tag % 8;
        if (wire === FIXED_64 || wire === FIXED_32)
            take(wire === FIXED_64 ? 8 : 4);
        else if (wire !== VARINT && wire !== BYTES)
            throw new RangeError(`There is no wire type ${wire}.`);
        else {
            const content = wire === VARINT ? whole() : take(whole());
            if (!known)
                continue;
            const value = decodeValue(known.kind, content);
            if (known.isList)
                (row[known.name] = row[known.name] ?? []).push(value);
            else
                row[known.name] = value;
        }
    }
    return row;
}
function decodeValue(kind, content) {
    if (typeof content === "number")
        return kind === "boolean" ? content !== 0 : content;
    if (kind === "text")
        return content.toString();
    if (kind === "json")
        return content.length ? JSON.parse(content.toString()) : null;
    if (kind !== "time")
        return decode(kind, content);
    const { seconds = 0, nanos = 0 } = decode(TIMESTAMP, content);
    return new Date(seconds * 1000 + nanos / 1_000_000).toISOString();
}
function varint(value) {
    const bytes = [];
    for (; value >= 128; value = Math.floor(value / 128))
        bytes.push((value % 128) + 128);
    return Buffer.from([...bytes, value]);
}
