"""What the routes work with: everything that was opened, in one frozen kit."""

from collections.abc import Callable
from dataclasses import dataclass, field

from api.observing import Observers
from ask.kit import AskKit
from doso.accounts import Accounts
from doso.clock import Clock
from doso.db.engine import Database
from doso.llm.chosen import ChosenEmbedder
from doso.llm.runtime import ModelRuntime
from doso.runtime import RuntimeStore
from doso.settings import Settings
from doso.usage import UsageStore
from doso.workflow_events import WorkflowEvents
from graph.service import Graph
from ingest.library import SqlLibrary
from ingest.live.tools import LiveTools
from ingest.pipeline import Intake


@dataclass(frozen=True, slots=True)
class Kit:
    """Opened by doso.compose, closed there; routes only use it."""

    settings: Settings
    database: Database
    accounts: Accounts
    runtime: RuntimeStore
    graph: Graph
    library: SqlLibrary
    intake: Intake
    embedder: ChosenEmbedder
    models: ModelRuntime
    usage: UsageStore
    ask: AskKit
    live: LiveTools
    events: WorkflowEvents
    clock: Clock
    observers: Observers = field(default_factory=Observers)
    notes: Callable[[], tuple[str, ...]] = tuple  # what is amiss in this process at present
