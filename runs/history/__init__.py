"""What history says of runs, and whether it is what the rows say."""
