module handoff

go 1.24
