package handoff

import (
	"context"
	"errors"
	"log/slog"
	"maps"
	"net/http"
	"slices"
	"sync"
	"sync/atomic"
	"time"
)

const showAfter = 30 * time.Second // so often a worker that claims nothing shows Handoff that it is there

// claims are the jobs that a worker learns of from a broker.
type claims struct {
	worker    *Worker
	working   context.Context
	claiming  atomic.Int64
	claimedAt atomic.Int64 // in Unix nanoseconds
}

// consume takes the events of each queue until the context is done. It returns an *APIError that no other try would change.
func (w *Worker) consume(ctx, working context.Context) error {
	taken := &claims{worker: w, working: working}
	// Whoever is refused learns of it at once, not with the first event.
	if err := taken.Claim(ctx, nil); err != nil {
		return unlessDone(ctx, err)
	}
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	var readers sync.WaitGroup
	for queue := range w.queues {
		readers.Add(1)
		go func() {
			defer readers.Done()
			if err := taken.read(ctx, queue); err != nil {
				stop(err)
			}
		}()
	}
	if err := taken.show(ctx); err != nil {
		stop(err)
	}
	readers.Wait()
	if refused := (*APIError)(nil); errors.As(context.Cause(ctx), &refused) {
		return refused
	}
	return nil
}

func unlessDone(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return nil
	}
	return err
}

// read takes the events of a queue, whatever becomes of the broker.
func (c *claims) read(ctx context.Context, queue string) error {
	for failures := 0; ctx.Err() == nil; failures++ {
		err := c.worker.Events.Consume(ctx, queue, c)
		if refused := (*APIError)(nil); errors.As(err, &refused) && !refused.isRetryable() {
			return err
		}
		if err != nil && ctx.Err() == nil {
			slog.Warn("handoff: no job events, trying again", "error", err)
			c.worker.Watcher.PollFailed()
			_ = sleep(ctx, pauseAfter(err, min(failures+1, 5)))
		}
	}
	return nil
}

// WorkerName is EventReceiver's.
func (c *claims) WorkerName() string { return c.worker.Name }

// Room is EventReceiver's.
func (c *claims) Room(ctx context.Context, wait time.Duration) int {
	limited, done := context.WithTimeout(ctx, wait)
	defer done()
	for {
		change := c.worker.slotChange()
		if free := c.worker.free() - int(c.claiming.Load()); free > 0 {
			return free
		}
		select {
		case <-change:
		case <-limited.Done():
			return 0
		}
	}
}

// Claim is EventReceiver's: it tries until there is an answer.
func (c *claims) Claim(ctx context.Context, ids []string) error {
	c.claiming.Add(int64(len(ids)))
	defer c.claiming.Add(-int64(len(ids)))
	w := c.worker
	body := w.about()
	body["queues"] = w.queueNames()[:min(len(w.queues), mostQueues)]
	// An empty list, not null.
	body["ids"] = slices.AppendSeq([]string{}, maps.Keys(setOf(ids)))
	for try := 1; ; try++ {
		began := time.Now()
		var answer jobsAnswer
		// A claim leases: it is not broken off when the worker is stopped.
		err := w.client.do(context.WithoutCancel(ctx), http.MethodPost, "/jobs/claim", body, &answer, "", 1)
		if err == nil {
			c.claimedAt.Store(time.Now().UnixNano())
			if len(ids) > 0 {
				w.Watcher.PollSucceeded(len(answer.Jobs), time.Since(began))
			}
			for _, job := range answer.Jobs {
				w.begin(c.working, job, answer.date)
			}
			return nil
		}
		if ctx.Err() != nil {
			return err
		}
		if refused := (*APIError)(nil); errors.As(err, &refused) && !refused.isRetryable() {
			return err
		}
		slog.Warn("handoff: no jobs, trying again", "error", err)
		w.Watcher.PollFailed()
		if sleep(ctx, pauseAfter(err, min(try, 5))) != nil {
			return err
		}
	}
}

func setOf(ids []string) map[string]bool {
	set := map[string]bool{}
	for _, id := range ids {
		set[id] = true
	}
	return set
}

// show has Handoff list the worker, also while there is nothing to do. It returns an *APIError that no other try would change.
func (c *claims) show(ctx context.Context) error {
	for sleep(ctx, time.Second) == nil {
		if time.Now().UnixNano()-c.claimedAt.Load() < int64(showAfter) {
			continue
		}
		if err := c.Claim(ctx, nil); err != nil {
			return unlessDone(ctx, err)
		}
	}
	return nil
}
