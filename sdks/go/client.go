// Package handoff starts and watches runs of Handoff, and does the jobs of their steps.
package handoff

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	mrand "math/rand/v2"
	"net/http"
	"net/url"
	"os"
	"strconv"
	"strings"
	"time"
)

const (
	tries        = 5
	firstPause   = 250 * time.Millisecond
	longestPause = 10 * time.Second
	mostAsked    = time.Minute // nobody waits for longer because the other side asks for it
	mostAnswer   = 64 << 20
)

// Client calls the API. It is safe for use by many goroutines at once.
type Client struct {
	url   string
	token string
	http  *http.Client
}

// NewClient gives a client for the API at url (such as http://127.0.0.1:8000/api/v1) with a token; where one is empty
// HANDOFF or TOKEN of the environment says it.
func NewClient(url, token string) (*Client, error) {
	if url == "" {
		url = os.Getenv("HANDOFF")
	}
	if token == "" {
		token = os.Getenv("TOKEN")
	}
	if url == "" || token == "" {
		return nil, errors.New("handoff: say where Handoff is and with which token: by arguments, or HANDOFF and TOKEN")
	}
	return &Client{url: strings.TrimRight(url, "/"), token: token, http: &http.Client{}}, nil
}

// Failure is why a run or a step failed.
type Failure struct {
	Code    string          `json:"code"`
	Message string          `json:"message"`
	Node    string          `json:"node"`
	Details json.RawMessage `json:"details"`
}

// Run is a run as the API shows it; Raw has all of its fields.
type Run struct {
	ID          string          `json:"id"`
	Workflow    string          `json:"workflow"`
	Status      string          `json:"status"`
	BusinessKey string          `json:"business_key"`
	WaitingFor  string          `json:"waiting_for"`
	Input       json.RawMessage `json:"input"`
	Output      json.RawMessage `json:"output"`
	Error       *Failure        `json:"error"`
	Raw         json.RawMessage `json:"-"`
}

// UnmarshalJSON keeps all fields in Raw.
func (r *Run) UnmarshalJSON(data []byte) error {
	type plain Run
	if err := json.Unmarshal(data, (*plain)(r)); err != nil {
		return err
	}
	r.Raw = bytes.Clone(data)
	return nil
}

// HasEnded tells whether the run has ended.
func (r *Run) HasEnded() bool {
	switch r.Status {
	case "PENDING", "WAITING", "RUNNING", "PAUSED", "FAILING", "CANCELLING", "COMPENSATING", "WAITING_FOR_MANUAL_ACTION":
		return false
	}
	return true
}

// StartRequest is what a run is started with. A BusinessKey that the workflow has a run of already gives that run.
type StartRequest struct {
	Workflow    string `json:"workflow"`
	Input       any    `json:"input"`
	BusinessKey string `json:"business_key,omitempty"`
}

// Start starts a run.
func (c *Client) Start(ctx context.Context, request StartRequest) (*Run, error) {
	run := new(Run)
	return run, c.Do(ctx, http.MethodPost, "/runs", request, run)
}

// Run gives a run as it stands.
func (c *Client) Run(ctx context.Context, id string) (*Run, error) {
	run := new(Run)
	return run, c.Do(ctx, http.MethodGet, "/runs/"+url.PathEscape(id), nil, run)
}

// Wait looks at a run, less and less often, until it has ended or the context has.
func (c *Client) Wait(ctx context.Context, id string) (*Run, error) {
	for pause := 50 * time.Millisecond; ; pause = min(pause*3/2, 2*time.Second) {
		run, err := c.Run(ctx, id)
		if err != nil || run.HasEnded() {
			return run, err
		}
		if err := sleep(ctx, jittered(pause)); err != nil {
			return run, err
		}
	}
}

// Signal sends a signal to a run; one with the same id counts once. Without an id it has one of its own.
func (c *Client) Signal(ctx context.Context, run, name, id string, payload any) error {
	_, err := c.SignalTo(ctx, run, name, id, payload, SignalTarget{})
	return err
}

// SignalTarget restricts a signal to the waits of a run below (Child) and of an item (Index), or sends it to all of them.
type SignalTarget struct {
	Child string
	Index *int
	All   bool
}

// SignalResult is what became of a signal: the steps that took it, or to which it is carried, or that it is kept.
type SignalResult struct {
	Duplicate bool `json:"duplicate"`
	Kept      bool `json:"kept"`
	Delivered []struct {
		Run   string `json:"run"`
		Node  string `json:"node"`
		Index *int   `json:"index"`
	} `json:"delivered"`
}

// SignalTo sends a signal as Signal does. Of several waits in the run and the runs below it the oldest takes it, of those
// that target allows.
func (c *Client) SignalTo(ctx context.Context, run, name, id string, payload any, target SignalTarget) (*SignalResult, error) {
	if id == "" {
		id = newKey()
	}
	body := map[string]any{"name": name, "signal_id": id, "payload": payload}
	if target.Child != "" {
		body["child"] = target.Child
	}
	if target.Index != nil {
		body["index"] = *target.Index
	}
	if target.All {
		body["all"] = true
	}
	sent := new(SignalResult)
	return sent, c.Do(ctx, http.MethodPost, "/runs/"+url.PathEscape(run)+"/signals", body, sent)
}

// ActOptions are the options of Act. Index says which item of a map, or round of a loop; without it the verb is done to
// the step, or to the run that it waits for. Output is what a skipped one counts as giving.
type ActOptions struct {
	Index  *int
	Output any
	Reason string
}

// Act does a verb to a step of a run: retry, skip, cancel, pause, unpause or resume. It gives the run as it stands then.
func (c *Client) Act(ctx context.Context, run, node, verb string, options ActOptions) (*Run, error) {
	body := map[string]any{}
	if options.Index != nil {
		body["index"] = *options.Index
	}
	if verb == "skip" {
		body["output"] = options.Output
	}
	if options.Reason != "" {
		body["reason"] = options.Reason
	}
	changed := new(Run)
	path := "/runs/" + url.PathEscape(run) + "/steps/" + url.PathEscape(node) + "/" + url.PathEscape(verb)
	return changed, c.Do(ctx, http.MethodPost, path, body, changed)
}

// Cancel cancels a run; what runs in it is awaited.
func (c *Client) Cancel(ctx context.Context, id, reason string) error {
	body := map[string]any{}
	if reason != "" {
		body["reason"] = reason
	}
	return c.Do(ctx, http.MethodPost, "/runs/"+url.PathEscape(id)+"/cancel", body, nil)
}

// Do makes any call of the API: the path is below the client's address, body and answer are JSON. Reading is tried again
// where that may help, and so is a POST, by an idempotency key of its own. Errors are *APIError or wrap ErrNoResponse.
func (c *Client) Do(ctx context.Context, method, path string, body, answer any) error {
	key := ""
	if method == http.MethodPost {
		key = newKey()
	}
	return c.do(ctx, method, path, body, answer, key, tries)
}

func (c *Client) do(ctx context.Context, method, path string, body, answer any, key string, most int) error {
	var content []byte
	if body != nil {
		var err error
		if content, err = json.Marshal(body); err != nil {
			return err
		}
	}
	for try := 1; ; try++ {
		once, done := ctx, context.CancelFunc(func() {})
		// Somebody may take the call and never answer.
		if _, is := ctx.Deadline(); !is {
			once, done = context.WithTimeout(ctx, answerWithin)
		}
		err := c.once(once, method, path, content, answer, key)
		done()
		if err == nil || try >= most || ctx.Err() != nil || !mayRepeat(err, method, key) {
			return err
		}
		if sleep(ctx, pauseAfter(err, try)) != nil {
			return err
		}
	}
}

func (c *Client) once(ctx context.Context, method, path string, content []byte, answer any, key string) error {
	request, err := http.NewRequestWithContext(ctx, method, c.url+path, bytes.NewReader(content))
	if err != nil {
		return err
	}
	request.Header.Set("Authorization", "Bearer "+c.token)
	request.Header.Set("User-Agent", "handoff-sdk-go")
	if content != nil {
		request.Header.Set("Content-Type", "application/json")
	}
	if key != "" {
		request.Header.Set("Idempotency-Key", key)
	}
	response, err := c.http.Do(request)
	if err != nil {
		return fmt.Errorf("%w: %w", ErrNoResponse, err)
	}
	defer response.Body.Close()
	told, err := io.ReadAll(io.LimitReader(response.Body, mostAnswer))
	if err != nil {
		return fmt.Errorf("%w: %w", ErrNoResponse, err)
	}
	if response.StatusCode >= 300 {
		return refusal(response, told)
	}
	if answer == nil || len(told) == 0 {
		return nil
	}
	if hears, is := answer.(interface{ givenAt(time.Time) }); is {
		// Where there is none, or a strange one, it is the zero time.
		date, _ := http.ParseTime(response.Header.Get("Date"))
		hears.givenAt(date)
	}
	if err := json.Unmarshal(told, answer); err != nil {
		return fmt.Errorf("handoff: the answer is not what was asked for: %w", err)
	}
	return nil
}

func refusal(response *http.Response, told []byte) error {
	var body struct {
		Error struct {
			Code    string `json:"code"`
			Message string `json:"message"`
			Field   string `json:"field"`
		} `json:"error"`
		RequestID string `json:"request_id"`
	}
	// A proxy answers otherwise: then there is only the status.
	_ = json.Unmarshal(told, &body)
	refused := &APIError{
		Status: response.StatusCode, Code: body.Error.Code, Message: body.Error.Message,
		Field: body.Error.Field, RequestID: body.RequestID,
	}
	if refused.Code == "" {
		refused.Code, refused.Message = "no_code", response.Status
	}
	if seconds, err := strconv.ParseFloat(response.Header.Get("Retry-After"), 64); err == nil && seconds > 0 {
		refused.RetryAfter = min(time.Duration(seconds*float64(time.Second)), mostAsked)
	}
	return refused
}

// mayRepeat: what may have been done is sent again only where twice counts once.
func mayRepeat(err error, method, key string) bool {
	isSafe := method == http.MethodGet || key != ""
	if refused := (*APIError)(nil); errors.As(err, &refused) {
		return refused.isRetryable() && (isSafe || refused.Status == http.StatusTooManyRequests)
	}
	return errors.Is(err, ErrNoResponse) && isSafe
}

func pauseAfter(err error, try int) time.Duration {
	pause := time.Duration(mrand.Int64N(int64(min(firstPause<<try, longestPause))))
	if refused := (*APIError)(nil); errors.As(err, &refused) && refused.RetryAfter > 0 {
		return refused.RetryAfter + min(pause, time.Second)
	}
	return pause
}

func jittered(pause time.Duration) time.Duration {
	return pause*3/4 + time.Duration(mrand.Int64N(int64(pause/4)+1))
}

func sleep(ctx context.Context, pause time.Duration) error {
	timer := time.NewTimer(pause)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func newKey() string {
	var key [16]byte
	_, _ = rand.Read(key[:])
	return fmt.Sprintf("%x", key)
}
