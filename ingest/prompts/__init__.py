"""What ingestion asks of models, each prompt beside the reply that it wants."""
