package handoff

import (
	"bytes"
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"reflect"
	"strings"
	"sync/atomic"
	"testing"
	"time"
)

func framed(content []byte) []byte {
	return append(binary.BigEndian.AppendUint32([]byte{0}, uint32(len(content))), content...)
}

func encoded(t *testing.T, kind message, row map[string]any) []byte {
	t.Helper()
	object, err := json.Marshal(row)
	if err != nil {
		t.Fatal(err)
	}
	content, err := kind.encode(object)
	if err != nil {
		t.Fatal(err)
	}
	return content
}

// grpcWorker gives a worker of a server that answers calls like this.
func grpcWorker(t *testing.T, slots int, answer func(w http.ResponseWriter, method string, request []byte)) *Worker {
	t.Helper()
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		w.Header().Set("Content-Type", "application/grpc")
		answer(w, strings.TrimPrefix(r.URL.Path, "/handoff.v1.Jobs/"), body[prefixSize:])
	}))
	server.Config.Protocols = new(http.Protocols)
	server.Config.Protocols.SetUnencryptedHTTP2(true)
	server.Start()
	t.Cleanup(server.CloseClientConnections)
	client, err := NewClient("http://127.0.0.1:1", "token")
	if err != nil {
		t.Fatal(err)
	}
	worker := NewWorker(client)
	worker.GRPC, worker.Slots = server.URL, slots
	return worker
}

func TestAStreamThatBreaksIsOpenedAgainAndNoMoreJobsAreDoneThanThereAreSlots(t *testing.T) {
	ctx, stop := context.WithTimeout(context.Background(), 20*time.Second)
	defer stop()
	var opened, held, completed atomic.Int32
	second := make(chan bool)
	worker := grpcWorker(t, 1, func(w http.ResponseWriter, method string, request []byte) {
		if method == "StreamJobs" {
			number := opened.Add(1)
			now := time.Now()
			_, _ = w.Write(framed(encoded(t, jobMessage, map[string]any{
				"id": fmt.Sprint("j", number), "node": "n", "lease_token": "l", "sent_at": now, "lease_expires_at": now.Add(time.Minute),
			})))
			_ = http.NewResponseController(w).Flush()
			if number == 1 {
				w.Header().Set(http.TrailerPrefix+"grpc-status", "14")
				return
			}
			close(second)
			<-ctx.Done()
			return
		}
		_, _ = w.Write(framed(encoded(t, jobAnswer, map[string]any{"applied": true})))
		w.Header().Set(http.TrailerPrefix+"grpc-status", "0")
		if completed.Add(1) == 2 {
			stop()
		}
	})
	worker.Step("n", func(*Job) (any, error) {
		if held.Add(1) != 1 {
			t.Error("two jobs are done at once")
		}
		<-second
		time.Sleep(100 * time.Millisecond)
		held.Add(-1)
		return 1, nil
	})
	if err := worker.Run(ctx); err != nil || completed.Load() != 2 {
		t.Errorf("%d jobs were completed, %v", completed.Load(), err)
	}
}

func TestAJobThatIsCancelledWhileItWaitsForASlotIsGivenBack(t *testing.T) {
	ctx, stop := context.WithTimeout(context.Background(), 20*time.Second)
	defer stop()
	var reports, heartbeats, done atomic.Int32
	worker := grpcWorker(t, 1, func(w http.ResponseWriter, method string, request []byte) {
		if method == "StreamJobs" {
			for _, id := range []string{"j1", "j2"} {
				now := time.Now()
				_, _ = w.Write(framed(encoded(t, jobMessage, map[string]any{
					"id": id, "node": "n", "lease_token": "l", "sent_at": now, "lease_expires_at": now.Add(time.Second),
				})))
			}
			_ = http.NewResponseController(w).Flush()
			<-ctx.Done()
			return
		}
		// Each job is cancelled: the one that is being done goes on to its end, the other one is not begun.
		_, _ = w.Write(framed(encoded(t, jobAnswer, map[string]any{"applied": true, "cancel_requested": true})))
		w.Header().Set(http.TrailerPrefix+"grpc-status", "0")
		switch method {
		case "HeartbeatJob":
			heartbeats.Add(1)
		case "ReleaseJob", "CompleteJob":
			if reports.Add(1) == 2 {
				stop()
			}
		}
	})
	worker.Step("n", func(*Job) (any, error) {
		done.Add(1)
		for heartbeats.Load() < 2 {
			time.Sleep(20 * time.Millisecond)
		}
		time.Sleep(100 * time.Millisecond)
		return 1, nil
	})
	if err := worker.Run(ctx); err != nil || done.Load() != 1 || reports.Load() != 2 {
		t.Errorf("%d jobs were done, %d reported, %v", done.Load(), reports.Load(), err)
	}
}

func TestARefusalEndsTheWorker(t *testing.T) {
	worker := grpcWorker(t, 1, func(w http.ResponseWriter, _ string, _ []byte) {
		w.Header().Set("grpc-status", "7")
		w.Header().Set("grpc-message", "No%2E")
		w.Header().Set("handoff-code", "not_allowed")
		w.Header().Set("handoff-error-bin", "eyJmaWVsZCI6InF1ZXVlc1swXSJ9")
	})
	worker.Step("n", func(*Job) (any, error) { return 1, nil })
	refused := (*APIError)(nil)
	if err := worker.Run(context.Background()); !errors.As(err, &refused) {
		t.Fatal(err)
	}
	if want := (APIError{Status: 403, Code: "not_allowed", Message: "No.", Field: "queues[0]"}); *refused != want {
		t.Errorf("got %+v", *refused)
	}
}

func TestMessagesAreReadAsTheyWereWritten(t *testing.T) {
	at := time.Date(2026, 1, 2, 3, 4, 5, 678_000_000, time.UTC)
	content := encoded(t, verbs["complete"], map[string]any{
		"id": "j", "output": json.RawMessage(`{"big":12345678901234567890}`), "log": []line{{"ä", "info", at, 3}},
	})
	row, err := verbs["complete"].decode(content)
	lines := []any{map[string]any{"text": "ä", "level": "info", "at": at, "seq": int64(3)}}
	want := map[string]any{"id": "j", "output": json.RawMessage(`{"big":12345678901234567890}`), "log": lines}
	if err != nil || !reflect.DeepEqual(row, want) {
		t.Errorf("got %v, %v", row, err)
	}
	newer := append(encoded(t, jobAnswer, map[string]any{"applied": true}), 0xf8, 0x06, 0x96, 0x01, 0xf2, 0x06, 0x01, 0x41)
	if row, err = jobAnswer.decode(newer); err != nil || !reflect.DeepEqual(row, map[string]any{"applied": true}) {
		t.Errorf("got %v, %v", row, err)
	}
	if _, err = jobAnswer.decode(bytes.Clone([]byte{0x12, 0x05, 0x41})); err == nil {
		t.Error("a message that is cut short was read")
	}
}
