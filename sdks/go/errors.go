package handoff

import (
	"errors"
	"fmt"
	"time"
)

// ErrGiveBack is what a step returns that has done nothing yet: another worker is given the job, and no attempt counts.
var ErrGiveBack = errors.New("handoff: the job is given back")

// ErrNoAnswer is wrapped by errors of calls that nobody answered.
var ErrNoAnswer = errors.New("handoff: no answer")

// APIError is an answer that refuses: Code says why, Field what of the call.
type APIError struct {
	Status     int
	Code       string
	Message    string
	Field      string
	RequestID  string
	RetryAfter time.Duration
}

func (e *APIError) Error() string {
	if e.Field != "" {
		return fmt.Sprintf("handoff: %s (%d): %s [%s]", e.Code, e.Status, e.Message, e.Field)
	}
	return fmt.Sprintf("handoff: %s (%d): %s", e.Code, e.Status, e.Message)
}

// mayGoBetter tells whether the same call may be answered otherwise in a while.
func (e *APIError) mayGoBetter() bool {
	switch e.Status {
	case 408, 425, 429, 500, 502, 503, 504:
		return true
	}
	return e.Code == "in_progress"
}

// StepError is what a step returns whose attempt failed, with a code of its own. With Retryable another attempt may go
// better; any other error of a step is retryable, too, and has the code Error.
type StepError struct {
	Code      string
	Message   string
	Retryable bool
	Details   map[string]any
}

func (e *StepError) Error() string { return e.Code + ": " + e.Message }
