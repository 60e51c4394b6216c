// Package ledger keeps the books on a log whose disk will lose its power: what
// was appended, what was acknowledged, and when, in positions of the device's
// recording. check.go holds what a recovered log shows against them.
package ledger

import (
	"encoding/binary"
	"math/rand/v2"
)

// A record names itself and is otherwise made of its name:
//
//	 0           8        12       16        20       24
//	+-----------+--------+--------+---------+--------+---------------+
//	| plugpull  | writer | serial | serial  | how    | as the seed,  |
//	|           |        |        | of its  | many   | writer and    |
//	|           |        |        | batch's | in its | serial have   |
//	|           |        |        | first   | batch  | it            |
//	+-----------+--------+--------+---------+--------+---------------+
const recordHeader = 24

// Mark is what every record begins with. The device looks for it where an
// error is to hit a record.
const Mark = "plugpull"

// MaxRecord is the size of the largest record.
const MaxRecord = 2400

// Name is what tells a record from all others of its log.
type Name struct{ Writer, Serial uint32 }

// appendRecord appends the record to b. Its length, too, is a matter of its
// name: most fit a sector, some take several.
func appendRecord(b []byte, seed uint64, e *Entry) []byte {
	dice := rand.NewPCG(seed, uint64(e.Writer)<<32|uint64(e.Serial))
	b = append(b, Mark...)
	for _, v := range [...]uint32{e.Writer, e.Serial, e.First, e.Size} {
		b = binary.LittleEndian.AppendUint32(b, v)
	}
	n := dice.Uint64() % 300
	switch dice.Uint64() % 16 {
	case 0:
		n += MaxRecord - recordHeader - 300
	case 1, 2:
		n = 0
	}
	for ; n >= 8; n -= 8 {
		b = binary.LittleEndian.AppendUint64(b, dice.Uint64())
	}
	for ; n > 0; n-- {
		b = append(b, byte(dice.Uint64()))
	}
	return b
}

// parse reads the name of a record.
func parse(rec []byte) (n Name, ok bool) {
	if len(rec) < recordHeader || string(rec[:len(Mark)]) != Mark {
		return n, false
	}
	return Name{binary.LittleEndian.Uint32(rec[8:]), binary.LittleEndian.Uint32(rec[12:])}, true
}
