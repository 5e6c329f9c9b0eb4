package catalog

import (
	"fmt"
	"time"

	"sweetspot/engine/profile"
)

// Days after which a price should be looked up again. Spot prices follow the
// market; the others are list prices that change a few times a year.
const (
	staleSpotDays = 30
	staleDays     = 180
)

// Age is how old a price is, in whole days.
type Age struct {
	Days  int
	Known bool // false if the price has no date
	Stale bool // should be looked up again, or has no date
}

// AgeOf returns the age of a price at a time. A month or a year counts as its
// last day, so the age is never overstated.
func AgeOf(p profile.Price, now time.Time) Age {
	last, ok := lastDay(p.AsOf)
	if !ok {
		return Age{Stale: true}
	}
	today := time.Date(now.Year(), now.Month(), now.Day(), 0, 0, 0, 0, time.UTC)
	days := max(int(today.Sub(last).Hours()/24), 0)
	limit := staleDays
	if p.Purchase == profile.Spot {
		limit = staleSpotDays
	}
	return Age{Days: days, Known: true, Stale: days > limit}
}

// String returns the age as text: "12 days", "5 months", "9 years".
func (a Age) String() string {
	switch {
	case !a.Known:
		return "no date"
	case a.Days == 0:
		return "today"
	case a.Days == 1:
		return "1 day"
	case a.Days < 61:
		return fmt.Sprintf("%d days", a.Days)
	case a.Days < 730:
		return fmt.Sprintf("%d months", a.Days*12/365)
	default:
		return fmt.Sprintf("%d years", a.Days*100/36525)
	}
}

// Short returns the age for a narrow column: "12 d", "5 mo", "9 y".
func (a Age) Short() string {
	switch {
	case !a.Known:
		return "no date"
	case a.Days < 61:
		return fmt.Sprintf("%d d", a.Days)
	case a.Days < 730:
		return fmt.Sprintf("%d mo", a.Days*12/365)
	default:
		return fmt.Sprintf("%d y", a.Days*100/36525)
	}
}

// lastDay is the last day of a date, month or year.
func lastDay(asOf string) (time.Time, bool) {
	for _, form := range []struct {
		layout               string
		years, months, lastD int
	}{{"2006-01-02", 0, 0, 0}, {"2006-01", 0, 1, -1}, {"2006", 1, 0, -1}} {
		if day, err := time.Parse(form.layout, asOf); err == nil {
			return day.AddDate(form.years, form.months, form.lastD), true
		}
	}
	return time.Time{}, false
}

// IsDate reports whether text is a valid date of a price or a run: a day, a month or a year.
func IsDate(asOf string) bool {
	_, ok := lastDay(asOf)
	return ok
}
