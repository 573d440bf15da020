"""What comes in: importers, splitting, extraction and the library of documents and passages."""
