package handoff

import (
	"context"
	"encoding/json"
	"fmt"
	"sync"
	"time"
)

// Job is one attempt at a step. Its Context is done when nobody wants the result any more: the run is being cancelled, the
// lease is lost, or the worker has stopped waiting.
type Job struct {
	ID               string          `json:"id"`
	RunID            string          `json:"run_id"`
	Workflow         string          `json:"workflow"`
	Node             string          `json:"node"`
	Params           json.RawMessage `json:"params"`
	Input            json.RawMessage `json:"input"`
	Attempt          int             `json:"attempt"`
	RetriesRemaining int             `json:"retries_remaining"`
	// Progress is what the attempt before told last: go on from there.
	Progress       json.RawMessage `json:"progress"`
	IdempotencyKey string          `json:"idempotency_key"`
	Traceparent    string          `json:"traceparent"`
	LeaseToken     string          `json:"lease_token"`
	LeaseExpiresAt time.Time       `json:"lease_expires_at"`

	ctx    context.Context
	cancel context.CancelFunc
	beat   func(*Job)

	mu        sync.Mutex
	variables map[string]any
	lines     []line
	said      int
	progress  any
	hasNews   bool
	lease     time.Duration
	expires   time.Time
}

type line struct {
	Text  string    `json:"text"`
	Level string    `json:"level"`
	At    time.Time `json:"at"`
	Seq   int       `json:"seq"`
}

const (
	mostLines       = 200
	mostCharacters  = 2000
	lineInfo        = "info"
	mostStackCharas = 20_000
)

// Context is done when nobody wants the result any more.
func (j *Job) Context() context.Context { return j.ctx }

// Bind reads the input of the step into a value, as json.Unmarshal does.
func (j *Job) Bind(value any) error { return json.Unmarshal(j.Input, value) }

// SetVariable sets a variable of the run when the job is done.
func (j *Job) SetVariable(name string, value any) {
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.variables == nil {
		j.variables = map[string]any{}
	}
	j.variables[name] = value
}

// Log says a line for people who look at the run; 200 of an attempt are kept, of a line 2,000 characters.
func (j *Job) Log(format string, args ...any) { j.logAt(lineInfo, format, args...) }

// Warn is Log for what somebody should look at.
func (j *Job) Warn(format string, args ...any) { j.logAt("warning", format, args...) }

func (j *Job) logAt(level, format string, args ...any) {
	text := []rune(fmt.Sprintf(format, args...))
	j.mu.Lock()
	defer j.mu.Unlock()
	j.said++
	if j.said > mostLines {
		return
	}
	j.lines = append(j.lines, line{string(text[:min(len(text), mostCharacters)]), level, time.Now().UTC(), j.said})
}

// Tell says how far the step is, any JSON value of up to 64 KiB: pages show it, and the next attempt gets it.
func (j *Job) Tell(progress any) {
	j.mu.Lock()
	j.progress, j.hasNews = progress, true
	j.mu.Unlock()
	j.beat(j)
}

// word is what a call says of the job: its id and lease, and what is given besides; lines that it takes are told once.
func (j *Job) word(more map[string]any) map[string]any {
	j.mu.Lock()
	defer j.mu.Unlock()
	word := map[string]any{"id": j.ID, "lease_token": j.LeaseToken}
	for key, value := range more {
		word[key] = value
	}
	if len(j.lines) > 0 {
		word["log"] = j.lines
	}
	return word
}

// told forgets the first lines, which a call has taken.
func (j *Job) told(count int) {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.lines = j.lines[min(count, len(j.lines)):]
}

func (j *Job) news() (progress any, has bool, lines int) {
	j.mu.Lock()
	defer j.mu.Unlock()
	progress, has, j.hasNews = j.progress, j.hasNews, false
	return progress, has, len(j.lines)
}

func (j *Job) renew(expires time.Time) {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.expires = expires
}

func (j *Job) expiresAt() time.Time {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.expires
}
