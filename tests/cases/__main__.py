"""`python -m tests.cases FILE [--area A]… [--id ID]… [--store S]…`: one line a case, exit 1 when
one failed or ended otherwise than tests.cases.expected says."""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from contextlib import ExitStack
from pathlib import Path

from tests.cases.expected import surprise
from tests.cases.runner import Store, chosen, running
from tests.support import services
from tools.service import ServiceMissingError


def main() -> int:
    """Run and print."""
    parser = argparse.ArgumentParser(prog="python -m tests.cases", description=__doc__)
    parser.add_argument("file", type=Path)
    parser.add_argument("--area", action="append", default=[], help="only this area, or a list,with,commas")
    parser.add_argument("--id", action="append", default=[], help="only this case")
    parser.add_argument("--store", action="append", choices=["sqlite", "neo4j"], help="only on this store")
    options = parser.parse_args()
    wanted = options.store or ["sqlite", "neo4j"]
    areas = frozenset(area for text in options.area for area in text.split(",") if area)
    cases = chosen(options.file, areas, frozenset(options.id))
    if not cases:
        parser.error("no case of this area or id in the file")
    with ExitStack() as stack:
        stores = {"sqlite": Store("sqlite")} if "sqlite" in wanted else {}
        if "neo4j" in wanted and any("neo4j" in case.stores for case in cases):
            try:
                stores["neo4j"] = Store("neo4j", {"DOSO_GRAPH_URL": stack.enter_context(services.shared_neo4j())})
            except ServiceMissingError as error:
                print(f"no Neo4j: {error}", file=sys.stderr)
        runner = stack.enter_context(running(stores))
        states: Counter[str] = Counter()
        surprises = 0
        for case in cases:
            verdict = runner.run(case)
            states[verdict.state] += 1
            difference = surprise(verdict)
            surprises += difference is not None
            print(verdict.line() + (f"  !! {difference}" if difference else ""), flush=True)
    print(", ".join(f"{count} {state}" for state, count in sorted(states.items())))
    return 1 if states["failed"] or surprises else 0


if __name__ == "__main__":
    sys.exit(main())
