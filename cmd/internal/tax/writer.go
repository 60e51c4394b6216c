package tax

import "errors"

// writer appends records to one file and calls the barrier when it is due.
type writer struct {
	file    file
	payload *payload
	every   int   // appends per barrier; 0: never
	slots   int64 // records after which it starts over at the file's start

	written  int64
	unsynced int // appends since the last barrier, below every
}

// append writes the next record at the place of the last one's end. The append
// that fills a group returns after its barrier.
func (w *writer) append() error {
	record := w.payload.next()
	n, err := w.file.WriteAt(record, w.written%w.slots*int64(len(record)))
	if err != nil {
		return err
	}
	if n < len(record) {
		return errShortWrite
	}
	w.written++
	w.unsynced++
	if w.unsynced == w.every {
		return w.sync()
	}
	return nil
}

var errShortWrite = errors.New("short write without an error")

// sync calls the barrier if an append waits for it: the last sync of a short
// group.
func (w *writer) sync() error {
	if w.every == 0 || w.unsynced == 0 {
		return nil
	}
	w.unsynced = 0
	return w.file.barrier()
}
