package handoff

import "time"

// What became of a job, as a Watcher is told it.
const (
	Completed = "completed"
	Failed    = "failed"
	GivenBack = "given_back"
	Late      = "late" // it was told, and did not count
	Untold    = "untold"
)

// Watcher hears of what a worker does. It is called by many goroutines at once, and may not block; Metrics is one.
type Watcher interface {
	// Polled: a poll was answered with so many jobs, and took so long.
	Polled(jobs int, took time.Duration)
	// NotPolled: a poll had no answer, or was refused for now.
	NotPolled()
	// Begun: a job was begun.
	Begun(node string)
	// Ended: a job is no longer held.
	Ended(node, result string, held time.Duration)
	// Told: so many results were told in one call; verb is complete, fail or heartbeat.
	Told(verb string, jobs int)
	// Retried: a call that told of a result is about to be made again; verb is complete or fail.
	Retried(verb string)
}

type nobody struct{}

func (nobody) Polled(int, time.Duration)           {}
func (nobody) NotPolled()                          {}
func (nobody) Begun(string)                        {}
func (nobody) Ended(string, string, time.Duration) {}
func (nobody) Told(string, int)                    {}
func (nobody) Retried(string)                      {}
