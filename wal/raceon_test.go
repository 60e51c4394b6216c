//go:build race

package wal

// The race detector makes everything about ten times slower: tests that try
// every bit try one in so many then, and all of them without it.
const rareUnderRace = 16
