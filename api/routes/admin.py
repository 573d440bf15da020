"""Settings, keys, health and metrics."""

from contextlib import suppress

import msgspec
from litestar import Response, delete, get, patch, post
from litestar.datastructures import State
from litestar.di import NamedDependency
from litestar.params import FromPath, JSONBody

from api.kit import Kit
from api.schemas.admin import KeyIn, KeyOut, KeysOut, LiveOut, ReadyOut, SettingsIn, SettingsOut, to_key, to_settings
from doso.accounts import MANAGE, Caller
from doso.errors import DosoError, Unavailable
from doso.telemetry import Metrics

MAX_OWNERS_LOOKED_AT = 20


@get("/v1/settings")
async def read_settings(kit: NamedDependency[Kit], caller: NamedDependency[Caller]) -> SettingsOut:
    """The runtime values in force; keys are masked."""
    return to_settings(await kit.runtime.read(), caller)


@patch("/v1/settings")
async def change_settings(
    data: JSONBody[SettingsIn], kit: NamedDependency[Kit], caller: NamedDependency[Caller]
) -> SettingsOut:
    """Change some; the next request on every replica works with them."""
    caller.must(MANAGE)
    if isinstance(data.embed_provider, str):
        await kit.embedder.check(data.embed_provider)  # what this server can't open is not stored
    given = {name: value for name, value in msgspec.structs.asdict(data).items() if value is not msgspec.UNSET}
    runtime = await kit.runtime.change(given)
    if "embed_provider" in given:
        kit.embedder.choose(runtime.embed_provider)
        with suppress(Unavailable):  # then the sweep does it
            await kit.intake.resume()  # the vectors of another embedder are made anew
    return to_settings(runtime, caller)


@post("/v1/keys", status_code=200)
async def create_key(data: JSONBody[KeyIn], kit: NamedDependency[Kit], caller: NamedDependency[Caller]) -> KeyOut:
    """Make a key; its text is in this answer and nowhere else."""
    caller.must(MANAGE)
    key, secret = await kit.accounts.create_key(data.user, label=data.label, permissions=frozenset(data.permissions))
    return to_key(key, secret)


@get("/v1/keys")
async def list_keys(kit: NamedDependency[Kit], caller: NamedDependency[Caller]) -> KeysOut:
    """All keys, without their text."""
    caller.must(MANAGE)
    return KeysOut([to_key(key) for key in await kit.accounts.keys()])


@delete("/v1/keys/{key_id:str}", status_code=204)
async def revoke_key(key_id: FromPath[str], kit: NamedDependency[Kit], caller: NamedDependency[Caller]) -> None:
    """Make a key useless at once, on every replica."""
    caller.must(MANAGE)
    await kit.accounts.revoke(key_id)


@get("/health/live")
async def live() -> LiveOut:
    """The process answers."""
    return LiveOut("ok")


@get("/health/ready")
async def ready(kit: NamedDependency[Kit]) -> Response[ReadyOut]:
    """Whether the stores answer; warnings tell of what still works but less well."""
    database = await _answers(kit.accounts.is_keyless())
    graph = await _answers(kit.graph.store.check())
    is_ready = database == graph == "ok"
    info = kit.embedder.known_info
    body = ReadyOut(
        status="ok" if is_ready else "unavailable",
        database=database,
        graph=graph,
        embedder="none" if info is None else info.model,
        dimensions=0 if info is None else info.dimensions,
        warnings=await _warnings(kit) if is_ready else [],
    )
    return Response(body, status_code=200 if is_ready else 503, headers={} if is_ready else {"Retry-After": "2"})


@get("/metrics", media_type="text/plain; version=0.0.4")
async def metrics(state: State, kit: NamedDependency[Kit]) -> str:
    """Counters for Prometheus."""
    counters: Metrics = state.metrics
    return (counters.render() + kit.observers.measures.render()).decode()


async def _warnings(kit: Kit) -> list[str]:
    """What this process and the vector indexes tell at present, each thing once."""
    found: dict[str, None] = dict.fromkeys(kit.notes())
    for owner in (await kit.library.unfinished_owners())[:MAX_OWNERS_LOOKED_AT]:
        status = await kit.library.index_status(owner)
        found |= dict.fromkeys(status.warnings)
    return list(found)


async def _answers(look: object) -> str:
    try:
        await look  # type: ignore[misc]
    except DosoError as error:
        return error.code
    return "ok"
