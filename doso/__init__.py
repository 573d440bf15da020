"""The floor and the shell of Doso: shared records and services below, composition and entry points above."""
