"""The text of a passage that is embedded; a function of what its content hash covers, else edits would go unseen."""

from doso.records import Passage


def embed_text(passage: Passage) -> str:
    """A chat message with who said it, since questions name people; other text as it stands."""
    if passage.chat_id is not None and passage.author:
        return f"{passage.author}: {passage.text}"
    return passage.text
