package handoff

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"
	"unicode/utf8"
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
	// Approval is the newest decision of people that covers the job, nil where none does.
	Approval       *Approval `json:"approval"`
	Traceparent    string    `json:"traceparent"`
	LeaseToken     string    `json:"lease_token"`
	LeaseExpiresAt time.Time `json:"lease_expires_at"`

	ctx    context.Context
	cancel context.CancelFunc
	beat   func(*Job)

	mu        sync.Mutex
	variables map[string]any
	lines     []line
	said      int
	news      json.RawMessage
	isTelling bool
	beatAt    time.Time
	ends      time.Time
}

// Approval is a decision of people that covers a job, with the SHA-256 of what it covers.
type Approval struct {
	ID     string `json:"id"`
	Digest string `json:"digest"`
}

// word is what a call says of a job, and which of its lines and news that are: they are told once.
type word struct {
	job      *Job
	item     map[string]any
	lastLine int
	news     json.RawMessage
}

type line struct {
	Text  string    `json:"text"`
	Level string    `json:"level"`
	At    time.Time `json:"at"`
	Seq   int       `json:"seq"`
}

const (
	mostLines      = 200
	mostCharacters = 2_000
	mostMessage    = 10_000
	mostStack      = 20_000
	mostCode       = 100
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
func (j *Job) Log(format string, args ...any) { j.logAt("info", format, args...) }

// Warn is Log for what somebody should look at.
func (j *Job) Warn(format string, args ...any) { j.logAt("warning", format, args...) }

func (j *Job) logAt(level, format string, args ...any) {
	text := storable(fmt.Sprintf(format, args...), mostCharacters)
	j.mu.Lock()
	defer j.mu.Unlock()
	j.said++
	if j.said <= mostLines {
		j.lines = append(j.lines, line{text, level, time.Now().UTC(), j.said})
	}
}

// storable is so much of a text without what Handoff can't store: NUL, and bytes that are no UTF-8.
func storable(text string, most int) string {
	text = strings.ReplaceAll(strings.ToValidUTF8(text, "\uFFFD"), "\x00", "")
	if utf8.RuneCountInString(text) <= most {
		return text
	}
	return string([]rune(text)[:most])
}

// Heartbeat reports progress, any JSON value of up to 64 KiB: pages show it, and the next attempt gets it. It returns an
// error unless the value is JSON.
func (j *Job) Heartbeat(progress any) error {
	news, err := json.Marshal(progress)
	if err != nil {
		return err
	}
	j.mu.Lock()
	j.news = news
	j.mu.Unlock()
	go j.beat(j)
	return nil
}

// says is what a call says of the job: its id and lease, the lines that wait, and what is given besides.
func (j *Job) says(more map[string]any) word {
	j.mu.Lock()
	defer j.mu.Unlock()
	item := map[string]any{"id": j.ID, "lease_token": j.LeaseToken}
	maps.Copy(item, more)
	last := 0
	if len(j.lines) > 0 {
		item["log"] = slices.Clone(j.lines)
		last = j.lines[len(j.lines)-1].Seq
	}
	return word{j, item, last, j.news}
}

// lives is says for a call that renews the lease: with how far the step is. There is one at a time: ok says whether
// it may be sent.
func (j *Job) lives() (said word, ok bool) {
	said = j.says(nil)
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.isTelling {
		return said, false
	}
	j.isTelling = true
	if said.news != nil {
		said.item["progress"] = said.news
	}
	return said, true
}

// heard notes that a call was over, and forgets what it told where that was taken. It says whether there is more to tell.
func (j *Job) heard(said word, wasTaken bool) bool {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.isTelling = false
	if !wasTaken {
		return false
	}
	j.lines = slices.DeleteFunc(j.lines, func(one line) bool { return one.Seq <= said.lastLine })
	if bytes.Equal(j.news, said.news) {
		j.news = nil
	}
	return j.news != nil
}
