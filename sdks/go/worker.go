package handoff

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"math/rand/v2"
	"net/http"
	"os"
	"runtime/debug"
	"slices"
	"sync"
	"time"
)

const (
	mostJobs     = 100
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

	client *Client
	steps  map[string]Step
	queues map[string]bool

	mu   sync.Mutex
	held map[*Job]bool
}

// NewWorker gives a worker that asks the API by this client.
func NewWorker(client *Client) *Worker {
	host, _ := os.Hostname()
	return &Worker{
		Slots: 10, Name: fmt.Sprintf("%s-%d", host, os.Getpid()), PollWait: 20 * time.Second, Drain: 30 * time.Second,
		client: client, steps: map[string]Step{}, queues: map[string]bool{}, held: map[*Job]bool{},
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
	var jobs sync.WaitGroup
	slots := make(chan struct{}, w.Slots)
	go w.beats(working)
	err := w.poll(ctx, working, slots, &jobs)
	w.drain(&jobs)
	return err
}

func (w *Worker) drain(jobs *sync.WaitGroup) {
	done := make(chan struct{})
	go func() { jobs.Wait(); close(done) }()
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

// poll takes jobs while there are slots.
func (w *Worker) poll(ctx, working context.Context, slots chan struct{}, jobs *sync.WaitGroup) error {
	for failures := 0; ; {
		select {
		case slots <- struct{}{}:
			<-slots
		case <-ctx.Done():
			return nil
		}
		began := time.Now()
		found, err := w.ask(ctx, cap(slots)-len(slots))
		switch {
		case ctx.Err() != nil:
			// The answer may have come as the worker was stopped: it gives back what it has not begun.
			for _, job := range found {
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
			slots <- struct{}{}
			jobs.Add(1)
			w.begin(working, job)
			go func() {
				began, became := time.Now(), Unreported
				defer func() {
					w.Watcher.JobEnded(job.Node, became, time.Since(began))
					w.end(job)
					<-slots
					jobs.Done()
				}()
				became = w.process(job)
			}()
		}
		// All that wait are answered at once when a server ends, or has too many.
		if len(found) == 0 && time.Since(began) < time.Second && sleep(ctx, time.Second/2+jittered(time.Second)) != nil {
			return nil
		}
	}
}

func (w *Worker) ask(ctx context.Context, free int) ([]*Job, error) {
	queues := slices.Sorted(maps.Keys(w.queues))
	if len(queues) > mostQueues {
		rand.Shuffle(len(queues), func(i, j int) { queues[i], queues[j] = queues[j], queues[i] })
		queues = queues[:mostQueues]
	}
	weights := map[string]int{}
	for _, queue := range queues {
		weights[queue] = 1
	}
	body := map[string]any{
		"worker_id": w.Name, "queues": queues, "weights": weights, "slots": w.Slots,
		"max_jobs": min(free, mostJobs), "wait_seconds": jittered(w.PollWait).Seconds(),
	}
	if w.Version != "" {
		body["version"] = w.Version
	}
	var answer struct {
		dated
		Jobs []*Job `json:"jobs"`
	}
	// Each poll leases: none is sent twice.
	ctx, done := context.WithTimeout(ctx, w.PollWait+answerWithin)
	defer done()
	err := w.client.do(ctx, http.MethodPost, "/jobs/poll", body, &answer, "", 1)
	for _, job := range answer.Jobs {
		job.renew(job.LeaseExpiresAt, answer.date)
	}
	return answer.Jobs, err
}

func (w *Worker) begin(working context.Context, job *Job) {
	job.ctx, job.cancel = context.WithCancel(working)
	job.beat = func(job *Job) { w.heartbeat([]*Job{job}) }
	w.Watcher.JobStarted(job.Node)
	w.mu.Lock()
	defer w.mu.Unlock()
	w.held[job] = true
}

func (w *Worker) end(job *Job) {
	job.cancel()
	w.mu.Lock()
	defer w.mu.Unlock()
	delete(w.held, job)
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

type result struct {
	ID              string    `json:"id"`
	Applied         bool      `json:"applied"`
	Reason          string    `json:"reason"`
	Message         string    `json:"message"`
	CancelRequested bool      `json:"cancel_requested"`
	LeaseExpiresAt  time.Time `json:"lease_expires_at"`
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
	var answer struct {
		dated
		Results []result `json:"results"`
	}
	err := w.client.do(ctx, http.MethodPost, "/jobs/heartbeat", map[string]any{"items": items}, &answer, "", 1)
	if refused := (*APIError)(nil); errors.As(err, &refused) && !refused.isRetryable() {
		slog.Error("handoff: what steps had to say is refused", "error", err)
		for _, item := range items {
			delete(item, "log")
			delete(item, "progress")
		}
		err = w.client.do(ctx, http.MethodPost, "/jobs/heartbeat", map[string]any{"items": items}, &answer, "", 1)
	}
	if err != nil {
		slog.Warn("handoff: leases could not be renewed, trying again", "error", err)
	} else {
		w.Watcher.ReportSent("heartbeat", len(items))
	}
	for _, one := range answer.Results {
		said, is := said[one.ID]
		switch {
		case !is || one.Reason == "unavailable":
		case !one.Applied:
			said.job.cancel()
		default:
			if !one.LeaseExpiresAt.IsZero() {
				said.job.renew(one.LeaseExpiresAt, answer.date)
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
		return nil, &StepError{Code: "UnknownStep", Message: "The worker " + w.Name + " has no step " + job.Node + ".", Retryable: true}
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
	body := map[string]any{"items": []any{said.item}}
	for try := 1; ; try++ {
		// A new one each time: of what stood in an old one JSON leaves what the next answer doesn't name.
		var answer struct {
			Results []result `json:"results"`
		}
		err := w.client.do(ctx, http.MethodPost, "/jobs/"+verb, body, &answer, "", 1)
		if err == nil {
			w.Watcher.ReportSent(verb, 1)
		}
		if err == nil && len(answer.Results) == 1 && answer.Results[0].Reason != "unavailable" {
			return answer.Results[0], nil
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
	ctx, done := context.WithDeadline(context.Background(), job.endsAt())
	defer done()
	body := map[string]any{"lease_token": job.LeaseToken}
	var told result
	// Saying it twice does no harm.
	if err := w.client.do(ctx, http.MethodPost, "/jobs/"+job.ID+"/release", body, &told, newKey(), tries); err != nil {
		slog.Warn("handoff: a job could not be released, its lease will end", "job", job.ID, "error", err)
		return Unreported
	}
	return told.counts(Released)
}
