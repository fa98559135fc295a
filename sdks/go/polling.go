package handoff

import (
	"context"
	"errors"
	"log/slog"
	"maps"
	"math/rand/v2"
	"net/http"
	"slices"
	"time"
)

// jobsAnswer is the answer to a poll and to a claim.
type jobsAnswer struct {
	dated
	Jobs []*Job `json:"jobs"`
}

// poll takes jobs while there are slots. It returns an *APIError that no other try would change.
func (w *Worker) poll(ctx, working context.Context) error {
	for failures := 0; ; {
		change := w.slotChange()
		free := w.free()
		if free < 1 {
			select {
			case <-change:
				continue
			case <-ctx.Done():
				return nil
			}
		}
		if ctx.Err() != nil {
			return nil
		}
		began := time.Now()
		found, date, err := w.ask(ctx, free)
		switch {
		case ctx.Err() != nil:
			// The answer may have come as the worker was stopped: it gives back what it has not begun.
			for _, job := range found {
				job.renew(job.LeaseExpiresAt, date)
				w.release(job)
			}
			return nil
		case err != nil:
			if refused := (*APIError)(nil); errors.As(err, &refused) && !refused.isRetryable() {
				return err
			}
			slog.Warn("handoff: no jobs, trying again", "error", err)
			w.Watcher.PollFailed()
			failures++
			if sleep(ctx, pauseAfter(err, min(failures, 5))) != nil {
				return nil
			}
			continue
		}
		failures = 0
		w.Watcher.PollSucceeded(len(found), time.Since(began))
		for _, job := range found {
			w.begin(working, job, date)
		}
		// All that wait are answered at once when a server ends, or has too many.
		if len(found) == 0 && time.Since(began) < time.Second && sleep(ctx, time.Second/2+jittered(time.Second)) != nil {
			return nil
		}
	}
}

func (w *Worker) ask(ctx context.Context, free int) ([]*Job, time.Time, error) {
	queues, weights := w.someQueues(), map[string]int{}
	for _, queue := range queues {
		weights[queue] = 1
	}
	body := w.about()
	body["queues"], body["weights"] = queues, weights
	body["max_jobs"], body["wait_seconds"] = min(free, mostJobs), jittered(w.PollWait).Seconds()
	var answer jobsAnswer
	// Each poll leases: none is sent twice.
	ctx, done := context.WithTimeout(ctx, w.PollWait+answerWithin)
	defer done()
	err := w.client.do(ctx, http.MethodPost, "/jobs/poll", body, &answer, "", 1)
	return answer.Jobs, answer.date, err
}

// about is what a call says of the worker.
func (w *Worker) about() map[string]any {
	body := map[string]any{"worker_id": w.Name, "slots": w.Slots}
	if w.Version != "" {
		body["version"] = w.Version
	}
	return body
}

func (w *Worker) queueNames() []string { return slices.Sorted(maps.Keys(w.queues)) }

// someQueues are all queues, or some where there are more than a call may name.
func (w *Worker) someQueues() []string {
	queues := w.queueNames()
	if len(queues) > mostQueues {
		rand.Shuffle(len(queues), func(i, j int) { queues[i], queues[j] = queues[j], queues[i] })
		queues = queues[:mostQueues]
	}
	return queues
}
