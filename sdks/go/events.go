package handoff

import (
	"context"
	"strings"
	"time"
)

// JobIDHeader is the header or field of an event that is the id of its job.
const JobIDHeader = "job-id"

// MostEvents is how many events are claimed at once at most.
const MostEvents = 100

// Events is a broker with job events: handoff/kafkaevents, handoff/redisevents, or your own.
type Events interface {
	// Consume takes the events of a queue while the worker has room, and acknowledges those that it has claimed, until the
	// context is done. It may return any error of the broker's client: it is called again after a pause.
	Consume(ctx context.Context, queue string, receiver EventReceiver) error
}

// EventReceiver is a worker that learns of jobs from a broker.
type EventReceiver interface {
	// WorkerName is what Handoff calls the worker.
	WorkerName() string
	// Room waits for a free slot, as long as that at most, and returns how many are free; 0 where none is.
	Room(ctx context.Context, wait time.Duration) int
	// Claim claims jobs, up to as many as there is room for; their events are handled then. With an error they are for others.
	Claim(ctx context.Context, ids []string) error
}

// EventTopic is the topic or stream of a queue; the tenant "default", or "", has no name of its own in it.
func EventTopic(queue, tenant string) string { return tenantPrefix(tenant) + "workflow.jobs." + queue }

// EventGroup is the consumer group of a queue's workers: each event goes to one of them.
func EventGroup(queue, tenant string) string {
	return tenantPrefix(tenant) + "workflow.workers." + queue
}

// IsJobID tells whether this can be the id of a job.
func IsJobID(text string) bool {
	isOdd := func(char rune) bool { return char < ' ' || char > '~' }
	return text != "" && len(text) <= 200 && !strings.ContainsFunc(text, isOdd)
}

func tenantPrefix(tenant string) string {
	if tenant == "" || tenant == "default" {
		return ""
	}
	return tenant + "."
}
