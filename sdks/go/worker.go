package handoff

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"os"
	"runtime/debug"
	"slices"
	"sync"
	"time"
)

const (
	mostJobs     = 100
	mostStreamed = 1_000 // the server takes no greater max_jobs of a stream
	mostQueues   = 50
	reportFor    = 5 * time.Minute // so long a result is told, also after its lease: it counts while nobody else has the step
	leaveFor     = 2 * time.Second
	answerWithin = 30 * time.Second
)

// Step does the jobs of a node. What it gives is the output of the step, as JSON; see StepError and ErrRelease.
type Step func(*Job) (any, error)

// Worker does jobs. Its fields may be changed until Run.
type Worker struct {
	// Slots is how many jobs it does at once, 10 at first.
	Slots int
	// Name is what Handoff calls it; Version is that of its code.
	Name, Version string
	// PollWait is how long a poll waits for jobs, Drain how long held jobs may take after it is stopped.
	PollWait, Drain time.Duration
	// Watcher receives its events, if it is set; Metrics is one.
	Watcher Watcher
	// GRPC is where the gRPC service is, as http://127.0.0.1:9090 or https://…: with it jobs come by a stream, and nothing is
	// polled.
	GRPC string
	// Events is a broker with job events, instead of polling: that of handoff/kafkaevents or handoff/redisevents.
	Events Events

	client   *Client
	reporter reporter
	steps    map[string]Step
	queues   map[string]bool
	slots    chan struct{}
	jobs     sync.WaitGroup

	mu     sync.Mutex
	held   map[*Job]bool
	change chan struct{}
}

// NewWorker gives a worker that asks the API by this client.
func NewWorker(client *Client) *Worker {
	host, _ := os.Hostname()
	return &Worker{
		Slots: 10, Name: fmt.Sprintf("%s-%d", host, os.Getpid()), PollWait: 20 * time.Second, Drain: 30 * time.Second,
		client: client, steps: map[string]Step{}, queues: map[string]bool{}, held: map[*Job]bool{},
		reporter: restReports{client}, change: make(chan struct{}),
	}
}

// Step has a function do the jobs of a node, whose queue is called like it.
func (w *Worker) Step(node string, step Step) { w.StepOn(node, node, step) }

// StepOn is Step for a node whose queue is called otherwise.
func (w *Worker) StepOn(node, queue string, step Step) {
	w.steps[node] = step
	w.queues[queue] = true
}

// Run works until the context is done, and then until what is in hand has ended, Drain at most. It gives nil then, and an
// *APIError where Handoff refuses the worker: its token is not valid, or a queue.
func (w *Worker) Run(ctx context.Context) error {
	if len(w.steps) == 0 {
		return errors.New("handoff: a worker needs a step")
	}
	if w.Watcher == nil {
		w.Watcher = noWatcher{}
	}
	// What is in hand goes on when the worker is told to stop.
	working, end := context.WithCancel(context.WithoutCancel(ctx))
	defer end()
	w.slots = make(chan struct{}, w.Slots)
	take := w.poll
	switch {
	case w.GRPC != "" && w.Events != nil:
		return errors.New("handoff: a worker takes its jobs by gRPC or through a broker, not both")
	case w.GRPC != "":
		service, err := newGRPCJobs(w.GRPC, w.client.token)
		if err != nil {
			return err
		}
		defer service.close()
		w.reporter, take = service, func(ctx, working context.Context) error { return service.stream(ctx, working, w) }
	case w.Events != nil:
		take = w.consume
	}
	go w.beats(working)
	err := take(ctx, working)
	w.drain()
	return err
}

func (w *Worker) drain() {
	done := make(chan struct{})
	go func() { w.jobs.Wait(); close(done) }()
	select {
	case <-done:
		return
	case <-time.After(w.Drain):
	}
	for _, job := range w.inHand() {
		job.cancel()
	}
	select {
	case <-done:
	case <-time.After(leaveFor):
		slog.Error("handoff: jobs are left, since they have not ended in time", "jobs", len(w.inHand()))
	}
}

// begin has a job done that was leased by an answer of this date. A stream that was opened anew knows nothing of the jobs in
// hand: one for which there is no slot waits for it, and its lease is renewed meanwhile.
func (w *Worker) begin(working context.Context, job *Job, date time.Time) {
	job.renew(job.LeaseExpiresAt, date)
	job.ctx, job.cancel = context.WithCancel(working)
	job.beat = func(job *Job) { w.heartbeat([]*Job{job}) }
	w.Watcher.JobStarted(job.Node)
	w.mu.Lock()
	w.held[job] = true
	w.mu.Unlock()
	w.jobs.Add(1)
	go func() {
		began, became := time.Now(), Unreported
		w.slots <- struct{}{}
		defer func() {
			w.Watcher.JobEnded(job.Node, became, time.Since(began))
			<-w.slots
			w.end(job)
			w.jobs.Done()
		}()
		became = w.process(job)
	}()
}

func (w *Worker) end(job *Job) {
	job.cancel()
	w.mu.Lock()
	defer w.mu.Unlock()
	delete(w.held, job)
	close(w.change)
	w.change = make(chan struct{})
}

// free is how many jobs there is room for.
func (w *Worker) free() int {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.Slots - len(w.held)
}

// slotChange is closed when a job has ended.
func (w *Worker) slotChange() <-chan struct{} {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.change
}

func (w *Worker) inHand() []*Job {
	w.mu.Lock()
	defer w.mu.Unlock()
	return slices.Collect(maps.Keys(w.held))
}

// beats renews the leases of which a third is over, all in one call.
func (w *Worker) beats(working context.Context) {
	for sleep(working, 250*time.Millisecond) == nil {
		var due []*Job
		for _, job := range w.inHand() {
			if isDue, isOver := job.isDue(time.Now()); isOver {
				job.cancel()
			} else if isDue {
				due = append(due, job)
			}
		}
		if len(due) > 0 {
			go w.heartbeat(due)
		}
	}
}

// heartbeat renews leases in one call. One that is refused is told again without what the steps had to say, which must
// not cost the others their leases.
func (w *Worker) heartbeat(jobs []*Job) {
	items, said := []map[string]any{}, map[string]word{}
	for _, job := range jobs {
		if one, ok := job.lives(); ok {
			items, said[job.ID] = append(items, one.item), one
		}
	}
	if len(items) == 0 {
		return
	}
	ctx, done := context.WithTimeout(context.Background(), answerWithin)
	defer done()
	results, date, err := w.reporter.report(ctx, "heartbeat", items)
	if refused := (*APIError)(nil); errors.As(err, &refused) && !refused.isRetryable() {
		slog.Error("handoff: what steps had to say is refused", "error", err)
		for _, item := range items {
			delete(item, "log")
			delete(item, "progress")
		}
		results, date, err = w.reporter.report(ctx, "heartbeat", items)
	}
	if err != nil {
		slog.Warn("handoff: leases could not be renewed, trying again", "error", err)
	} else {
		w.Watcher.ReportSent("heartbeat", len(items))
	}
	for _, one := range results {
		said, is := said[one.ID]
		switch {
		case !is || one.Reason == "unavailable":
		case !one.Applied:
			said.job.cancel()
		default:
			if !one.LeaseExpiresAt.IsZero() {
				said.job.renew(one.LeaseExpiresAt, date)
			}
			if one.CancelRequested {
				said.job.cancel()
			}
		}
	}
	for _, one := range said {
		if one.job.heard(one, err == nil) {
			go one.job.beat(one.job)
		}
	}
}

// process does a job, tells what became of it, and gives what a Watcher is told of that.
func (w *Worker) process(job *Job) string {
	if job.ctx.Err() != nil {
		return w.release(job) // cancelled or lost while it waited for a slot
	}
	output, err := w.do(job)
	if errors.Is(err, ErrRelease) {
		return w.release(job)
	}
	if err == nil {
		done := map[string]any{"output": output}
		if err := job.given(done); err != nil {
			return w.fail(job, "NotJson", err.Error(), "", false, nil)
		}
		told, err := w.report(job, "complete", done)
		if err == nil && (told.Applied || told.Message == "" || told.Reason == "stale_token" || told.Reason == "not_found") {
			return told.counts(Completed)
		}
		if err != nil {
			told.Reason, told.Message = "NotTaken", err.Error()
		}
		return w.fail(job, told.Reason, "The output is refused: "+told.Message, "", false, nil)
	}
	if known := (*StepError)(nil); errors.As(err, &known) {
		return w.fail(job, known.Code, known.Message, "", known.Retryable, known.Details)
	}
	stack := ""
	if panicked := (*panicError)(nil); errors.As(err, &panicked) {
		stack = panicked.stack
	}
	return w.fail(job, "Error", err.Error(), stack, true, nil)
}

// counts is the result of a job, or Late if the report was not applied.
func (r result) counts(became string) string {
	if r.Applied {
		return became
	}
	return Late
}

// given adds the variables of the step, if it has set any.
func (j *Job) given(done map[string]any) error {
	j.mu.Lock()
	defer j.mu.Unlock()
	if len(j.variables) == 0 {
		return nil
	}
	variables, err := json.Marshal(j.variables)
	done["variables"] = json.RawMessage(variables)
	return err
}

type panicError struct{ what, stack string }

func (e *panicError) Error() string { return e.what }

// do calls the step: a panic ends its attempt, never the worker and the other jobs in hand.
func (w *Worker) do(job *Job) (output json.RawMessage, err error) {
	step := w.steps[job.Node]
	if step == nil {
		return nil, &StepError{Code: "UnknownStep", Message: "The worker " + w.Name + " has no step " + job.Node + "."}
	}
	defer func() {
		if what := recover(); what != nil {
			stack := string(debug.Stack())
			err = &panicError{fmt.Sprint(what), stack}
		}
	}()
	value, err := step(job)
	if err != nil {
		return nil, err
	}
	if output, err = json.Marshal(value); err != nil {
		return nil, &StepError{Code: "NotJson", Message: err.Error()}
	}
	return output, nil
}

func (w *Worker) fail(job *Job, code, message, stack string, retryable bool, details map[string]any) string {
	failure := map[string]any{"code": storable(code, mostCode), "message": storable(message, mostMessage)}
	if stack != "" {
		failure["stack"] = storable(stack, mostStack)
	}
	if details != nil {
		if _, err := json.Marshal(details); err != nil {
			details = map[string]any{"text": storable(fmt.Sprint(details), mostMessage)}
		}
		failure["details"] = details
	}
	told, err := w.report(job, "fail", map[string]any{"error": failure, "retryable": retryable})
	if err != nil {
		slog.Error("handoff: the result of a job could not be reported", "job", job.ID, "error", err)
		return Unreported
	}
	return told.counts(Failed)
}

// report says what became of a job, again and again while that counts.
func (w *Worker) report(job *Job, verb string, more map[string]any) (result, error) {
	said := job.says(more)
	ctx, done := context.WithTimeout(context.Background(), reportFor)
	defer done()
	for try := 1; ; try++ {
		once, finish := context.WithTimeout(ctx, answerWithin)
		results, _, err := w.reporter.report(once, verb, []map[string]any{said.item})
		finish()
		if err == nil {
			w.Watcher.ReportSent(verb, 1)
		}
		if err == nil && len(results) == 1 && results[0].Reason != "unavailable" {
			return results[0], nil
		}
		if refused := (*APIError)(nil); errors.As(err, &refused) && !refused.isRetryable() {
			return result{}, err
		} else if err != nil && refused == nil && !errors.Is(err, ErrNoResponse) {
			return result{}, err
		}
		if sleep(ctx, pauseAfter(err, min(try, 5))) != nil {
			return result{}, err
		}
		w.Watcher.ReportRetried(verb)
	}
}

func (w *Worker) release(job *Job) string {
	ctx, done := context.WithTimeout(context.Background(), answerWithin)
	defer done()
	told, err := w.reporter.release(ctx, job)
	if err != nil {
		slog.Warn("handoff: a job could not be released, its lease will end", "job", job.ID, "error", err)
		return Unreported
	}
	return told.counts(Released)
}
