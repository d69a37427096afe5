"""Engines: where rows are kept.  An engine knows tables and transactions, and nothing of rules or wakes' meaning."""
