// Package redisevents lets workers of package handoff learn of jobs through Redis Streams.
package redisevents

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"log/slog"
	"strings"
	"time"

	"github.com/redis/go-redis/v9"

	"handoff"
)

const (
	idle       = time.Minute // what a worker took so long ago and did not claim, another one takes
	lookAfter  = 15 * time.Second
	wait       = time.Second
	leaveAfter = 3 * time.Second
	nobody     = "nobody" // the consumer that is given what a worker took and did not claim before it ended
)

// Events takes job events from Redis Streams.
type Events struct {
	client redis.UniversalClient
	tenant string
}

// New takes a client of the Redis that Handoff publishes to; the tenant is the slug of the token's, or "" for the default one.
func New(client redis.UniversalClient, tenant string) *Events { return &Events{client, tenant} }

// Consume is that of handoff.Events. What was claimed is taken out of the stream.
func (e *Events) Consume(ctx context.Context, queue string, receiver handoff.EventReceiver) error {
	var unique [4]byte
	_, _ = rand.Read(unique[:])
	s := &stream{
		client: e.client, name: handoff.EventTopic(queue, e.tenant), group: handoff.EventGroup(queue, e.tenant),
		// Two processes may have a name in common; what one of them takes is not the other's.
		consumer: receiver.WorkerName() + "-" + hex.EncodeToString(unique[:]),
	}
	err := e.client.XGroupCreateMkStream(ctx, s.name, s.group, "0").Err()
	if err != nil && !strings.HasPrefix(err.Error(), "BUSYGROUP") {
		return err
	}
	err = s.read(ctx, receiver)
	if left := s.leave(context.WithoutCancel(ctx)); left != nil {
		slog.Warn("handoff: Redis does not know that this worker has gone", "error", left)
	}
	return err
}

type stream struct {
	client                redis.UniversalClient
	name, group, consumer string
	held                  []string
	lookAt                time.Time
}

func (s *stream) read(ctx context.Context, receiver handoff.EventReceiver) error {
	for ctx.Err() == nil {
		room := receiver.Room(ctx, wait)
		if room < 1 {
			continue
		}
		entries, err := s.take(ctx, int64(min(room, handoff.MostEvents)))
		if err != nil {
			if ctx.Err() != nil {
				return nil
			}
			return err
		}
		var ids []string
		for _, entry := range entries {
			s.held = append(s.held, entry.ID)
			if id, _ := entry.Values[handoff.JobIDHeader].(string); handoff.IsJobID(id) {
				ids = append(ids, id)
			} else {
				slog.Warn("handoff: an event has no id of a job", "stream", s.name, "entry", entry.ID)
			}
		}
		if ctx.Err() != nil {
			return nil
		}
		if len(ids) > 0 {
			if err := receiver.Claim(ctx, ids); err != nil {
				return err
			}
		}
		if err := s.acknowledge(context.WithoutCancel(ctx)); err != nil {
			return err
		}
	}
	return nil
}

// take gives events that another worker has left, or else new ones.
func (s *stream) take(ctx context.Context, most int64) ([]redis.XMessage, error) {
	if time.Now().After(s.lookAt) {
		left, _, err := s.client.XAutoClaim(ctx, &redis.XAutoClaimArgs{
			Stream: s.name, Group: s.group, Consumer: s.consumer, MinIdle: idle, Start: "0", Count: most,
		}).Result()
		if err != nil {
			return nil, err
		}
		if int64(len(left)) < most {
			s.lookAt = time.Now().Add(lookAfter)
		}
		if len(left) > 0 {
			return left, nil
		}
	}
	// Not broken off when the worker is stopped: an event that Redis has given away would be nobody's for a minute.
	streams, err := s.client.XReadGroup(context.WithoutCancel(ctx), &redis.XReadGroupArgs{
		Group: s.group, Consumer: s.consumer, Streams: []string{s.name, ">"}, Count: most, Block: wait,
	}).Result()
	if err != nil && !errors.Is(err, redis.Nil) {
		return nil, err
	}
	var entries []redis.XMessage
	for _, one := range streams {
		entries = append(entries, one.Messages...)
	}
	return entries, nil
}

func (s *stream) acknowledge(ctx context.Context) error {
	if len(s.held) == 0 {
		return nil
	}
	_, err := s.client.TxPipelined(ctx, func(pipe redis.Pipeliner) error {
		pipe.XAck(ctx, s.name, s.group, s.held...)
		pipe.XDel(ctx, s.name, s.held...)
		return nil
	})
	s.held = nil
	return err
}

// leave has others take at once what was not claimed.
func (s *stream) leave(ctx context.Context) error {
	ctx, done := context.WithTimeout(ctx, leaveAfter)
	defer done()
	if len(s.held) > 0 {
		args := []any{"xclaim", s.name, s.group, nobody, 0}
		for _, id := range s.held {
			args = append(args, id)
		}
		if err := s.client.Do(ctx, append(args, "idle", idle.Milliseconds(), "justid")...).Err(); err != nil {
			return err
		}
	}
	pending, err := s.client.XPendingExt(ctx, &redis.XPendingExtArgs{
		Stream: s.name, Group: s.group, Start: "-", End: "+", Count: 1, Consumer: s.consumer,
	}).Result()
	if err != nil || len(pending) > 0 {
		return err
	}
	// Or every worker that ever was is in the group's list.
	return s.client.XGroupDelConsumer(ctx, s.name, s.group, s.consumer).Err()
}
