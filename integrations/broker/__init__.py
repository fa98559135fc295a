"""Jobs told to consumers of a broker: a relay publishes what the steps' transactions left in the outbox."""
