package handoff

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"sync"
	"time"
)

const (
	connectWithin = 10 * time.Second
	pingAfter     = 20 * time.Second // the server refuses clients that ping more than every 10 s
	pingWithin    = 10 * time.Second
	prefixSize    = 5 // a byte that says whether the message is compressed, and its length
)

// The statuses of HTTP that docs/grpc.md has for those of gRPC.
var statusOf = map[int]int{3: 400, 5: 404, 7: 403, 8: 429, 9: 409, 10: 412, 12: 501, 13: 500, 14: 503, 16: 401}

// grpcJobs is the service handoff.v1.Jobs.
type grpcJobs struct {
	url, token string
	http       *http.Client
}

// newGRPCJobs takes an address such as http://127.0.0.1:9090; https:// is TLS.
func newGRPCJobs(address, token string) (*grpcJobs, error) {
	at, err := url.Parse(address)
	if err != nil || at.Scheme != "http" && at.Scheme != "https" || at.Host == "" {
		return nil, fmt.Errorf("handoff: GRPC must begin with http:// or https://, not %s", address)
	}
	protocols := new(http.Protocols)
	protocols.SetHTTP2(at.Scheme == "https")
	protocols.SetUnencryptedHTTP2(at.Scheme == "http")
	transport := &http.Transport{
		Protocols:           protocols,
		DialContext:         (&net.Dialer{Timeout: connectWithin}).DialContext,
		TLSHandshakeTimeout: connectWithin,
		// Nothing says that a host is gone: a ping without an answer does.
		HTTP2: &http.HTTP2Config{SendPingTimeout: pingAfter, PingTimeout: pingWithin},
	}
	return &grpcJobs{strings.TrimRight(address, "/"), token, &http.Client{Transport: transport}}, nil
}

func (g *grpcJobs) close() { g.http.CloseIdleConnections() }

// stream gives the worker jobs as they come, until the context is done. It returns an *APIError that no other try would change.
func (g *grpcJobs) stream(ctx, working context.Context, w *Worker) error {
	for failures := 0; ctx.Err() == nil; {
		began := time.Now()
		body, queues := w.about(), w.someQueues()
		weights := []map[string]any{}
		for _, queue := range queues {
			weights = append(weights, map[string]any{"key": queue, "value": 1})
		}
		body["queues"], body["weights"], body["max_jobs"] = queues, weights, min(w.Slots, mostStreamed)
		err := g.call(ctx, "StreamJobs", streamJobs, body, func(content []byte) error {
			failures = 0
			w.Watcher.PollSucceeded(1, time.Since(began))
			job := new(Job)
			sentAt, err := jobMessage.read(content, job)
			if err == nil {
				w.begin(working, job, sentAt)
			}
			return err
		})
		if ctx.Err() != nil {
			return nil
		}
		if refused := (*APIError)(nil); errors.As(err, &refused) && !refused.isRetryable() {
			return err
		}
		slog.Warn("handoff: no jobs, trying again", "error", err)
		w.Watcher.PollFailed()
		failures++
		_ = sleep(ctx, pauseAfter(err, min(failures, 5)))
	}
	return nil
}

// report is reporter's: a call for each job, all at once.
func (g *grpcJobs) report(ctx context.Context, verb string, items []map[string]any) ([]result, time.Time, error) {
	results, dates, errs := make([]result, len(items)), make([]time.Time, len(items)), make([]error, len(items))
	var calls sync.WaitGroup
	for place, item := range items {
		calls.Add(1)
		go func() {
			defer calls.Done()
			results[place], dates[place], errs[place] = g.one(ctx, verb, item)
		}()
	}
	calls.Wait()
	failures, date := 0, time.Time{}
	for place, err := range errs {
		if refused := (*APIError)(nil); errors.As(err, &refused) && !refused.isRetryable() {
			return nil, date, err
		} else if err != nil {
			failures++
			results[place] = result{ID: items[place]["id"].(string), Reason: "unavailable"}
		} else if dates[place].After(date) {
			date = dates[place]
		}
	}
	if failures == len(items) {
		return nil, date, errs[0]
	}
	return results, date, nil
}

func (g *grpcJobs) release(ctx context.Context, job *Job) (result, error) {
	told, _, err := g.one(ctx, "release", map[string]any{"id": job.ID, "lease_token": job.LeaseToken})
	return told, err
}

func (g *grpcJobs) one(ctx context.Context, verb string, item map[string]any) (told result, date time.Time, err error) {
	ctx, done := context.WithTimeout(ctx, answerWithin)
	defer done()
	method := strings.ToUpper(verb[:1]) + verb[1:] + "Job"
	err = g.call(ctx, method, verbs[verb], item, func(content []byte) (err error) {
		date, err = jobAnswer.read(content, &told)
		return err
	})
	told.ID = item["id"].(string)
	// As the answers of REST for many jobs have it.
	if refused := (*APIError)(nil); errors.As(err, &refused) && refused.Status == http.StatusNotFound {
		told.Reason, told.Message, err = refused.Code, refused.Message, nil
	}
	return told, date, err
}

// read reads a message into a value with the names of JSON, and returns its field sent_at.
func (m message) read(content []byte, value any) (sentAt time.Time, err error) {
	row, err := m.decode(content)
	if err != nil {
		return sentAt, err
	}
	sentAt, _ = row["sent_at"].(time.Time)
	object, err := json.Marshal(row)
	if err != nil {
		return sentAt, err
	}
	return sentAt, json.Unmarshal(object, value)
}

// call makes a call; each message of the answer is given to take. Its errors are *APIError, or wrap ErrNoResponse.
func (g *grpcJobs) call(ctx context.Context, method string, kind message, body map[string]any, take func([]byte) error) error {
	object, err := json.Marshal(body)
	if err != nil {
		return err
	}
	content, err := kind.encode(object)
	if err != nil {
		return err
	}
	framed := append(binary.BigEndian.AppendUint32([]byte{0}, uint32(len(content))), content...)
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, g.url+"/handoff.v1.Jobs/"+method, bytes.NewReader(framed))
	if err != nil {
		return err
	}
	request.Header = http.Header{
		"Content-Type": {"application/grpc"}, "Te": {"trailers"}, "Authorization": {"Bearer " + g.token}, "User-Agent": {"handoff-sdk-go"},
	}
	if deadline, is := ctx.Deadline(); is {
		request.Header.Set("grpc-timeout", strconv.FormatInt(max(time.Until(deadline).Milliseconds(), 1), 10)+"m")
	}
	response, err := g.http.Do(request)
	if err != nil {
		return fmt.Errorf("%w: %w", ErrNoResponse, err)
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusOK {
		return &APIError{Status: response.StatusCode, Code: "no_code", Message: response.Status}
	}
	for prefix := make([]byte, prefixSize); ; {
		if _, err := io.ReadFull(response.Body, prefix); err != nil {
			return problemOf(response, err)
		}
		size := binary.BigEndian.Uint32(prefix[1:])
		if prefix[0] != 0 || size > mostAnswer {
			return fmt.Errorf("%w: there is a message of %d bytes, or a compressed one", ErrNoResponse, size)
		}
		content := make([]byte, size)
		if _, err := io.ReadFull(response.Body, content); err != nil {
			return problemOf(response, err)
		}
		if err := take(content); err != nil {
			return fmt.Errorf("%w: %w", ErrNoResponse, err)
		}
	}
}

// problemOf is the problem with which a call has ended; nil where all is well.
func problemOf(response *http.Response, err error) error {
	head := response.Trailer
	if head.Get("grpc-status") == "" {
		// An answer without messages has its status in the header.
		head = response.Header
	}
	status, unknown := strconv.Atoi(head.Get("grpc-status"))
	text := head.Get("grpc-message")
	if plain, err := url.PathUnescape(text); err == nil {
		text = plain
	}
	switch {
	case unknown != nil:
		return fmt.Errorf("%w: %w", ErrNoResponse, err)
	case status == 0:
		return nil
	case status == 1 || status == 4:
		// Its own deadline, or the server's side of a cancellation.
		return fmt.Errorf("%w: %s", ErrNoResponse, text)
	}
	refused := &APIError{Status: statusOf[status], Code: head.Get("handoff-code"), Message: text, RequestID: head.Get("x-request-id")}
	if refused.Status == 0 {
		refused.Status = http.StatusInternalServerError
	}
	if refused.Code == "" {
		refused.Code = "no_code"
	}
	var details struct{ Field string }
	// A proxy answers otherwise: then there is only the status.
	object, _ := base64.RawStdEncoding.DecodeString(strings.TrimRight(head.Get("handoff-error-bin"), "="))
	_ = json.Unmarshal(object, &details)
	refused.Field = details.Field
	if seconds, err := strconv.ParseFloat(head.Get("retry-after"), 64); err == nil && seconds > 0 {
		refused.RetryAfter = min(time.Duration(seconds*float64(time.Second)), mostAsked)
	}
	return refused
}
