"""The conditions of `wake.while`: read at the write, asked at a firing, and armed at the end of a transaction."""
