"""What models are told, each text beside the reply that it asks for."""
