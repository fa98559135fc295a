"""Django's PostgreSQL backend with two habits of ours: nobody waits for ever, and threads share connections."""
