"""Arguments, results, targets, the table, writes between calls."""
