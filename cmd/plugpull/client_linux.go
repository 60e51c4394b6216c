package main

import (
	"encoding/gob"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"time"
)

// agentArg is the first argument of a program that is to be an agent.
const agentArg = "-agent"

// patience is how long an agent may take for one request before the kernel,
// or this program, counts as stuck.
const patience = 60 * time.Second

// client is an agent's process, seen from its supervisor.
type client struct {
	cmd *exec.Cmd
	in  io.WriteCloser
	enc *gob.Encoder
	dec *gob.Decoder
}

// startAgent starts an agent from a program and gives it its disk.
func startAgent(program, system string, disk int) (*client, error) {
	cmd := exec.Command(program, agentArg)
	cmd.Stderr = os.Stderr
	in, err := cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, fmt.Errorf("start an agent: %w", err)
	}
	c := &client{cmd: cmd, in: in, enc: gob.NewEncoder(in), dec: gob.NewDecoder(out)}
	if _, err := c.ask(&request{Attach: &attach{System: system, Disk: disk}}); err != nil {
		c.close()
		return nil, err
	}
	return c, nil
}

// ask waits for the agent's answer. An error says that there is none to be had,
// and the agent is of no more use.
func (c *client) ask(q *request) (*reply, error) {
	var r reply
	done := make(chan error, 1)
	go func() {
		err := c.enc.Encode(q)
		if err == nil {
			err = c.dec.Decode(&r)
		}
		done <- err
	}()
	timeout := time.NewTimer(patience)
	defer timeout.Stop()
	select {
	case err := <-done:
		if err != nil {
			return nil, fmt.Errorf("an agent ended: %w", err)
		}
	case <-timeout.C:
		c.cmd.Process.Kill()
		return nil, fmt.Errorf("an agent has not answered for %v", patience)
	}
	if r.Broken != "" {
		return nil, errors.New(r.Broken)
	}
	return &r, nil
}

// close ends the agent, and with it its loop device.
func (c *client) close() error {
	c.in.Close()
	return c.cmd.Wait()
}
