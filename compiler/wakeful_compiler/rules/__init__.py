"""State rules: matches and marks compiled, what may set off what, and the one order in which rules run."""
