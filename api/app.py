"""Doso over HTTP: every route on one page, and the layers each request passes."""

from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from importlib.metadata import version
from typing import Any, cast

from litestar import Litestar
from litestar.datastructures import State
from litestar.di import Provide
from litestar.exceptions import HTTPException
from litestar.openapi import OpenAPIConfig
from litestar.openapi.spec import Components, SecurityScheme
from litestar.plugins import PluginProtocol
from litestar.plugins.core import MsgspecDIPlugin
from litestar.types import ControllerRouterHandler

from api.description import completed
from api.door.body import BodyGuard
from api.door.credential import CredentialGuard
from api.door.leaving import LeavingGuard
from api.door.limiter import EvidenceLimiter
from api.door.reply import ASGIApp
from api.door.target import TargetGuard
from api.door.trail import RequestTrail
from api.kit import Kit
from api.problems import on_doso_error, on_http_error, on_unexpected
from api.requests import provide_caller
from api.routes import (
    admin,
    ask,
    corrections,
    documents,
    entities,
    events,
    facts,
    openai_chat,
    openai_embeddings,
    openai_models,
    openai_responses,
    openapi,
)
from doso.errors import DosoError
from doso.telemetry import Metrics

OpenKit = Callable[[], AbstractAsyncContextManager[Kit]]

ROUTES: tuple[ControllerRouterHandler, ...] = (
    # As OpenAI's clients know it
    openai_chat.complete_chat,  # POST   /v1/chat/completions
    openai_responses.respond,  # POST   /v1/responses
    openai_embeddings.embed,  # POST   /v1/embeddings
    openai_models.list_models,  # GET    /v1/models
    openai_models.read_model,  # GET    /v1/models/{id}
    # Ask
    ask.find_evidence,  # POST   /v1/ask/evidence
    ask.search,  # POST   /v1/search
    ask.search_by_query,  # GET    /v1/search?q=
    # Documents
    documents.add_document,  # POST   /v1/documents
    documents.list_documents,  # GET    /v1/documents
    documents.read_document,  # GET    /v1/documents/{id}
    documents.document_passages,  # GET    /v1/documents/{id}/passages
    documents.forget_document,  # DELETE /v1/documents/{id}
    documents.reextract_document,  # POST   /v1/documents/{id}/reextract
    documents.import_archive,  # POST   /v1/documents/import
    documents.append_thread,  # POST   /v1/threads
    documents.remember,  # POST   /v1/remember
    documents.read_operation,  # GET    /v1/operations/{id}
    # Entities and facts
    entities.owner,  # GET    /v1/owner
    entities.list_entities,  # GET    /v1/entities
    entities.read_entity,  # GET    /v1/entities/{id}
    entities.entity_neighbours,  # GET    /v1/entities/{id}/neighbors
    entities.graph_neighbours,  # GET    /v1/graph/neighbours
    entities.graph_paths,  # GET    /v1/graph/paths
    facts.assert_facts,  # POST   /v1/facts
    facts.list_facts,  # GET    /v1/facts
    facts.fact_history,  # GET    /v1/facts/{id}/history
    # Corrections
    corrections.correct,  # POST   /v1/corrections
    corrections.list_changes,  # GET    /v1/changes
    corrections.undo,  # POST   /v1/changes/{id}/undo
    # What goes on
    events.follow_events,  # GET    /v1/events
    # Settings and admin
    admin.read_settings,  # GET    /v1/settings
    admin.change_settings,  # PATCH  /v1/settings
    admin.create_key,  # POST   /v1/keys
    admin.list_keys,  # GET    /v1/keys
    admin.revoke_key,  # DELETE /v1/keys/{id}
    admin.live,  # GET    /health/live
    admin.ready,  # GET    /health/ready
    admin.metrics,  # GET    /metrics
    # The description of all this
    openapi.document,  # GET    /openapi.json
    openapi.page,  # GET    /docs
)


def build_app(open_kit: OpenKit) -> ASGIApp:
    """The application: layers outermost first are trail, target, credential, body, leaving, limiter, then the
    routes."""
    metrics = Metrics()
    litestar = _litestar(open_kit, metrics)
    app: ASGIApp = EvidenceLimiter(cast(ASGIApp, litestar), metrics)
    app = LeavingGuard(app)
    app = BodyGuard(app)
    app = CredentialGuard(app, lambda: _kit(litestar.state).accounts)
    app = TargetGuard(app)
    return RequestTrail(app, metrics)


def openapi_document() -> dict[str, Any]:
    """The OpenAPI document, made without opening anything."""
    return completed(_litestar(_nothing, Metrics()).openapi_schema.to_schema())


class _PlainLitestar(Litestar):
    """Litestar with msgspec alone: its plugins for pydantic and attrs load both, a third of a second at each start."""

    @staticmethod
    def _get_default_plugins(plugins: list[PluginProtocol]) -> list[PluginProtocol]:
        return [*plugins, MsgspecDIPlugin()]


def _litestar(open_kit: OpenKit, metrics: Metrics) -> Litestar:
    @asynccontextmanager
    async def lifespan(app: Litestar) -> AsyncIterator[None]:
        async with open_kit() as kit:
            app.state.kit = kit
            metrics.connections_in_use.set_function(lambda: kit.database.in_use_count)
            yield

    return _PlainLitestar(
        route_handlers=ROUTES,
        lifespan=[lifespan],
        state=State({"metrics": metrics}),
        dependencies={
            "kit": Provide(_provide_kit, sync_to_thread=False),
            "caller": Provide(provide_caller, sync_to_thread=False),
        },
        exception_handlers={
            DosoError: on_doso_error,
            HTTPException: on_http_error,
            Exception: on_unexpected,
        },
        openapi_config=OpenAPIConfig(
            title="Doso",
            version=version("doso"),
            description="A private memory that any AI client can talk to.",
            components=Components(security_schemes={"key": SecurityScheme(type="http", scheme="bearer")}),
            security=[{"key": []}],
            render_plugins=(),
            path="/litestar-schema",
            use_handler_docstrings=True,
        ),
        request_max_body_size=None,  # api.door.body bounds it
        logging_config=None,
    )


def _nothing() -> AbstractAsyncContextManager[Kit]:
    raise NotImplementedError("a description opens nothing")


def _kit(state: State) -> Kit:
    kit: Kit = state.kit
    return kit


def _provide_kit(state: State) -> Kit:
    return _kit(state)
