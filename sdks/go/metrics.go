package handoff

import (
	"fmt"
	"io"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
)

var (
	sizes   = []float64{1, 2, 5, 10, 25, 50, 100, 250, 500, 1_000}
	seconds = []float64{0.01, 0.05, 0.1, 0.5, 1, 5, 15, 60, 300, 1_800}
)

// Metrics counts what workers do, for Prometheus: give it to Worker.Watcher, and serve it (it is an http.Handler). The names
// are those of the SDK for Python.
type Metrics struct {
	mu                            sync.Mutex
	jobs, held, polls, retries    map[string]float64
	seconds, pollSeconds, reports map[string]*histogram
}

// NewMetrics gives one that has counted nothing.
func NewMetrics() *Metrics {
	return &Metrics{
		jobs: map[string]float64{}, held: map[string]float64{}, polls: map[string]float64{}, retries: map[string]float64{},
		seconds: map[string]*histogram{}, pollSeconds: map[string]*histogram{}, reports: map[string]*histogram{},
	}
}

// PollSucceeded counts it.
func (m *Metrics) PollSucceeded(jobs int, took time.Duration) {
	result := "empty"
	if jobs > 0 {
		result = "jobs"
	}
	m.add(m.polls, labels("result", result), 1)
	m.observe(m.pollSeconds, labels("result", result), seconds, took.Seconds())
}

// PollFailed counts it.
func (m *Metrics) PollFailed() { m.add(m.polls, labels("result", "error"), 1) }

// JobStarted counts it.
func (m *Metrics) JobStarted(node string) { m.add(m.held, labels("node", node), 1) }

// JobEnded counts it.
func (m *Metrics) JobEnded(node, result string, held time.Duration) {
	m.add(m.held, labels("node", node), -1)
	m.add(m.jobs, labels("node", node, "result", result), 1)
	m.observe(m.seconds, labels("node", node), seconds, held.Seconds())
}

// ReportSent counts it.
func (m *Metrics) ReportSent(verb string, jobs int) {
	m.observe(m.reports, labels("verb", verb), sizes, float64(jobs))
}

// ReportRetried counts it.
func (m *Metrics) ReportRetried(verb string) { m.add(m.retries, labels("verb", verb), 1) }

// ServeHTTP answers with all that was counted.
func (m *Metrics) ServeHTTP(answer http.ResponseWriter, _ *http.Request) {
	answer.Header().Set("Content-Type", "text/plain; version=0.0.4; charset=utf-8")
	_, _ = m.WriteTo(answer)
}

// WriteTo writes all that was counted as text, as Prometheus reads it.
func (m *Metrics) WriteTo(target io.Writer) (int64, error) {
	var text strings.Builder
	m.mu.Lock()
	values(&text, "handoff_jobs_total", "counter", "Jobs that are no longer held", m.jobs)
	histograms(&text, "handoff_job_seconds", "How long a job was held, in seconds", m.seconds)
	values(&text, "handoff_jobs_held", "gauge", "Jobs that are held now", m.held)
	values(&text, "handoff_polls_total", "counter", "Polls", m.polls)
	histograms(&text, "handoff_poll_seconds", "How long a poll took, in seconds", m.pollSeconds)
	histograms(&text, "handoff_reported_jobs", "Jobs that one call reported", m.reports)
	values(&text, "handoff_retries_total", "counter", "Calls that reported results and were retried", m.retries)
	m.mu.Unlock()
	written, err := io.WriteString(target, text.String())
	return int64(written), err
}

func (m *Metrics) add(to map[string]float64, labels string, more float64) {
	m.mu.Lock()
	defer m.mu.Unlock()
	to[labels] += more
}

func (m *Metrics) observe(in map[string]*histogram, labels string, bounds []float64, value float64) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if in[labels] == nil {
		in[labels] = &histogram{bounds: bounds, counts: make([]int, len(bounds)+1)}
	}
	in[labels].observe(value)
}

type histogram struct {
	bounds []float64
	counts []int // the last one is of what is above all bounds
	sum    float64
}

func (h *histogram) observe(value float64) {
	place, _ := slices.BinarySearch(h.bounds, value)
	h.counts[place]++
	h.sum += value
}

func values(text *strings.Builder, name, kind, help string, by map[string]float64) {
	fmt.Fprintf(text, "# HELP %s %s\n# TYPE %s %s\n", name, help, name, kind)
	for _, labels := range slices.Sorted(maps.Keys(by)) {
		fmt.Fprintf(text, "%s{%s} %s\n", name, labels, number(by[labels]))
	}
}

func histograms(text *strings.Builder, name, help string, by map[string]*histogram) {
	fmt.Fprintf(text, "# HELP %s %s\n# TYPE %s histogram\n", name, help, name)
	for _, labels := range slices.Sorted(maps.Keys(by)) {
		count := 0
		for place, more := range by[labels].counts {
			bound := "+Inf"
			if place < len(by[labels].bounds) {
				bound = number(by[labels].bounds[place])
			}
			count += more
			fmt.Fprintf(text, "%s_bucket{%s,le=\"%s\"} %d\n", name, labels, bound, count)
		}
		fmt.Fprintf(text, "%s_sum{%s} %s\n%s_count{%s} %d\n", name, labels, number(by[labels].sum), name, labels, count)
	}
}

func labels(pairs ...string) string {
	var text []string
	for place := 0; place < len(pairs); place += 2 {
		value := strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`).Replace(pairs[place+1])
		text = append(text, fmt.Sprintf(`%s="%s"`, pairs[place], value))
	}
	return strings.Join(text, ",")
}

func number(value float64) string { return strconv.FormatFloat(value, 'g', -1, 64) }
