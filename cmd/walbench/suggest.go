package main

// closest returns the candidate a mistyped word was meant to be; "" if none
// is near. Near is at most one edit for each three letters: a letter too
// many, too few, wrong, or swapped with its neighbour.
func closest(word string, candidates []string) string {
	near, least := "", max(len(word)/3, 1)+1
	for _, c := range candidates {
		if d := edits(word, c); d < least {
			near, least = c, d
		}
	}
	return near
}

// edits is the optimal string alignment distance of two short words.
func edits(a, b string) int {
	rows := make([][]int, len(a)+1)
	for i := range rows {
		rows[i] = make([]int, len(b)+1)
		rows[i][0] = i
	}
	for j := range rows[0] {
		rows[0][j] = j
	}
	for i := 1; i <= len(a); i++ {
		for j := 1; j <= len(b); j++ {
			wrong := 1
			if a[i-1] == b[j-1] {
				wrong = 0
			}
			rows[i][j] = min(rows[i-1][j]+1, rows[i][j-1]+1, rows[i-1][j-1]+wrong)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				rows[i][j] = min(rows[i][j], rows[i-2][j-2]+1)
			}
		}
	}
	return rows[len(a)][len(b)]
}
