"""A vocabulary: what an app declares in vocab.json, read, checked and kept as frozen values."""
