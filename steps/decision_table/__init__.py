"""decision.table: rows of conditions and results, the first or only or every matching row of which is the output."""
