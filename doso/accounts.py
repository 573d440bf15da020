"""Users and their bearer keys: a key is kept as a hash only, belongs to a user and carries permissions."""

from __future__ import annotations

import hashlib
import hmac
import re
import secrets
from dataclasses import dataclass
from datetime import UTC, datetime

import sqlalchemy as sa
from sqlalchemy.exc import IntegrityError

from doso.clock import Clock, system_clock
from doso.db.engine import Database
from doso.errors import AuthRequired, Forbidden, InvalidInput, NotFound
from doso.ids import OwnerId, new_id
from doso.text import clean

MANAGE = "ai.manage"
PERMISSIONS = frozenset({MANAGE})
LOCAL_USER = "local"
MAX_NAME_CHARS = 120
MAX_KEYS_LISTED = 1_000
_ANY_KEY = "SELECT 1 FROM api_keys LIMIT 1"
_KEY_OF = (
    "SELECT k.secret_hash, k.revoked_ms, k.permissions, u.id, u.name FROM api_keys k JOIN users u ON u.id = k.user_id"
    " WHERE k.id = :id"
)
#: doso_<id>_<secret>, both in base 16 and base 64 without padding.
_KEY = re.compile(r"doso_([0-9a-f]{16})_([A-Za-z0-9_-]{43})")

metadata = sa.MetaData()
users = sa.Table(
    "users",
    metadata,
    sa.Column("id", sa.Text, primary_key=True),
    sa.Column("name", sa.Text, nullable=False, unique=True),
    sa.Column("created_ms", sa.BigInteger, nullable=False),
)
api_keys = sa.Table(
    "api_keys",
    metadata,
    sa.Column("id", sa.Text, primary_key=True),
    sa.Column("user_id", sa.Text, sa.ForeignKey("users.id"), nullable=False),
    sa.Column("label", sa.Text, nullable=False),
    sa.Column("secret_hash", sa.Text, nullable=False),
    sa.Column("permissions", sa.Text, nullable=False),
    sa.Column("created_ms", sa.BigInteger, nullable=False),
    sa.Column("revoked_ms", sa.BigInteger, nullable=True),
)


@dataclass(frozen=True, slots=True)
class Caller:
    """Who makes a request. `owner` scopes all they see."""

    owner: OwnerId
    name: str
    permissions: frozenset[str]

    def must(self, permission: str) -> None:
        """Raises Forbidden without this permission."""
        if permission not in self.permissions:
            raise Forbidden(f"This needs a key with the permission {permission}.")


#: Everyone who asks a server that has no key.
LOCAL_CALLER = Caller(OwnerId(LOCAL_USER), LOCAL_USER, PERMISSIONS)


@dataclass(frozen=True, slots=True)
class ApiKey:
    """A key as it is listed: never the secret."""

    id: str
    user: str
    label: str
    permissions: tuple[str, ...]
    created_at: datetime
    revoked_at: datetime | None = None


class Accounts:
    """Reads the database on each request, so that a new or revoked key counts at once on every replica."""

    def __init__(self, database: Database, clock: Clock = system_clock) -> None:
        self._database = database
        self._clock = clock

    async def is_keyless(self) -> bool:
        """Whether no key was ever made; a revoked one keeps the door locked."""
        return not await self._database.glance(_ANY_KEY)

    async def authenticate(self, key: str) -> Caller:
        """The user of this key. Raises AuthRequired, the same for a malformed, unknown or revoked one."""
        match = _KEY.fullmatch(key)
        rows = await self._database.glance(_KEY_OF, {"id": match[1]}) if match else []
        secret_hash, revoked_ms, permissions, user_id, name = rows[0] if rows else (_hashed("-"), None, "", "", "")
        # A comparison is made in any case, so that the time tells nothing about which ids exist.
        is_same = hmac.compare_digest(_hashed(match[2] if match else ""), secret_hash)
        if not rows or not is_same or revoked_ms is not None:
            raise AuthRequired("The key is unknown or revoked.")
        return Caller(OwnerId(user_id), name, frozenset(permissions.split()))

    async def create_key(
        self, user: str, *, label: str = "", permissions: frozenset[str] = frozenset()
    ) -> tuple[ApiKey, str]:
        """A new key for the user, who is made when new; the secret text is returned this once."""
        name = _user_name(user)
        unknown = permissions - PERMISSIONS
        if unknown:
            raise InvalidInput(f"Unknown permission {sorted(unknown)[0]!r}; known: {', '.join(sorted(PERMISSIONS))}.")
        key_id, secret, now = secrets.token_hex(8), secrets.token_urlsafe(32), self._clock()
        values = {
            "id": key_id,
            "label": clean(label)[:MAX_NAME_CHARS],
            "secret_hash": _hashed(secret),
            "permissions": " ".join(sorted(permissions)),
            "created_ms": _ms(now),
        }
        user_id = await self._user_id(name)
        async with self._database.write() as connection:
            await connection.execute(api_keys.insert().values(user_id=user_id, **values))
        key = ApiKey(key_id, name, str(values["label"]), tuple(sorted(permissions)), _moment(_ms(now)))
        return key, f"doso_{key_id}_{secret}"

    async def keys(self) -> tuple[ApiKey, ...]:
        """All keys, newest first."""
        query = (
            sa.select(api_keys, users.c.name)
            .join(users)
            .order_by(api_keys.c.created_ms.desc(), api_keys.c.id)
            .limit(MAX_KEYS_LISTED)
        )
        async with self._database.read() as connection:
            return tuple(_key(row) for row in await connection.execute(query))

    async def revoke(self, key_id: str) -> None:
        """Make a key useless for good; again is the same. Raises NotFound."""
        stamp = sa.func.coalesce(api_keys.c.revoked_ms, _ms(self._clock()))
        update = api_keys.update().where(api_keys.c.id == key_id).values(revoked_ms=stamp)
        async with self._database.write() as connection:
            if (await connection.execute(update)).rowcount == 0:
                raise NotFound("There is no such key.")

    async def user_named(self, name: str) -> OwnerId:
        """The id of a user, made when new."""
        return OwnerId(await self._user_id(_user_name(name)))

    async def _user_id(self, name: str) -> str:
        find = sa.select(users.c.id).where(users.c.name == name)
        async with self._database.read() as connection:
            found = (await connection.execute(find)).scalar()
        if found is not None:
            return str(found)
        # The local user's id is fixed: what was stored before the first key stays theirs.
        fresh = LOCAL_USER if name == LOCAL_USER else new_id()
        try:
            async with self._database.write() as connection:
                await connection.execute(users.insert().values(id=fresh, name=name, created_ms=_ms(self._clock())))
        except IntegrityError:  # another process made the same user just now
            async with self._database.read() as connection:
                return str((await connection.execute(find)).scalar_one())
        return fresh


def _user_name(name: str) -> str:
    text = clean(name).strip()
    if not text or len(text) > MAX_NAME_CHARS:
        raise InvalidInput(f"A user's name has 1 to {MAX_NAME_CHARS} characters.", param="user")
    return text


def _hashed(secret: str) -> str:
    # The secret has 256 random bits: a slow hash would add nothing.
    return hashlib.sha256(secret.encode()).hexdigest()


def _ms(moment: datetime) -> int:
    return int(moment.timestamp() * 1000)


def _moment(ms: int) -> datetime:
    return datetime.fromtimestamp(ms / 1000, UTC)


def _key(row: sa.Row[tuple[object, ...]]) -> ApiKey:
    revoked = row.revoked_ms
    return ApiKey(
        id=row.id,
        user=row.name,
        label=row.label,
        permissions=tuple(row.permissions.split()),
        created_at=_moment(row.created_ms),
        revoked_at=None if revoked is None else _moment(revoked),
    )
