// The least that a program in Go does to guard a call: it gives one hook the payload, and passes on what the hook decides.
//
//	runner HOOK < payload
package main

import (
	"bytes"
	"io"
	"log"
	"os"
	"os/exec"
)

func main() {
	payload, err := io.ReadAll(os.Stdin)
	if err != nil {
		log.Fatal(err)
	}
	hook := exec.Command(os.Args[1], "run")
	hook.Stdin, hook.Stdout, hook.Stderr = bytes.NewReader(payload), os.Stdout, os.Stderr
	if hook.Run() != nil {
		os.Exit(2)
	}
}
