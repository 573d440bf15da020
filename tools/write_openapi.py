"""Writes docs/openapi.json, the description of the HTTP surface, without opening a store: `make types`."""

from __future__ import annotations

import json
import sys
from pathlib import Path

ROOT = Path(__file__).parents[1]
TARGET = ROOT / "docs" / "openapi.json"


def text() -> str:
    """The document as it is written: the same routes give the same bytes."""
    from api.app import openapi_document  # noqa: PLC0415 - the path to it is set below when this runs as a script

    return json.dumps(openapi_document(), indent=2, sort_keys=True, ensure_ascii=False) + "\n"


def main() -> int:
    """Write, or with --check say whether the file is current."""
    if "--check" in sys.argv[1:]:
        return 0 if TARGET.exists() and TARGET.read_text(encoding="utf-8") == text() else 1
    TARGET.write_text(text(), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.path.insert(0, str(ROOT))
    sys.exit(main())
