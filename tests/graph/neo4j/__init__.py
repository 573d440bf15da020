"""What only the Neo4j backend can get wrong."""
