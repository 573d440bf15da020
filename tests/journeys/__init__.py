"""What a user does, over a real socket."""
