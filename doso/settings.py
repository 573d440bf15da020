"""Settings: the only reader of the environment. Every variable is documented in docs/settings.md."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from doso.errors import InvalidInput


@dataclass(frozen=True, slots=True)
class EmbedSettings:
    """Which embedder to use. `provider`: auto, onnx, minilm, hashing or openai."""

    provider: str = "auto"
    model_dir: Path | None = None
    base_url: str | None = None
    api_key: str | None = field(default=None, repr=False)
    model: str | None = None
    dimensions: int | None = None
    model_hub: str | None = None  # where `doso models pull` looks when Maven is missing


@dataclass(frozen=True, slots=True)
class ModelSettings:
    """The generation models: one by address and name, or `models`, a JSON list of several (doso.llm.config)."""

    base_url: str | None = None
    api_key: str | None = field(default=None, repr=False)
    model: str | None = None
    models: str | None = field(default=None, repr=False)


@dataclass(frozen=True, slots=True)
class AskSettings:
    """How questions are answered, and which live sources may be asked. All are seeds of the stored settings."""

    include_candidates: bool = False
    has_skeptics: bool = True
    deadline_s: float = 60.0
    uses_firecrawl: bool = False
    firecrawl_api_key: str | None = field(default=None, repr=False)
    firecrawl_base_url: str = "https://api.firecrawl.dev"
    uses_x_search: bool = False
    xai_api_key: str | None = field(default=None, repr=False)
    xai_base_url: str = "https://api.x.ai/v1"
    xai_model: str = "grok-4"


@dataclass(frozen=True, slots=True)
class Settings:
    """What a process is started with. Ask, models and embedder are seeds of the stored settings (doso.runtime)."""

    home: Path
    database_url: str = field(repr=False)
    graph_url: str = field(repr=False)
    graph_user: str | None
    graph_password: str | None = field(repr=False)
    host: str
    port: int
    timezone: str
    entity_aliases: Mapping[str, str]
    ask: AskSettings
    llm: ModelSettings
    embed: EmbedSettings
    log_level: str
    otlp_endpoint: str | None = None  # where traces are sent; the exporter reads its other OTEL_ variables by itself

    @classmethod
    def from_env(cls, env: Mapping[str, str] | None = None) -> Settings:
        """Read the environment (or the given mapping). Raises InvalidInput naming the variable at fault."""
        env = os.environ if env is None else env
        home = Path(env.get("DOSO_HOME") or Path.home() / ".doso").expanduser()
        model_dir = env.get("DOSO_EMBED_MODEL_DIR")
        return cls(
            home=home,
            database_url=env.get("DOSO_DATABASE_URL") or f"sqlite:///{home / 'doso.db'}",
            graph_url=env.get("DOSO_GRAPH_URL") or f"sqlite:///{home / 'graph.db'}",
            graph_user=env.get("DOSO_GRAPH_USER"),
            graph_password=env.get("DOSO_GRAPH_PASSWORD"),
            host=env.get("DOSO_HOST") or "127.0.0.1",
            port=_integer(env, "DOSO_PORT", 8765),
            timezone=env.get("DOSO_TIMEZONE") or "UTC",
            entity_aliases=_aliases(env.get("DOSO_ENTITY_ALIASES", "")),
            ask=_ask(env),
            llm=ModelSettings(
                base_url=env.get("LLM_BASE_URL") or None,
                api_key=env.get("LLM_API_KEY") or None,
                model=env.get("LLM_MODEL") or None,
                models=env.get("LLM_MODELS") or None,
            ),
            embed=EmbedSettings(
                provider=env.get("LLM_EMBED_PROVIDER") or "auto",
                model_dir=Path(model_dir).expanduser() if model_dir else None,
                base_url=env.get("LLM_EMBED_BASE_URL"),
                api_key=env.get("LLM_EMBED_API_KEY"),
                model=env.get("LLM_EMBED_MODEL"),
                dimensions=_integer(env, "LLM_EMBED_DIMENSIONS", 0) or None,
                model_hub=env.get("DOSO_MODEL_HUB"),
            ),
            log_level=(env.get("DOSO_LOG_LEVEL") or "INFO").upper(),
            otlp_endpoint=env.get("OTEL_EXPORTER_OTLP_ENDPOINT") or None,
        )


def _ask(env: Mapping[str, str]) -> AskSettings:
    seed = AskSettings()
    return AskSettings(
        include_candidates=_boolean(env, "ASK_INCLUDE_CANDIDATES"),
        has_skeptics=_boolean(env, "ASK_SKEPTICS", default=seed.has_skeptics),
        deadline_s=float(_integer(env, "ASK_DEADLINE_S", int(seed.deadline_s))),
        uses_firecrawl=_boolean(env, "TOOLS_FIRECRAWL"),
        firecrawl_api_key=env.get("FIRECRAWL_API_KEY") or None,
        firecrawl_base_url=env.get("FIRECRAWL_BASE_URL") or seed.firecrawl_base_url,
        uses_x_search=_boolean(env, "TOOLS_X_SEARCH"),
        xai_api_key=env.get("XAI_API_KEY") or None,
        xai_base_url=env.get("XAI_BASE_URL") or seed.xai_base_url,
        xai_model=env.get("XAI_MODEL") or seed.xai_model,
    )


def _aliases(value: str) -> dict[str, str]:
    """Parse "Acme Corp=Acme; Big Blue=IBM" into alias -> name."""
    pairs: dict[str, str] = {}
    for part in filter(None, (piece.strip() for piece in value.split(";"))):
        alias, equals, name = part.partition("=")
        if not equals or not alias.strip() or not name.strip():
            raise InvalidInput(f"DOSO_ENTITY_ALIASES: {part!r} is not ALIAS=NAME.", param="DOSO_ENTITY_ALIASES")
        pairs[alias.strip()] = name.strip()
    return pairs


def _integer(env: Mapping[str, str], name: str, default: int) -> int:
    value = env.get(name, "").strip()
    if not value:
        return default
    if not value.isdecimal():
        raise InvalidInput(f"{name}: {value!r} is not a whole number.", param=name)
    return int(value)


def _boolean(env: Mapping[str, str], name: str, *, default: bool = False) -> bool:
    value = env.get(name, "").strip().lower()
    if not value:
        return default
    if value in ("0", "false", "no", "off"):
        return False
    if value in ("1", "true", "yes", "on"):
        return True
    raise InvalidInput(f"{name}: {value!r} is neither true nor false.", param=name)
