"""Random programs of assertions, corrections and undos against a small model of the rules, on SQLite."""

from __future__ import annotations

import asyncio
import tempfile
from collections.abc import Awaitable
from typing import TypeVar

from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule

from doso.errors import NotFound
from doso.ids import OwnerId
from doso.records import ChangeOp, EntityType, Literal, Mention, Status
from graph.corrections import EntityRef, Equate, Retract
from graph.registry import open_graph_store
from tests.support.graphs import USER, Told, draft_of

T = TypeVar("T")
NAMES = st.sampled_from(["Quentin Albrecht", "Rosalind Okonkwo", "Tobias Nakagawa"])
PLACES = st.sampled_from(["Solo", "Tegal", "Bandung"])
THINGS = st.sampled_from(["tea", "jam"])
DOCUMENTS = st.sampled_from(["d1", "d2", "d3"])


class Programs(RuleBasedStateMachine):
    """`likes` is many-valued, `lives_in` single-valued. The model keeps what each name holds and who is one."""

    def __init__(self) -> None:
        super().__init__()
        self.loop = asyncio.new_event_loop()
        self.folder = tempfile.TemporaryDirectory()
        store = open_graph_store(f"sqlite:///{self.folder.name}/graph.db")
        self.told = Told(store, OwnerId("model"))
        self.wait(store.prepare())
        self.group: dict[str, set[str]] = {}
        self.likes: set[tuple[str, str]] = set()
        self.home: dict[str, tuple[str, str]] = {}  # any member of a group -> (who was told, where)

    def wait(self, coming: Awaitable[T]) -> T:
        return self.loop.run_until_complete(coming)

    def teardown(self) -> None:
        self.wait(self.told.store.aclose())
        self.loop.close()
        self.folder.cleanup()

    def members(self, name: str) -> set[str]:
        return self.group.setdefault(name, {name})

    @rule(name=NAMES, thing=THINGS, document=DOCUMENTS)
    def like(self, name: str, thing: str, document: str) -> None:
        self.members(name)
        known = any((other, thing) in self.likes for other in self.members(name))
        draft = draft_of(name, "likes", Literal(thing), document=document, status=Status.VERIFIED)
        (stored,) = self.wait(self.told.graph.assert_facts(self.told.owner, [draft], USER))
        if stored.outcome != "rejected":
            assert stored.outcome == ("known" if known else "stored")
            if not known:
                self.likes.add((name, thing))

    @rule(name=NAMES, place=PLACES)
    def move(self, name: str, place: str) -> None:
        members = self.members(name)
        held = [self.home[other] for other in members if other in self.home]
        self.wait(self.told.say(name, "lives_in", Mention(place, EntityType.PLACE)))
        if not any(where == place for _, where in held) or len({where for _, where in held}) > 1:
            for other in members:
                self.home.pop(other, None)
            self.home[name] = (name, place)

    @precondition(lambda self: self.likes)
    @rule(data=st.data())
    def dislike(self, data: st.DataObject) -> None:
        name, thing = data.draw(st.sampled_from(sorted(self.likes)))
        ref = EntityRef(name=name)
        retract = Retract(subject=ref, predicate="likes", object=Literal(thing), why="wrong")
        self.wait(self.told.graph.correct(self.told.owner, [retract], USER))
        self.likes -= {(other, thing) for other in self.members(name)}

    @precondition(lambda self: self.likes)
    @rule(data=st.data())
    def dislike_and_take_it_back(self, data: st.DataObject) -> None:
        name, thing = data.draw(st.sampled_from(sorted(self.likes)))
        retract = Retract(subject=EntityRef(name=name), predicate="likes", object=Literal(thing), why="forget")
        changes = self.wait(self.told.graph.correct(self.told.owner, [retract], USER))
        for change in reversed(changes):
            self.wait(self.told.graph.undo(self.told.owner, change.id, USER))

    @rule(a=NAMES, b=NAMES)
    def equate_and_take_it_back(self, a: str, b: str) -> None:
        if a not in self.group or b not in self.group or b in self.group[a]:
            return
        equate = Equate(EntityRef(name=a), EntityRef(name=b))
        (change,) = self.wait(self.told.graph.correct(self.told.owner, [equate], USER))
        self.wait(self.told.graph.undo(self.told.owner, change.id, USER))

    @precondition(lambda self: self.home)
    @rule(data=st.data(), place=PLACES)
    def move_and_take_it_back(self, data: st.DataObject, place: str) -> None:
        name, where = self.home[data.draw(st.sampled_from(sorted(self.home)))]
        if place == where:
            return
        stored = self.wait(self.told.say(name, "lives_in", Mention(place, EntityType.PLACE)))
        assert stored.fact
        assert len(stored.superseded) == 1
        (made,) = self.wait(self.told.graph.history(self.told.owner, stored.fact.id))
        self.wait(self.told.graph.undo(self.told.owner, made.id, USER))

    @rule(name=NAMES)
    def retract_nothing(self, name: str) -> None:
        retract = Retract(subject=EntityRef(name=name), predicate="speaks", why="ended")
        try:
            self.wait(self.told.graph.correct(self.told.owner, [retract], USER))
        except NotFound:
            return
        raise AssertionError("nothing was there to retract")

    @rule(a=NAMES, b=NAMES)
    def equate(self, a: str, b: str) -> None:
        if a not in self.group or b not in self.group or b in self.group[a]:
            return
        if len({name for name in self.group[a] | self.group[b] if name in self.home}) > 1:
            return  # two homes in one group: both are shown until one is told anew
        (change,) = self.wait(
            self.told.graph.correct(self.told.owner, [Equate(EntityRef(name=a), EntityRef(name=b))], USER)
        )
        assert change.op is ChangeOp.EQUATE
        joined = self.group[a] | self.group[b]
        for name in joined:
            self.group[name] = joined

    @invariant()
    def reads_agree(self) -> None:
        for name, members in self.group.items():
            held = {("likes", thing) for other, thing in self.likes if other in members}
            held |= {("lives_in", self.home[other][1]) for other in members if other in self.home}
            assert self.read(name) == held
        groups = {frozenset(members) for members in self.group.values()}
        page = self.wait(self.told.graph.list_entities(self.told.owner, type=EntityType.PERSON))
        assert len(page.data) == len(groups)

    def read(self, name: str) -> set[tuple[str, str]]:
        found = self.wait(self.told.graph.find_entities(self.told.owner, name, type=EntityType.PERSON))
        if not found:
            return set()
        near = self.wait(self.told.graph.neighbours(self.told.owner, [found[0].id], self.told.graph.view()))
        return {
            (f.predicate, f.object.text if isinstance(f.object, Literal) else near.entities[f.object].name)
            for f in near.facts
        }


Programs.TestCase.settings = settings(
    max_examples=25,
    stateful_step_count=12,
    deadline=None,
    suppress_health_check=list(HealthCheck),
)
TestPrograms = Programs.TestCase
