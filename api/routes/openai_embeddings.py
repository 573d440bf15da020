"""Embeddings by the server's own embedder."""

from typing import Any

import numpy as np
from litestar import Request, post
from litestar.di import NamedDependency

from api.kit import Kit
from api.routes.openai_models import embedding_models
from api.schemas.common import decoded
from api.schemas.embeddings import EmbeddingsIn, EmbeddingsOut, to_embeddings, to_texts
from doso.errors import InvalidInput, ModelNotFound

#: Texts embedded between two looks at who else waits for the processor.
BATCH = 32


@post("/v1/embeddings", status_code=200)
async def embed(request: Request[Any, Any, Any], kit: NamedDependency[Kit]) -> EmbeddingsOut:
    """Vectors of texts, of unit length, by the model that the memory itself is searched with."""
    body = decoded(await request.body(), EmbeddingsIn)
    embedder = await kit.embedder.settle()
    if body.model not in embedding_models(kit):
        raise ModelNotFound(f"This server embeds as {' or '.join(embedding_models(kit))}.", param="model")
    size = embedder.info.dimensions
    if body.dimensions is not None and body.dimensions != size:
        raise InvalidInput(f"These vectors have {size} dimensions and no other number.", param="dimensions")
    texts = to_texts(body)
    batches = []
    for at in range(0, len(texts), BATCH):
        async with kit.ask.gate:
            batches.append(await embedder.embed_passages(texts[at : at + BATCH]))
    return to_embeddings(texts, np.concatenate(batches), model=body.model, is_base64=body.encoding_format == "base64")
