"""Workers: the code outside the store that a command may name, called after the commit that made a call due."""
