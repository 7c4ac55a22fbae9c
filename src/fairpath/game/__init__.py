"""What the model answers when only some of the paths carry a person's own level."""
