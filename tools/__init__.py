"""Scripts for people who work on Doso, none of them part of the product."""
