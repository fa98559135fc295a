// Plays a case of the conformance suite with the SDK, and prints what came of it as JSON: conformance CASE WORKFLOW KEY.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/redis/go-redis/v9"
	"github.com/segmentio/kafka-go"

	"handoff"
	"handoff/kafkaevents"
	"handoff/redisevents"
)

type action struct {
	Progress       any            `json:"progress"`
	Log            []string       `json:"log"`
	Variables      map[string]any `json:"variables"`
	Seconds        float64        `json:"seconds"`
	UntilCancelled bool           `json:"until_cancelled"`
	Complete       any            `json:"complete"`
	Echo           bool           `json:"echo"`
	Fail           *struct {
		Code      string         `json:"code"`
		Message   string         `json:"message"`
		Retryable bool           `json:"retryable"`
		Details   map[string]any `json:"details"`
	} `json:"fail"`
	Raise   string `json:"raise"`
	Release bool   `json:"release"`
}

type scene struct {
	Input  json.RawMessage     `json:"input"`
	Queues map[string]string   `json:"queues"`
	Jobs   map[string][]action `json:"jobs"`
	Client []string            `json:"client"`
	Signal json.RawMessage     `json:"payload"`
}

type outcome map[string]any

func main() {
	if err := play(os.Args[1], os.Args[2], os.Args[3]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func play(path, workflow, key string) error {
	var one scene
	text, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	if err := json.Unmarshal(text, &one); err != nil {
		return err
	}
	client, err := handoff.NewClient("", "")
	if err != nil {
		return err
	}
	ctx, done := context.WithTimeout(context.Background(), time.Minute)
	defer done()
	begun, cancelled := make(chan bool, 100), make(chan bool, 100)
	worker := handoff.NewWorker(client)
	if worker.Events, err = brokerEvents(); err != nil {
		return err
	}
	if address := os.Getenv("HANDOFF_GRPC"); address != "" {
		worker.GRPC = "http://" + address
	}
	for node, actions := range one.Jobs {
		calls := 0
		step := func(job *handoff.Job) (any, error) {
			calls++
			begun <- true
			return act(job, actions[min(calls, len(actions))-1], cancelled)
		}
		if queue, is := one.Queues[node]; is {
			worker.StepOn(node, queue, step)
		} else {
			worker.Step(node, step)
		}
	}
	working, stop := context.WithCancel(ctx)
	ended := make(chan error, 1)
	if len(one.Jobs) > 0 {
		go func() { ended <- worker.Run(working) }()
	} else {
		ended <- nil
	}
	told, err := ask(ctx, client, one, workflow, key, begun)
	if err != nil {
		stop()
		return err
	}
	if told["status"] == "CANCELLED" {
		told["worker_saw_it"] = <-cancelled
	}
	stop()
	if err := <-ended; err != nil {
		return err
	}
	return json.NewEncoder(os.Stdout).Encode(told)
}

// brokerEvents is the broker that EVENTS names, if any.
func brokerEvents() (handoff.Events, error) {
	address, tenant := os.Getenv("EVENTS"), os.Getenv("TENANT")
	if brokers, is := strings.CutPrefix(address, "kafka://"); is {
		return kafkaevents.New(kafka.ReaderConfig{Brokers: []string{brokers}}, tenant), nil
	}
	if address == "" {
		return nil, nil
	}
	options, err := redis.ParseURL(address)
	if err != nil {
		return nil, err
	}
	return redisevents.New(redis.NewClient(options), tenant), nil
}

// act does what the case says for this call of the step.
func act(job *handoff.Job, what action, cancelled chan<- bool) (any, error) {
	for _, text := range what.Log {
		job.Log("%s", text)
	}
	for name, value := range what.Variables {
		job.SetVariable(name, value)
	}
	if what.Progress != nil {
		if err := job.Heartbeat(what.Progress); err != nil {
			return nil, err
		}
		time.Sleep(time.Second)
	}
	time.Sleep(time.Duration(what.Seconds * float64(time.Second)))
	if what.UntilCancelled {
		<-job.Context().Done()
		cancelled <- true
		return nil, errors.New("nobody wants it")
	}
	switch {
	case what.Release:
		return nil, handoff.ErrRelease
	case what.Fail != nil:
		return nil, &handoff.StepError{
			Code: what.Fail.Code, Message: what.Fail.Message, Retryable: what.Fail.Retryable, Details: what.Fail.Details,
		}
	case what.Raise != "":
		return nil, errors.New(what.Raise)
	case what.Echo:
		return map[string]any{
			"input": job.Input, "attempt": job.Attempt, "retries_remaining": job.RetriesRemaining, "progress": job.Progress,
			"has_key": job.IdempotencyKey != "",
		}, nil
	}
	return what.Complete, nil
}

// ask does what the case says for whoever starts the run.
func ask(
	ctx context.Context, client *handoff.Client, one scene, workflow, key string, begun <-chan bool,
) (outcome, error) {
	told := outcome{}
	start := handoff.StartRequest{Workflow: workflow, Input: one.Input, BusinessKey: key}
	var run *handoff.Run
	for _, verb := range one.Client {
		var err error
		verb, argument, _ := strings.Cut(verb, ":")
		switch verb {
		case "start":
			run, err = client.Start(ctx, start)
		case "start_again":
			var again *handoff.Run
			if again, err = client.Start(ctx, start); err == nil {
				told["same_run"] = again.ID == run.ID
			}
		case "begun":
			<-begun
		case "signal":
			err = client.Signal(ctx, run.ID, argument, "once", one.Signal)
		case "cancel":
			err = client.Cancel(ctx, run.ID, argument)
		case "wait":
			if run, err = client.Wait(ctx, run.ID); err == nil {
				told["status"], told["output"], told["error"] = run.Status, run.Output, nil
				if run.Error != nil {
					told["error"] = run.Error.Code
				}
			}
		case "start_unknown":
			start := handoff.StartRequest{Workflow: "there-is-none", Input: map[string]any{}}
			_, err = client.Start(ctx, start)
			if refused := (*handoff.APIError)(nil); errors.As(err, &refused) {
				told["refused"], err = []any{refused.Status, refused.Code}, nil
			}
		case "strange_token":
			stranger, _ := handoff.NewClient("", "hf_none")
			_, err = stranger.Run(ctx, run.ID)
			if refused := (*handoff.APIError)(nil); errors.As(err, &refused) {
				told["stranger"], err = refused.Status, nil
			}
		}
		if err != nil {
			return nil, fmt.Errorf("%s: %w", verb, err)
		}
	}
	return told, nil
}
