package handoff

import (
	"errors"
	"fmt"
	"time"
)

// ErrRelease is what a step returns that has done nothing yet: another worker gets the job, and no attempt is counted.
var ErrRelease = errors.New("handoff: the job is released")

// ErrNoResponse is wrapped by the errors of calls that got no response.
var ErrNoResponse = errors.New("handoff: no response")

// APIError is an error response: Code and Field name the cause.
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

// isRetryable tells whether a retry of the call may succeed.
func (e *APIError) isRetryable() bool {
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
