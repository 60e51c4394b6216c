// Package commit decides when the records of a write-ahead log become durable,
// and for how many callers at once.
//
//	log, err := wal.Open(dir, wal.Options{})
//	c, err := commit.New(log, commit.Options{})
//	lsn, err := c.Commit(ctx, record) // durable when err is nil
//
// Package wal knows how bytes become durable: one write, one barrier. A barrier
// takes the disk the same time for one record as for many, so what a log can
// commit in a second is the number of barriers it can pay for, times the
// records that share one. This package never touches bytes; it brings callers
// together before a flush and wakes them after it.
//
//	Commit      record -> wal.Append -> LSN     memory only, any goroutine
//	                         |
//	            filling batch                   who waits for the next flush
//	                         | cut              the log says what it covers
//	            batch in flight                 write, sync; the next one fills
//	                         |
//	            acknowledged                    one broadcast
//
// With one caller these are two plain steps: append, then flush. Concurrency
// breaks the plain version in three places, and each has its rule.
//
//   - A record may be appended while a flush is about to start. Whether it is
//     in that flush is known to the log alone, so the log tells, by the cut, in
//     the moment it decides and under its own mutex. A caller that comes after
//     with its LSN compares it with the end of what is durable and of what is
//     in flight, and joins the batch that covers it; there is no third case.
//   - A flush may fail when others already queue behind it. The log will not
//     write again, so the batch in flight and the one filling share the failure,
//     and whoever comes later is refused with it. Everybody gets one answer.
//   - Close may come while callers are between appending and joining. Each
//     holds a share of MaxPending from before it appends until its record is
//     durable, and the flusher ends only when no share is out.
//
// Invariants: acknowledged ends, in flight and filling follow each other in LSN
// order without gaps; both ends only grow; a batch is settled once, and its
// waiters read an outcome that no longer changes; the log's mutex is taken
// before the committer's, so the committer calls no log method under its own.
//
// One goroutine flushes. Letting callers take turns as leaders, as many
// databases do, saves a wake-up per flush, but the leader's own commit then
// waits for the next leader to be woken, and what ends, waits and stops has
// many owners instead of one.
//
// # Policies
//
// The policy says how long a free disk waits for company: Greedy never, Window
// for a fixed time, Adaptive for those it has reason to expect. PerWrite shares
// nothing, and is there to be compared with.
package commit
