package handoff

import "time"

const shortestLease = time.Second

// leaseOf gives how long a lease lasts at the least, and when it is over at the latest, by the clock of a server whose answer
// has this date, not by this machine's. A date says the second alone. What is counted from time.Now is monotonic: a clock
// that is set meanwhile changes nothing.
func leaseOf(expires, date time.Time) (least time.Duration, ends time.Time) {
	now := time.Now()
	if date.IsZero() {
		date = now
	}
	left := expires.Sub(date)
	return max(left-time.Second, shortestLease), now.Add(max(left, shortestLease))
}

// dated is an answer that knows when it was given, by the server's clock; the zero time where nothing says so.
type dated struct{ date time.Time }

func (d *dated) givenAt(date time.Time) { d.date = date }

// renew notes that the lease goes on until then, as an answer of this date says; a third of it later it is renewed again.
func (j *Job) renew(expires, date time.Time) {
	j.mu.Lock()
	defer j.mu.Unlock()
	least, ends := leaseOf(expires, date)
	j.ends, j.beatAt = ends, time.Now().Add(least/3)
}

// isDue tells whether the lease is to be renewed, isOver whether it is too late for that.
func (j *Job) isDue(now time.Time) (isDue, isOver bool) {
	j.mu.Lock()
	defer j.mu.Unlock()
	return !now.Before(j.beatAt), now.After(j.ends)
}
