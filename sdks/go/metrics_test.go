package handoff

import (
	"context"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"
)

// counted is what a worker's figures say after one job of the step n, which ends so; answer is what its server says then.
func counted(t *testing.T, err error, answer func() string) *Metrics {
	t.Helper()
	worker := server(t, 0, time.Minute, func(string, string) string { return answer() })
	metrics := NewMetrics()
	worker.Watcher = metrics
	ctx, stop := context.WithCancel(context.Background())
	worker.Step("n", func(*Job) (any, error) { defer stop(); return 1, err })
	if err := worker.Run(ctx); err != nil {
		t.Fatal(err)
	}
	return metrics
}

func TestAWorkerIsCounted(t *testing.T) {
	metrics := counted(t, nil, func() string { return `{"results":[{"id":"j","applied":true}]}` })
	has(t, metrics,
		`handoff_jobs_total{node="n",result="completed"} 1`, `handoff_jobs_held{node="n"} 0`,
		`handoff_job_seconds_count{node="n"} 1`, `handoff_job_seconds_bucket{node="n",le="+Inf"} 1`,
		`handoff_polls_total{result="jobs"} 1`, `handoff_reported_jobs_bucket{verb="complete",le="1"} 1`,
		`handoff_poll_seconds_count{result="jobs"} 1`,
	)
}

func TestAResultThatHasToBeToldAgainIsCounted(t *testing.T) {
	var calls atomic.Int32
	metrics := counted(t, nil, func() string {
		if calls.Add(1) == 1 {
			return `{"results":[{"id":"j","applied":false,"reason":"unavailable"}]}`
		}
		return `{"results":[{"id":"j","applied":true}]}`
	})
	has(t, metrics, `handoff_retries_total{verb="complete"} 1`, `handoff_jobs_total{node="n",result="completed"} 1`)
}

func TestWhatBecameOfAJobIsCounted(t *testing.T) {
	for became, does := range map[string]struct {
		answer string
		err    error
	}{
		"failed":   {`{"results":[{"id":"j","applied":true}]}`, &StepError{Code: "E"}},
		"late":     {`{"results":[{"id":"j","applied":false,"reason":"stale_token"}]}`, nil},
		"released": {`{"id":"j","applied":true}`, ErrRelease},
	} {
		metrics := counted(t, does.err, func() string { return does.answer })
		has(t, metrics, `handoff_jobs_total{node="n",result="`+became+`"} 1`)
	}
}

func TestMetricsAreTextThatPrometheusReads(t *testing.T) {
	metrics := NewMetrics()
	metrics.PollFailed()
	metrics.PollSucceeded(0, 2*time.Second)
	metrics.JobStarted("a \"b\"\\\n")
	metrics.JobEnded("n", Unreported, 90*time.Second)
	metrics.ReportSent("heartbeat", 5_000)
	metrics.ReportRetried("fail")
	has(t, metrics,
		"# TYPE handoff_polls_total counter", "# TYPE handoff_jobs_held gauge", "# TYPE handoff_reported_jobs histogram",
		`handoff_polls_total{result="error"} 1`, `handoff_polls_total{result="empty"} 1`,
		`handoff_poll_seconds_bucket{result="empty",le="1"} 0`, `handoff_poll_seconds_sum{result="empty"} 2`,
		`handoff_retries_total{verb="fail"} 1`,
		`handoff_jobs_held{node="a \"b\"\\\n"} 1`, `handoff_job_seconds_bucket{node="n",le="60"} 0`,
		`handoff_job_seconds_bucket{node="n",le="300"} 1`, `handoff_job_seconds_sum{node="n"} 90`,
		`handoff_reported_jobs_bucket{verb="heartbeat",le="1000"} 0`, `handoff_reported_jobs_bucket{verb="heartbeat",le="+Inf"} 1`,
	)
}

// has tells which of these lines are not served.
func has(t *testing.T, metrics *Metrics, lines ...string) {
	t.Helper()
	answer := httptest.NewRecorder()
	metrics.ServeHTTP(answer, nil)
	for _, line := range lines {
		if !strings.Contains("\n"+answer.Body.String(), "\n"+line+"\n") {
			t.Errorf("there is no %s in\n%s", line, answer.Body.String())
		}
	}
}
