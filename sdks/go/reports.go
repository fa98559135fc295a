package handoff

import (
	"context"
	"net/http"
	"time"
)

// result is what Handoff answers to a report on a job.
type result struct {
	ID              string    `json:"id"`
	Applied         bool      `json:"applied"`
	Reason          string    `json:"reason"`
	Message         string    `json:"message"`
	CancelRequested bool      `json:"cancel_requested"`
	LeaseExpiresAt  time.Time `json:"lease_expires_at"`
}

// reporter is how reports on jobs reach Handoff. Its errors are *APIError, or wrap ErrNoResponse.
type reporter interface {
	// report sends them once; the date is the answer's.
	report(ctx context.Context, verb string, items []map[string]any) ([]result, time.Time, error)
	release(ctx context.Context, job *Job) (result, error)
}

// restReports are reports over REST.
type restReports struct{ client *Client }

func (r restReports) report(ctx context.Context, verb string, items []map[string]any) ([]result, time.Time, error) {
	// A new one each time: of what stood in an old one JSON leaves what the next answer doesn't name.
	var answer struct {
		dated
		Results []result `json:"results"`
	}
	err := r.client.do(ctx, http.MethodPost, "/jobs/"+verb, map[string]any{"items": items}, &answer, "", 1)
	return answer.Results, answer.date, err
}

func (r restReports) release(ctx context.Context, job *Job) (result, error) {
	var told result
	body := map[string]any{"lease_token": job.LeaseToken}
	// Saying it twice does no harm.
	err := r.client.do(ctx, http.MethodPost, "/jobs/"+job.ID+"/release", body, &told, newKey(), tries)
	return told, err
}
