module handoff

go 1.23
