"""Files of runs: uploaded, used by a start, read by steps and people of the run's tree."""
