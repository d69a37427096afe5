"""Calls: requests to run a command, as rows; who asks for them, and how they are run and recorded."""
