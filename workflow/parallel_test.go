package workflow

import (
	"errors"
	"fmt"
	"testing"
)

func TestInParallel_doesEveryPieceAndReturnsTheFirstError(t *testing.T) {
	t.Parallel()
	for _, n := range []int{0, 1, 2, 1000} {
		done := make([]int, n)
		err := inParallel(n, func(i int) error {
			done[i]++
			if i%7 == 5 {
				return fmt.Errorf("piece %d", i)
			}
			return nil
		})
		for i, times := range done {
			if times != 1 {
				t.Errorf("%d pieces: piece %d was done %d times", n, i, times)
			}
		}
		want := error(nil)
		if n > 5 {
			want = errors.New("piece 5")
		}
		if fmt.Sprint(err) != fmt.Sprint(want) {
			t.Errorf("%d pieces: got %v, want %v", n, err, want)
		}
	}
}
