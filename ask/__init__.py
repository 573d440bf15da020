"""From a question to an evidence pack."""
