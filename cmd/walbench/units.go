package main

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"walbench.example/cmd/internal/report"
)

// maxDuration bounds every duration of the command line.
const maxDuration = time.Hour

// parseSize reads a number of bytes from 1 to limit: 200, 200B, 4K, 4KiB,
// 16MiB, 1GiB. K, M and G are powers of 1,024, in either case. KB, MB and GB
// are refused, since half of their readers take them for powers of 1,000.
func parseSize(text string, limit int64) (int64, error) {
	digits := strings.TrimRight(text, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ")
	shift := 0
	switch unit := text[len(digits):]; strings.ToLower(unit) {
	case "", "b":
	case "k", "kib":
		shift = 10
	case "m", "mib":
		shift = 20
	case "g", "gib":
		shift = 30
	case "kb", "mb", "gb":
		return 0, fmt.Errorf("%s may mean 1,000s or 1,024s: write %siB, or the number of bytes", unit, strings.ToUpper(unit[:1]))
	default:
		return 0, fmt.Errorf("unit %q is unknown: a size is a number with B, KiB, MiB, GiB or no unit", unit)
	}
	n, err := parseWhole(digits, math.MaxInt64)
	if err != nil {
		return 0, err
	}
	if n > limit>>shift {
		return 0, fmt.Errorf("at most %s is possible", report.Size(limit))
	}
	return n << shift, nil
}

// parseWhole reads a whole number from 1 to limit.
func parseWhole(text string, limit int64) (int64, error) {
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil && !errors.Is(err, strconv.ErrRange) { // out of range, n is the nearest that is in it
		return 0, fmt.Errorf("%q is no whole number", text)
	}
	if n <= 0 {
		return 0, errors.New("must be above zero")
	}
	if n > limit {
		return 0, fmt.Errorf("at most %d is possible", limit)
	}
	return n, nil
}

// parseDuration reads a time above zero with its unit.
func parseDuration(text string) (time.Duration, error) {
	d, err := time.ParseDuration(text)
	switch {
	case err != nil && isNumber(text):
		return 0, errors.New("needs a unit, such as 500us, 20ms or 2s")
	case err != nil:
		return 0, fmt.Errorf("%q is no time: write a number and us, ms or s", text)
	case d <= 0:
		return 0, errors.New("must be above zero")
	case d > maxDuration:
		return 0, fmt.Errorf("at most %v is possible", maxDuration)
	}
	return d, nil
}

func isNumber(text string) bool {
	_, err := strconv.ParseFloat(text, 64)
	return err == nil
}

// parseList reads a comma list. No element may be empty or stand twice.
func parseList[T comparable](text string, parse func(string) (T, error)) ([]T, error) {
	var list []T
	for element := range strings.SplitSeq(text, ",") {
		if element == "" {
			return nil, errors.New("an element of the list is empty")
		}
		v, err := parse(element)
		if err != nil {
			return nil, err
		}
		if slices.Contains(list, v) {
			return nil, fmt.Errorf("%s is listed twice", element)
		}
		list = append(list, v)
	}
	return list, nil
}

// parseNumbers reads a comma list of whole numbers from least to most.
func parseNumbers(text string, least, most int64) ([]int, error) {
	return parseList(text, func(element string) (int, error) {
		n, err := parseWhole(element, most)
		if err == nil && n < least {
			err = fmt.Errorf("%s is too few: at least %d", element, least)
		}
		return int(n), err
	})
}

// parseWord accepts one of the words, and suggests one that is close.
func parseWord(text string, words ...string) (string, error) {
	if slices.Contains(words, text) {
		return text, nil
	}
	if near := closest(text, words); near != "" {
		return "", fmt.Errorf("%q is unknown, did you mean %s?", text, near)
	}
	return "", fmt.Errorf("%q is unknown: choose from %s", text, strings.Join(words, ", "))
}

// parseWindow reads DELAY[,RECORDS][,SIZE]. A size is told from a number of
// records by its unit.
func parseWindow(text string) (report.Window, error) {
	delay, caps, capped := strings.Cut(text, ",")
	d, err := parseDuration(delay)
	if err != nil {
		return report.Window{}, err
	}
	w := report.Window{DelaySeconds: d.Seconds()}
	if !capped {
		return w, nil
	}
	for _, element := range strings.Split(caps, ",") {
		records := strings.Trim(element, "0123456789") == "" && element != ""
		switch {
		case records && w.Records == 0 && w.Bytes == 0:
			var n int64
			n, err = parseWhole(element, math.MaxInt32)
			w.Records = int(n)
		case !records && w.Bytes == 0:
			w.Bytes, err = parseSize(element, maxWindowBytes)
		default:
			err = fmt.Errorf("%q is one too many: a window is DELAY[,RECORDS][,SIZE]", element)
		}
		if err != nil {
			return report.Window{}, err
		}
	}
	return w, nil
}

const maxWindowBytes = 1 << 30
