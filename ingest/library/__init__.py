"""Documents and passages: storing, indexing and searching them."""
