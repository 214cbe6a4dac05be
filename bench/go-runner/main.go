// A hook runner as a Go program that follows the decision record of kodelet's hooks would be written: it lists the
// executables of a folder, asks each for its event, and gives those of the event the payload, one after another.
//
//	runner ask|known EVENT FOLDER < payload
//
// With "known" the events of the hooks are taken as known, as in a program that stays alive.
package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"log"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

const limit = 30 * time.Second

type answer struct {
	Blocked bool   `json:"blocked"`
	Reason  string `json:"reason,omitempty"`
}

func main() {
	log.SetFlags(0)
	if len(os.Args) != 4 {
		log.Fatal("usage: runner ask|known EVENT FOLDER")
	}
	asks, event, folder := os.Args[1] == "ask", os.Args[2], os.Args[3]
	hooks, err := executables(folder)
	if err != nil {
		log.Fatal(err)
	}
	payload, err := readPayload(os.Stdin)
	if err != nil {
		log.Fatal(err)
	}
	result := answer{}
	for _, hook := range hooks {
		if asks && declaredEvent(hook) != event {
			continue
		}
		if result, err = invoke(hook, payload); err != nil {
			log.Print(err)
		}
		if result.Blocked {
			break
		}
	}
	if err := json.NewEncoder(os.Stdout).Encode(result); err != nil {
		log.Fatal(err)
	}
}

func executables(folder string) ([]string, error) {
	entries, err := os.ReadDir(folder)
	if err != nil {
		return nil, err
	}
	var paths []string
	for _, entry := range entries {
		info, err := entry.Info()
		if err == nil && info.Mode().IsRegular() && info.Mode().Perm()&0o111 != 0 {
			paths = append(paths, filepath.Join(folder, entry.Name()))
		}
	}
	return paths, nil
}

// readPayload refuses what is no object, and writes it anew for the hooks.
func readPayload(from io.Reader) ([]byte, error) {
	var fields map[string]json.RawMessage
	if err := json.NewDecoder(from).Decode(&fields); err != nil {
		return nil, err
	}
	return json.Marshal(fields)
}

func declaredEvent(hook string) string {
	ctx, cancel := context.WithTimeout(context.Background(), limit)
	defer cancel()
	printed, err := exec.CommandContext(ctx, hook, "hook").Output()
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(printed))
}

func invoke(hook string, payload []byte) (answer, error) {
	ctx, cancel := context.WithTimeout(context.Background(), limit)
	defer cancel()
	command := exec.CommandContext(ctx, hook, "run")
	command.Stdin = bytes.NewReader(payload)
	printed, err := command.Output()
	if err != nil {
		return answer{}, err
	}
	var result answer
	if err := json.Unmarshal(printed, &result); err != nil {
		return answer{}, errors.New(hook + " printed no JSON")
	}
	return result, nil
}
