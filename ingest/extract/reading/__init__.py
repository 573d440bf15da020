"""What a person states in words, read by a grammar: facts, corrections, and whether a turn holds anything to keep."""
