package handoff

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"
)

// server answers as a Handoff whose clock goes so much before ours: one job, whose lease it renews or loses.
func server(t *testing.T, ahead, lease time.Duration, answer func(path, body string) string) *Worker {
	t.Helper()
	var once sync.Once
	there := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		now := time.Now().Add(ahead).UTC()
		w.Header().Set("Date", now.Format(http.TimeFormat))
		expires := now.Add(lease).Format(time.RFC3339Nano)
		body, _ := io.ReadAll(r.Body)
		if r.URL.Path != "/jobs/poll" {
			fmt.Fprint(w, strings.ReplaceAll(answer(r.URL.Path, string(body)), "EXPIRES", expires))
			return
		}
		jobs := ""
		once.Do(func() {
			jobs = fmt.Sprintf(`{"id":"j","node":"n","lease_token":"l","lease_expires_at":%q}`, expires)
		})
		fmt.Fprintf(w, `{"jobs":[%s]}`, jobs)
	}))
	t.Cleanup(there.Close)
	client, err := NewClient(there.URL, "token")
	if err != nil {
		t.Fatal(err)
	}
	worker := NewWorker(client)
	worker.Drain = 10 * time.Second
	return worker
}

const renewed = `{"results":[{"id":"j","applied":true,"lease_expires_at":"EXPIRES"}]}`

// A server whose clock is wrong, or a worker whose is: the seconds between the two words of the server count.
func TestALeaseIsRenewedInTimeWhateverTheClocksShow(t *testing.T) {
	for _, ahead := range []time.Duration{-time.Hour, 0, time.Hour} {
		t.Run(ahead.String(), func(t *testing.T) {
			t.Parallel()
			beats := make(chan bool, 100)
			worker := server(t, ahead, 3*time.Second, func(path, _ string) string {
				beats <- path == "/jobs/heartbeat"
				return renewed
			})
			ctx, stop := context.WithCancel(context.Background())
			worker.Step("n", func(job *Job) (any, error) {
				defer stop()
				// Two thirds of the lease and more: the first beat renews it in time, the second again.
				for range 2 {
					select {
					case isBeat := <-beats:
						if !isBeat {
							t.Error("something else was told")
						}
					case <-job.Context().Done():
						t.Error("the lease was given up")
					case <-time.After(2 * time.Second):
						t.Error("the lease was not renewed in time")
					}
				}
				return nil, nil
			})
			if err := worker.Run(ctx); err != nil {
				t.Fatal(err)
			}
		})
	}
}

func TestALeaseThatCannotBeRenewedIsGivenUpWhenItIsOver(t *testing.T) {
	for _, ahead := range []time.Duration{-time.Hour, time.Hour} {
		t.Run(ahead.String(), func(t *testing.T) {
			t.Parallel()
			worker := server(t, ahead, 1500*time.Millisecond, func(string, string) string {
				return `{"results":[{"id":"j","applied":false,"reason":"unavailable"}]}`
			})
			ctx, stop := context.WithCancel(context.Background())
			worker.Step("n", func(job *Job) (any, error) {
				defer stop()
				began := time.Now()
				select {
				case <-job.Context().Done():
				case <-time.After(10 * time.Second):
					t.Error("it was not given up")
				}
				if held := time.Since(began); held < time.Second {
					t.Errorf("it was given up after %s", held)
				}
				return nil, ErrRelease
			})
			if err := worker.Run(ctx); err != nil {
				t.Fatal(err)
			}
		})
	}
}

func TestTheDateSaysTheSecondAlone(t *testing.T) {
	now := time.Now()
	least, ends := leaseOf(now.Add(30*time.Second), now.Truncate(time.Second))
	if least > 30*time.Second || time.Until(ends) < 29*time.Second {
		t.Errorf("at least %s, at most %s", least, time.Until(ends))
	}
	if least, ends = leaseOf(now.Add(-time.Minute), now); least != time.Second || time.Until(ends) > time.Second {
		t.Errorf("at least %s, at most %s", least, time.Until(ends))
	}
	if _, ends = leaseOf(now.Add(30*time.Second), time.Time{}); time.Until(ends) > 30*time.Second {
		t.Errorf("without a date at most %s", time.Until(ends))
	}
}
