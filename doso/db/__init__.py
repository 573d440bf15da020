"""The relational database: engine, tables and migrations."""
