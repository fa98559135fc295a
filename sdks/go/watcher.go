package handoff

import "time"

// The results of a job, as a Watcher gets them.
const (
	Completed  = "completed"
	Failed     = "failed"
	Released   = "released"
	Late       = "late" // reported, but another worker had the job
	Unreported = "unreported"
)

// Watcher receives the events of a worker. It is called by many goroutines at once, and must not block; Metrics is one.
type Watcher interface {
	// PollSucceeded: a poll returned this many jobs after this time.
	PollSucceeded(jobs int, took time.Duration)
	// PollFailed: a poll got no response or a retryable error.
	PollFailed()
	// JobStarted: a job was started.
	JobStarted(node string)
	// JobEnded: a job is no longer held.
	JobEnded(node, result string, held time.Duration)
	// ReportSent: one call reported this many jobs; verb is complete, fail or heartbeat.
	ReportSent(verb string, jobs int)
	// ReportRetried: a call that reports a result is about to be retried; verb is complete or fail.
	ReportRetried(verb string)
}

type noWatcher struct{}

func (noWatcher) PollSucceeded(int, time.Duration)       {}
func (noWatcher) PollFailed()                            {}
func (noWatcher) JobStarted(string)                      {}
func (noWatcher) JobEnded(string, string, time.Duration) {}
func (noWatcher) ReportSent(string, int)                 {}
func (noWatcher) ReportRetried(string)                   {}
