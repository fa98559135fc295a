package handoff

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"
)

// transport answers calls itself.
type transport func(*http.Request) string

func (t transport) RoundTrip(request *http.Request) (*http.Response, error) {
	if err := request.Context().Err(); err != nil {
		return nil, err
	}
	return &http.Response{StatusCode: 200, Body: io.NopCloser(strings.NewReader(t(request)))}, nil
}

func TestWhatIsHandedOutAsTheWorkerIsStoppedIsGivenBack(t *testing.T) {
	client, err := NewClient("http://handoff.example", "token")
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(context.Background())
	var asked []string
	client.http.Transport = transport(func(request *http.Request) string {
		asked = append(asked, request.URL.Path)
		if request.URL.Path != "/jobs/poll" {
			return `{"applied":true}`
		}
		stop()
		expires := time.Now().Add(time.Minute).Format(time.RFC3339Nano)
		return fmt.Sprintf(`{"jobs":[{"id":"j","node":"n","lease_token":"l","lease_expires_at":%q}]}`, expires)
	})
	worker := NewWorker(client)
	worker.Step("n", func(*Job) (any, error) { t.Error("it was begun"); return nil, nil })
	if err := worker.Run(ctx); err != nil {
		t.Fatal(err)
	}
	if got := strings.Join(asked, " "); got != "/jobs/poll /jobs/j/release" {
		t.Errorf("asked: %s", got)
	}
}
