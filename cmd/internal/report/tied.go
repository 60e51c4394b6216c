package report

import (
	"fmt"
	"slices"
	"strings"
)

// tiedSentence names the arms on one kind of file that the repeats cannot
// tell apart; "" if there are none.
func tiedSentence(file string, arms []arm) string {
	groups := tiedGroups(file, arms)
	if len(groups) == 0 {
		return ""
	}
	names := make([]string, len(groups))
	for i, group := range groups {
		names[i] = strings.Join(group, " ~ ")
	}
	return sentence(fmt.Sprintf("Tied on a %s file (the spreads over the repeats overlap, so neither is the faster): %s.",
		file, strings.Join(names, "; ")))
}

// tiedGroups covers all ties with groups whose members are all tied with one
// another. Being tied is not transitive: an arm may stand in two groups.
func tiedGroups(file string, arms []arm) [][]string {
	var names []string
	for _, a := range arms {
		names = append(names, a.mode)
	}
	tied := func(a, b string) bool {
		r := arms[slices.Index(names, a)].row(file)
		return r != nil && slices.Contains(r.TiedWith, b)
	}
	covered := func(groups [][]string, a, b string) bool {
		return slices.ContainsFunc(groups, func(g []string) bool { return slices.Contains(g, a) && slices.Contains(g, b) })
	}
	var groups [][]string
	for i, first := range names {
		for j, second := range names[i+1:] {
			if !tied(first, second) || covered(groups, first, second) {
				continue
			}
			group := []string{first, second}
			for _, next := range names[i+1+j+1:] {
				if !slices.ContainsFunc(group, func(member string) bool { return !tied(member, next) }) {
					group = append(group, next)
				}
			}
			groups = append(groups, group)
		}
	}
	return groups
}
