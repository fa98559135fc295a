"""Limits of decision tables."""

TABLE_ROWS = 500
"""Rows of a table: each run of the step reads all of them."""
TABLE_COLUMNS = 30
"""Columns of a table, conditions and results together."""
TABLE_TESTS = 100
"""Test cases of a table: each validation runs all of them."""
CELL_CHARACTERS = 1_000
"""A cell of a condition, as it is written."""
NUMBER_CHARACTERS = 60
"""A number in a cell."""
PARSED_CELLS = 20_000
"""Cells that a process keeps parsed: more than the largest table has."""
TITLE_CHARACTERS = 200
"""The title of a column."""
NAME_CHARACTERS = 100
"""The name of a result."""
ANALYSIS_UNITS = 200_000
"""Comparisons of one search for gaps and overlaps, about 0.1 s: the general problem takes exponential time."""
REPORTED_GAPS = 5
"""Gaps that a validation names; the others appear once these are closed."""
REPORTED_OVERLAPS = 10
"""Pairs of overlapping rows that a validation names."""
BECAUSE_CHARACTERS = 1_000
"""The explanation of one row; a longer one is cut."""
IMPORT_CHARACTERS = 1024 * 1024
"""A CSV or DMN document that is imported."""
XML_ELEMENTS = 50_000
"""Elements of an imported DMN document: four for each cell of the largest table."""
XML_LEVELS = 32
"""Nested elements of an imported DMN document: a decision table needs seven."""
RESULT_NUMBER = 2**63
"""Whole numbers from here on are no JSON that the database keeps."""
