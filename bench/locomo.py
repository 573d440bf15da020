"""Evidence quality on LoCoMo: a fresh server, the shared evaluation against it, the figures next to their targets."""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from bench.figures import table
from doso.llm.models import pull
from tests.support.server import running

CHECKOUT = Path(__file__).parents[1]
#: What a plain prototype reaches on the same five conversations.
TARGETS = (
    ("all", "recall@10", 0.771),
    ("all", "recall@2000tok", 0.896),
    ("multi-hop", "recall@10", 0.500),
)


def main() -> int:
    """Print and keep the figures; 1 when a target is missed."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "--shared", type=Path, default=CHECKOUT.parent / "shared" / "bench", help="folder of the evaluation"
    )
    parser.add_argument("--data", type=Path, help="conversations, where not those beside the evaluation")
    parser.add_argument("--out", type=Path, default=CHECKOUT / ".cache" / "bench" / "locomo.json")
    parser.add_argument("--limit", type=int, help="only so many conversations")
    parser.add_argument("--model-dir", type=Path, help="another local model than e5-small-v2")
    options = parser.parse_args()
    if not (options.shared / "locomo_eval.py").is_file():
        print(f"No locomo_eval.py in {options.shared}: its data may not be copied, so it lies outside. Skipped.")
        return 0
    options.out.parent.mkdir(parents=True, exist_ok=True)
    model = options.model_dir or pull(CHECKOUT / ".cache")
    with (
        tempfile.TemporaryDirectory(prefix="doso-locomo-") as home,
        running(Path(home), LLM_EMBED_PROVIDER="onnx", DOSO_EMBED_MODEL_DIR=str(model)) as server,
    ):
        command = [sys.executable, str(options.shared / "locomo_eval.py"), server.url, "--out", str(options.out)]
        command += ["--data", str(options.data)] if options.data else []
        command += ["--limit", str(options.limit)] if options.limit else []
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    return report(json.loads(options.out.read_text()))


def report(result: dict[str, Any]) -> int:
    """Print all figures, then the targets; 1 when one is missed."""
    kinds = [kind for kind in ("all", "single-hop", "multi-hop", "temporal", "open-domain") if kind in result]
    shown = ("recall@5", "recall@10", "recall@20", "ndcg@10", "recall@500tok", "recall@1000tok", "recall@2000tok")
    print(table(["questions", *shown], [[kind, *(result[kind].get(name, "") for name in shown)] for kind in kinds]))
    print(json.dumps({name: result[name] for name in ("abstention", "latency_ms", "packs_over_budget", "ingest")}))
    rows = [[kind, name, result[kind][name], wanted] for kind, name, wanted in TARGETS if kind in result]
    rows.append(["all", "packs over budget", result["packs_over_budget"], 0])
    print(table(["questions", "figure", "reached", "target"], rows))
    is_met = all(reached >= wanted for _, _, reached, wanted in rows[:-1]) and result["packs_over_budget"] == 0
    print("targets met" if is_met else "TARGETS MISSED")
    return 0 if is_met else 1


if __name__ == "__main__":
    sys.exit(main())
