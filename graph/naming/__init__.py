"""The rules by which two spellings are one name, per kind of name; graph.names and graph.binding are the way in."""
