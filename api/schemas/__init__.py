"""Wire structs, one file per resource."""
