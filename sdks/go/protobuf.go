package handoff

import (
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"time"
)

// The wire format of Protocol Buffers, as far as the messages of handoff.v1.Jobs need it. The fields are those of
// integrations/grpc/proto/handoff/v1/handoff.proto; a field that is not listed is skipped.

type kind int

const (
	textKind kind = iota
	integerKind
	booleanKind
	jsonKind // a JSON value as bytes
	timeKind // a google.protobuf.Timestamp
	messageKind
)

const one, many = false, true

type messageField struct {
	number int
	name   string
	kind   kind
	isList bool
	fields message
}

type message []messageField

var (
	logLines = message{{1, "text", textKind, one, nil}, {2, "level", textKind, one, nil}, {3, "at", timeKind, one, nil}, {4, "seq", integerKind, one, nil}}
	failures = message{{1, "code", textKind, one, nil}, {2, "message", textKind, one, nil}, {3, "details", jsonKind, one, nil}, {4, "stack", textKind, one, nil}}
	weights  = message{{1, "key", textKind, one, nil}, {2, "value", integerKind, one, nil}}
	leases   = message{{1, "id", textKind, one, nil}, {2, "lease_token", textKind, one, nil}}
	files    = message{
		{1, "id", textKind, one, nil}, {2, "name", textKind, one, nil}, {3, "media_type", textKind, one, nil},
		{4, "size", integerKind, one, nil}, {5, "sha256", textKind, one, nil}, {6, "url", textKind, one, nil},
	}
	streamJobs = message{
		{1, "worker_id", textKind, one, nil}, {2, "queues", textKind, many, nil}, {3, "max_jobs", integerKind, one, nil},
		{5, "weights", messageKind, many, weights}, {6, "version", textKind, one, nil}, {7, "slots", integerKind, one, nil},
	}
	jobMessage = message{
		{1, "id", textKind, one, nil}, {2, "run_id", textKind, one, nil}, {3, "workflow", textKind, one, nil},
		{4, "node", textKind, one, nil}, {5, "type", textKind, one, nil}, {6, "params", jsonKind, one, nil},
		{7, "input", jsonKind, one, nil}, {8, "attempt", integerKind, one, nil}, {9, "max_attempts", integerKind, one, nil},
		{10, "retries_remaining", integerKind, one, nil}, {11, "progress", jsonKind, one, nil},
		{12, "lease_token", textKind, one, nil}, {13, "lease_expires_at", timeKind, one, nil},
		{14, "idempotency_key", textKind, one, nil}, {15, "traceparent", textKind, one, nil}, {16, "tracestate", textKind, one, nil},
		{17, "approval", messageKind, one, message{{1, "id", textKind, one, nil}, {2, "digest", textKind, one, nil}}},
		{18, "files", messageKind, many, files}, {19, "sent_at", timeKind, one, nil},
	}
	jobAnswer = message{
		{1, "applied", booleanKind, one, nil}, {2, "reason", textKind, one, nil}, {3, "duplicate", booleanKind, one, nil},
		{4, "lease_expires_at", timeKind, one, nil}, {5, "cancel_requested", booleanKind, one, nil}, {6, "cut", textKind, many, nil},
		{7, "sent_at", timeKind, one, nil},
	}
	// The request of each verb on a job; its field job_id is called id here, as in REST.
	verbs = map[string]message{
		"complete": append(leases[:2:2], message{
			{3, "output", jsonKind, one, nil}, {4, "variables", jsonKind, one, nil}, {5, "log", messageKind, many, logLines},
		}...),
		"fail": append(leases[:2:2], message{
			{3, "error", messageKind, one, failures}, {4, "retryable", booleanKind, one, nil}, {5, "log", messageKind, many, logLines},
		}...),
		"heartbeat": append(leases[:2:2], message{{3, "progress", jsonKind, one, nil}, {4, "log", messageKind, many, logLines}}...),
		"release":   leases,
	}
	timestamp = message{{1, "seconds", integerKind, one, nil}, {2, "nanos", integerKind, one, nil}}
)

const (
	varintWire  = 0
	fixed64Wire = 1
	bytesWire   = 2
	fixed32Wire = 5
)

var errCut = errors.New("handoff: a message is cut short")

// encode gives the bytes of a message whose fields are those of a JSON object. A field that is not there is left out.
func (m message) encode(object []byte) ([]byte, error) {
	var row map[string]json.RawMessage
	if err := json.Unmarshal(object, &row); err != nil {
		return nil, err
	}
	var written []byte
	for _, field := range m {
		value, is := row[field.name]
		if !is {
			continue
		}
		values := []json.RawMessage{value}
		if field.isList {
			values = nil
			if err := json.Unmarshal(value, &values); err != nil {
				return nil, err
			}
		}
		for _, value := range values {
			var err error
			if written, err = field.encode(written, value); err != nil {
				return nil, fmt.Errorf("%s: %w", field.name, err)
			}
		}
	}
	return written, nil
}

func (f messageField) encode(written []byte, value json.RawMessage) ([]byte, error) {
	var content []byte
	var err error
	switch f.kind {
	case integerKind:
		var number uint64
		err = json.Unmarshal(value, &number)
		return binary.AppendUvarint(binary.AppendUvarint(written, uint64(f.number*8+varintWire)), number), err
	case booleanKind:
		number := uint64(0)
		if string(value) == "true" {
			number = 1
		}
		return binary.AppendUvarint(binary.AppendUvarint(written, uint64(f.number*8+varintWire)), number), nil
	case textKind:
		var text string
		err = json.Unmarshal(value, &text)
		content = []byte(text)
	case jsonKind:
		content = value
	case timeKind:
		var at time.Time
		if err = json.Unmarshal(value, &at); err == nil {
			content, err = timestamp.encode(fmt.Appendf(nil, `{"seconds":%d,"nanos":%d}`, at.Unix(), at.Nanosecond()))
		}
	case messageKind:
		content, err = f.fields.encode(value)
	}
	written = binary.AppendUvarint(written, uint64(f.number*8+bytesWire))
	written = binary.AppendUvarint(written, uint64(len(content)))
	return append(written, content...), err
}

// decode gives what a message says, as values of a JSON object. A field that is not there is left out.
func (m message) decode(content []byte) (map[string]any, error) {
	row := map[string]any{}
	for len(content) > 0 {
		tag, size := binary.Uvarint(content)
		if size <= 0 {
			return nil, errCut
		}
		var value uint64
		var part []byte
		wire := tag % 8
		rest := content[size:]
		switch wire {
		case varintWire, bytesWire:
			if value, size = binary.Uvarint(rest); size <= 0 {
				return nil, errCut
			}
			rest = rest[size:]
		case fixed64Wire:
			value = 8
		case fixed32Wire:
			value = 4
		default:
			return nil, fmt.Errorf("handoff: there is no wire type %d", wire)
		}
		if wire != varintWire {
			if value > uint64(len(rest)) {
				return nil, errCut
			}
			part, rest = rest[:value], rest[value:]
		}
		content = rest
		for _, field := range m {
			if uint64(field.number) != tag/8 || wire != varintWire && wire != bytesWire {
				continue
			}
			found, err := field.decode(value, part)
			if err != nil {
				return nil, err
			}
			if list, _ := row[field.name].([]any); field.isList {
				found = append(list, found)
			}
			row[field.name] = found
		}
	}
	return row, nil
}

func (f messageField) decode(value uint64, content []byte) (any, error) {
	switch f.kind {
	case integerKind:
		return int64(value), nil
	case booleanKind:
		return value != 0, nil
	case textKind:
		return string(content), nil
	case jsonKind:
		if len(content) == 0 {
			return nil, nil
		}
		return json.RawMessage(content), nil
	case timeKind:
		row, err := timestamp.decode(content)
		seconds, _ := row["seconds"].(int64)
		nanos, _ := row["nanos"].(int64)
		return time.Unix(seconds, nanos).UTC(), err
	}
	return f.fields.decode(content)
}
