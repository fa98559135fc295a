"""Features that start or wake runs from outside; each folder is a Django app of its own."""
