"""Embeddings by the server's own embedder."""

import numpy as np
from litestar import post
from litestar.di import NamedDependency
from litestar.params import JSONBody

from api.kit import Kit
from api.routes.openai_models import embedding_models
from api.schemas.embeddings import EmbeddingsIn, EmbeddingsOut, to_embeddings, to_texts
from doso.accounts import Caller
from doso.errors import InvalidInput, ModelNotFound

#: Texts embedded between two looks at who else waits for the processor.
BATCH = 32


@post("/v1/embeddings", status_code=200)
async def embed(
    data: JSONBody[EmbeddingsIn], kit: NamedDependency[Kit], caller: NamedDependency[Caller]
) -> EmbeddingsOut:
    """Vectors of texts, of unit length, by the model that the memory itself is searched with."""
    if data.model not in embedding_models(kit):
        raise ModelNotFound(f"This server embeds as {' or '.join(embedding_models(kit))}.", param="model")
    size = kit.embedder.info.dimensions
    if data.dimensions is not None and data.dimensions != size:
        raise InvalidInput(f"These vectors have {size} dimensions and no other number.", param="dimensions")
    texts = to_texts(data)
    batches = []
    for at in range(0, len(texts), BATCH):
        async with kit.ask.gate:
            batches.append(await kit.embedder.embed_passages(texts[at : at + BATCH]))
    return to_embeddings(texts, np.concatenate(batches), model=data.model, is_base64=data.encoding_format == "base64")
