"""Secrets as they are shown: the last characters at most, and told apart from new ones when they come back."""

from __future__ import annotations

from doso.errors import InvalidInput

MARK = "…"
SHOWN_CHARS = 4
#: A shorter secret shows nothing: four characters would be too much of it.
MIN_SHOWN_FROM = 12
MAX_SECRET_CHARS = 500


def masked(secret: str | None) -> str | None:
    """What may be shown of a secret; None where there is none."""
    if secret is None:
        return None
    return MARK + (secret[-SHOWN_CHARS:] if len(secret) >= MIN_SHOWN_FROM else "")


def is_kept(given: str, current: str | None, *, param: str) -> bool:
    """Whether this is the masked form of the secret in force, which thus stays. Raises InvalidInput for the masked form
    of another one, and for what can't be a secret in a header."""
    if given.startswith(MARK):
        if current is None or given != masked(current):
            raise InvalidInput(f"{param} is the masked form of another key; state the key itself.", param=param)
        return True
    if not 1 <= len(given) <= MAX_SECRET_CHARS or not all("!" <= char <= "~" for char in given):
        raise InvalidInput(f"{param} has 1 to {MAX_SECRET_CHARS} visible ASCII characters.", param=param)
    return False
