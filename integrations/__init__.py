"""Features for other programs and other protocols; each folder is a Django app of its own."""
