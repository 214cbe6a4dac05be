// Tells a chat channel when the agent has finished: posts one line to the webhook in CHAT_WEBHOOK_URL.
//
//	go build -o ~/.kodelet/hooks/chat-notifier ./hooks-examples/chat-notifier-go
//
// In a project's folder it sees that variable only if the user allows it, in ~/.kodelet/hooks.json:
//
//	{ "settings": { "env_allow": ["CHAT_WEBHOOK_URL"] } }
package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"time"
)

// An observer: whatever happens to the message, the agent's work goes on.
const identity = `{"event":"agent_stop","observe":true,"timeout":"5s"}`

type payload struct {
	Session string `json:"conv_id"`
	Cwd     string `json:"cwd"`
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
		run()
	default:
		fmt.Fprintln(os.Stderr, "usage: chat-notifier hook|run")
		os.Exit(64)
	}
}

func run() {
	var event payload
	if err := json.NewDecoder(os.Stdin).Decode(&event); err != nil {
		complain("the payload is not JSON")
		return
	}
	url := os.Getenv("CHAT_WEBHOOK_URL")
	if url == "" {
		complain("CHAT_WEBHOOK_URL is not set (a project's hook needs the user's env_allow)")
		return
	}
	if os.Getenv("HOOKCTL_DRY_RUN") == "1" {
		complain("dry run: nothing was posted")
		return
	}
	post(url, event)
}

// The address of a webhook is a secret: no message may quote it, and Go's own errors do.
func post(url string, event payload) {
	session := event.Session
	if session == "" {
		session = "unnamed"
	}
	text := fmt.Sprintf("The agent has finished in %s (session %s).", event.Cwd, session)
	body, _ := json.Marshal(map[string]string{"text": text})
	client := http.Client{Timeout: 4 * time.Second}
	response, err := client.Post(url, "application/json", bytes.NewReader(body))
	if err != nil {
		complain("the channel could not be reached")
		return
	}
	defer response.Body.Close()
	if response.StatusCode >= 300 {
		complain(fmt.Sprintf("the channel answered %d", response.StatusCode))
	}
}

func complain(text string) {
	fmt.Fprintln(os.Stderr, "chat-notifier:", text)
}
