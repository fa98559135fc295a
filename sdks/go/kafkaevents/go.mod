module handoff/kafkaevents

go 1.24

require (
	github.com/segmentio/kafka-go v0.4.51
	handoff v0.2.0
)

require (
	github.com/klauspost/compress v1.15.9 // indirect
	github.com/pierrec/lz4/v4 v4.1.15 // indirect
)

replace handoff => ../
