package wal

// turn is a lock that its holder keeps across I/O; a sync.Mutex here guards
// memory only. Waiting for a turn is waiting on a channel, which counts as
// being blocked in a testing/synctest bubble, where waiting for a Mutex does
// not: so a log runs in virtual time, on a disk whose calls take some, and a
// test of it replays from a seed.
type turn chan struct{}

func newTurn() turn { return make(turn, 1) }

func (t turn) Lock()   { t <- struct{}{} }
func (t turn) Unlock() { <-t }
