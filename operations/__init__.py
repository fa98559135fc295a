"""Features that operators look at and act with; each folder is a Django app of its own."""
