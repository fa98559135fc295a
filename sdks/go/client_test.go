package handoff

import (
	"context"
	"io"
	"net/http"
	"testing"
)

func TestASignalAndAVerbNameAnItem(t *testing.T) {
	client, err := NewClient("http://handoff.example", "token")
	if err != nil {
		t.Fatal(err)
	}
	var asked string
	client.http.Transport = transport(func(request *http.Request) string {
		body, _ := io.ReadAll(request.Body)
		asked = request.URL.EscapedPath() + " " + string(body)
		return `{"id":"r","kept":false,"delivered":[{"run":"c","node":"ask","index":2}]}`
	})
	ctx, index := context.Background(), 2
	sent, err := client.SignalTo(ctx, "r", "paid", "s", 1, SignalTarget{Child: "c", Index: &index, All: true})
	if err != nil || len(sent.Delivered) != 1 || *sent.Delivered[0].Index != 2 {
		t.Errorf("got %v, %v", sent, err)
	}
	if want := `/runs/r/signals {"all":true,"child":"c","index":2,"name":"paid","payload":1,"signal_id":"s"}`; asked != want {
		t.Errorf("asked: %s", asked)
	}
	if _, err := client.Act(ctx, "r", "a:b", "skip", ActOptions{Index: &index, Reason: "late"}); err != nil {
		t.Error(err)
	}
	if want := `/runs/r/steps/a:b/skip {"index":2,"output":null,"reason":"late"}`; asked != want {
		t.Errorf("asked: %s", asked)
	}
	if _, err := client.Act(ctx, "r", "a", "retry", ActOptions{}); err != nil || asked != `/runs/r/steps/a/retry {}` {
		t.Errorf("asked: %s, %v", asked, err)
	}
}
