// Package kafkaevents lets workers of package handoff learn of jobs through Kafka.
package kafkaevents

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"github.com/segmentio/kafka-go"

	"handoff"
)

const (
	roomWait  = time.Second
	topicWait = 2 * time.Second
	batchWait = 5 * time.Millisecond // so long is waited for further events after the first
)

// Events takes job events from Kafka.
type Events struct {
	config kafka.ReaderConfig
	tenant string
}

// New takes the Brokers of a reader and whatever else it needs to reach them, such as its Dialer; the tenant is the slug of the
// token's, or "" for the default one.
func New(config kafka.ReaderConfig, tenant string) *Events {
	config.SessionTimeout = 10 * time.Second
	config.MaxWait = time.Second
	config.StartOffset = kafka.FirstOffset
	config.WatchPartitionChanges = true
	return &Events{config, tenant}
}

// Consume is that of handoff.Events. What was taken is committed when it was claimed, not before.
func (e *Events) Consume(ctx context.Context, queue string, receiver handoff.EventReceiver) error {
	config := e.config
	config.Topic, config.GroupID = handoff.EventTopic(queue, e.tenant), handoff.EventGroup(queue, e.tenant)
	if err := awaitTopic(ctx, config); err != nil {
		if ctx.Err() != nil {
			return nil
		}
		return err
	}
	reader := kafka.NewReader(config)
	defer reader.Close()
	for ctx.Err() == nil {
		room := receiver.Room(ctx, roomWait)
		if room < 1 {
			continue
		}
		messages, err := fetch(ctx, reader, min(room, handoff.MostEvents))
		if ctx.Err() != nil {
			break
		}
		if err != nil {
			return err
		}
		if err := claim(ctx, receiver, messages); err != nil {
			return err
		}
		if err := reader.CommitMessages(context.WithoutCancel(ctx), messages...); err != nil {
			return err
		}
	}
	return nil
}

// awaitTopic waits until there is the topic, which may be made after the worker has begun: a reader that joined its group before
// may never be given its partitions.
func awaitTopic(ctx context.Context, config kafka.ReaderConfig) error {
	dialer := config.Dialer
	if dialer == nil {
		dialer = kafka.DefaultDialer
	}
	for {
		err := errors.New("handoff: there are no brokers")
		for _, broker := range config.Brokers {
			if err = lookUp(ctx, dialer, broker, config.Topic); err == nil {
				return nil
			}
		}
		if !errors.Is(err, kafka.UnknownTopicOrPartition) {
			return err
		}
		select {
		case <-time.After(topicWait):
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

func lookUp(ctx context.Context, dialer *kafka.Dialer, broker, topic string) error {
	connection, err := dialer.DialContext(ctx, "tcp", broker)
	if err != nil {
		return err
	}
	defer connection.Close()
	partitions, err := connection.ReadPartitions(topic)
	if err == nil && len(partitions) == 0 {
		return kafka.UnknownTopicOrPartition
	}
	return err
}

// fetch gives up to so many events; it waits for the first one.
func fetch(ctx context.Context, reader *kafka.Reader, most int) ([]kafka.Message, error) {
	first, err := reader.FetchMessage(ctx)
	if err != nil {
		return nil, err
	}
	messages := []kafka.Message{first}
	ctx, done := context.WithTimeout(ctx, batchWait)
	defer done()
	for len(messages) < most {
		next, err := reader.FetchMessage(ctx)
		if err != nil {
			break
		}
		messages = append(messages, next)
	}
	return messages, nil
}

func claim(ctx context.Context, receiver handoff.EventReceiver, messages []kafka.Message) error {
	var ids []string
	for _, message := range messages {
		id := ""
		for _, header := range message.Headers {
			if header.Key == handoff.JobIDHeader {
				id = string(header.Value)
			}
		}
		if handoff.IsJobID(id) {
			ids = append(ids, id)
		} else {
			slog.Warn("handoff: an event has no id of a job", "topic", message.Topic, "offset", message.Offset)
		}
	}
	if len(ids) == 0 {
		return nil
	}
	return receiver.Claim(ctx, ids)
}
