"""The owner's entity: "You" until a fact names them."""

from __future__ import annotations

from dataclasses import replace

from doso.records import Literal, Status
from graph.grouping import PLACEHOLDER_NAME
from graph.names import display_name
from graph.ports import GraphTx


async def name_owner(tx: GraphTx) -> None:
    """Give the owner the name that the current `named` fact states, the placeholder when none does."""
    owner = await tx.owner_entity()
    if owner is None:
        return
    members = [member.id for member in await tx.group([owner.id])]
    facts = await tx.facts_of(members, ["named"])
    stated = [fact for fact in facts if fact.status is Status.VERIFIED and isinstance(fact.object, Literal)]
    name = display_name(stated[-1].object.text) if stated else PLACEHOLDER_NAME  # type: ignore[union-attr]
    if name != owner.name:
        await tx.put_entities([replace(owner, name=name)])
