"""The models that this server answers as."""

import msgspec
from litestar import get
from litestar.di import NamedDependency
from litestar.params import FromPath

from api.kit import Kit
from api.schemas.chat_ask import MODELS
from doso.errors import ModelNotFound

#: The server's own embedder, besides its real name.
EMBEDDING_MODEL = "doso-embed"
#: When these models came about, 2026-01-01; the field is required and means nothing here.
_CREATED = 1_767_225_600


class ModelOut(msgspec.Struct, frozen=True):
    """A model to name in a request."""

    id: str
    object: str = "model"
    created: int = _CREATED
    owned_by: str = "doso"


class ModelsOut(msgspec.Struct, frozen=True):
    """All of them."""

    data: list[ModelOut]
    object: str = "list"


@get("/v1/models")
async def list_models(kit: NamedDependency[Kit]) -> ModelsOut:
    """The answering models, then the embedder under both of its names."""
    return ModelsOut([ModelOut(name) for name in model_names(kit)])


@get("/v1/models/{model:path}")
async def read_model(model: FromPath[str], kit: NamedDependency[Kit]) -> ModelOut:
    """One model; names of embedders may hold slashes."""
    name = model.removeprefix("/")
    if name not in model_names(kit):
        raise ModelNotFound("There is no such model.", param="model")
    return ModelOut(name)


def model_names(kit: Kit) -> tuple[str, ...]:
    """Every name that a request may have as its model."""
    return (*MODELS, *embedding_models(kit))


def embedding_models(kit: Kit) -> tuple[str, ...]:
    """The names of the embedder; none where it can't be opened."""
    info = kit.embedder.known_info
    return () if info is None else (EMBEDDING_MODEL, info.model)
