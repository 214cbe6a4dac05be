// Tells a chat that the agent has stopped: posts {"text": …} to the webhook in CHAT_WEBHOOK_URL.
//
// Build it into a hooks folder: go build -o ~/.kodelet/hooks/chat-notifier main.go
//
// A hook in a project sees that variable only if the user allows it in ~/.kodelet/hooks.json:
//
//	{ "settings": { "env_allow": ["CHAT_WEBHOOK_URL"] } }
package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"time"
)

// An observer: a chat that is down must not hold the agent up.
const (
	identity = `{"event":"agent_stop","observe":true,"timeout":"5s"}`
	postTime = 4 * time.Second
)

type payload struct {
	Cwd      string            `json:"cwd"`
	Messages []json.RawMessage `json:"messages"`
}

// Nothing of the conversation: a chat has more readers than the terminal.
func (p payload) text() string {
	return fmt.Sprintf("The agent has stopped in %s after %d messages.", filepath.Base(p.Cwd), len(p.Messages))
}

// Who knows the URL can post: it is a secret, and the errors of net/http quote it.
var errUnreachable = errors.New("the chat cannot be reached")

func post(url, text string) error {
	body, err := json.Marshal(map[string]string{"text": text})
	if err != nil {
		return err
	}
	client := http.Client{
		Timeout:       postTime,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
	response, err := client.Post(url, "application/json", bytes.NewReader(body))
	if err != nil {
		return errUnreachable
	}
	defer response.Body.Close()
	if response.StatusCode/100 != 2 {
		return fmt.Errorf("the chat answered %d", response.StatusCode)
	}
	return nil
}

func run() error {
	var p payload
	if err := json.NewDecoder(os.Stdin).Decode(&p); err != nil {
		return err
	}
	url := os.Getenv("CHAT_WEBHOOK_URL")
	if url == "" {
		return errors.New("CHAT_WEBHOOK_URL is not set")
	}
	if os.Getenv("HOOKCTL_DRY_RUN") == "1" {
		fmt.Fprintln(os.Stderr, "chat-notifier: would post:", p.text())
		return nil
	}
	return post(url, p.text())
}

func main() {
	verb := ""
	if len(os.Args) > 1 {
		verb = os.Args[1]
	}
	switch verb {
	case "hook":
		fmt.Println(identity)
	case "run":
		if err := run(); err != nil {
			fmt.Fprintln(os.Stderr, "chat-notifier: nothing posted,", err)
		}
	default:
		fmt.Fprintln(os.Stderr, "usage: chat-notifier hook|run")
		os.Exit(64)
	}
}
