//go:build !race

package wal

const rareUnderRace = 1
