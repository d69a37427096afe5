"""What a command does, with `$x` where an argument of a call will stand: checked before any call is made."""
