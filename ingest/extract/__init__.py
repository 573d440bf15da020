"""From passages to facts."""
