"""Settings: the only reader of the environment. Every variable is documented in docs/settings.md."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from doso.errors import InvalidInput


@dataclass(frozen=True, slots=True)
class EmbedSettings:
    """Which embedder to use. `provider`: auto, onnx, minilm, hashing or openai."""

    provider: str = "auto"
    model_dir: Path | None = None
    base_url: str | None = None
    api_key: str | None = None
    model: str | None = None
    dimensions: int | None = None
    model_hub: str | None = None  # where `doso models pull` looks when Maven is missing


@dataclass(frozen=True, slots=True)
class Settings:
    """What a process is started with. Runtime values (ask_*) are seeds of the stored settings."""

    home: Path
    database_url: str
    graph_url: str
    graph_user: str | None
    graph_password: str | None
    host: str
    port: int
    timezone: str
    entity_aliases: Mapping[str, str]
    ask_include_candidates: bool
    embed: EmbedSettings
    log_level: str

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
            ask_include_candidates=_boolean(env, "ASK_INCLUDE_CANDIDATES"),
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


def _boolean(env: Mapping[str, str], name: str) -> bool:
    value = env.get(name, "").strip().lower()
    if value in ("", "0", "false", "no", "off"):
        return False
    if value in ("1", "true", "yes", "on"):
        return True
    raise InvalidInput(f"{name}: {value!r} is neither true nor false.", param=name)
