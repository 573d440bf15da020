"""An in-process vector index: sign codes choose the candidates, 16-bit rows score them.

Up to EXACT_ROWS every row is scored. Above that only candidates are. The vectors of one model point much the same way,
so a row is taken apart into the mean of the rows and an offset from it: how far the offset reaches is kept exactly,
where it points only as signs, and the Hamming distance of two sign codes estimates the angle between two offsets.
"""

from __future__ import annotations

import threading
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import ArrayLike, NDArray

from doso.errors import InvalidInput

#: Below this number of rows scoring all of them costs no more than choosing.
EXACT_ROWS = 4096
#: Candidates that are rescored, at least, and per asked-for hit.
RESCORED_ROWS = 1000
RESCORED_PER_HIT = 16
#: Dead rows are tolerated up to this share of all before the index is rewritten.
DEAD_SHARE = 0.25
#: Rows worked on at a time, so that what they need in between stays in the processor's cache.
CHUNK_ROWS = 1024
_FIRST_CAPACITY = 256
#: What 1.0 is stored as: as precise as half-precision floats and many times faster to convert.
_UNIT = np.float32(32767)

Rows = NDArray[np.int16]
Codes = NDArray[np.uint64]


@dataclass(frozen=True, slots=True)
class _Snapshot:
    """What one search sees. Rows past `size` may be written meanwhile; everything before it never changes."""

    rows: Rows  # (capacity, dimensions)
    codes: Codes  # (words, capacity): signs of the offsets, one contiguous line per 64 dimensions
    reaches: NDArray[np.float32]  # (capacity,): lengths of the offsets
    alive: NDArray[np.bool_]  # (size,), replaced, never written
    keys: list[str]
    centre: NDArray[np.float32]
    size: int


class VectorIndex:
    """Keys and unit vectors, searched by cosine. Any number of threads may search while one adds or removes."""

    def __init__(self, dimensions: int) -> None:
        if dimensions < 1:
            raise InvalidInput(f"A vector index needs at least 1 dimension, not {dimensions}.", param="dimensions")
        self.dimensions = dimensions
        self._writing = threading.Lock()  # one writer at a time
        self._state = threading.Lock()  # snapshot and row numbers change together
        self._row_of: dict[str, int] = {}
        self._now = _empty(dimensions, _FIRST_CAPACITY)

    def __len__(self) -> int:
        return len(self._row_of)

    def add(self, keys: Sequence[str], vectors: ArrayLike) -> None:
        """Insert or replace rows; of a key given twice the last counts. Raises InvalidInput, then nothing is added."""
        fresh, lengths = _measured(vectors, self.dimensions)
        if len(keys) != len(fresh):
            raise InvalidInput(f"{len(keys)} keys came with {len(fresh)} vectors.", param="vectors")
        last = {key: position for position, key in enumerate(keys)}
        if not last:
            return
        if len(last) < len(keys):
            places = list(last.values())
            fresh, lengths = fresh[places], lengths[places]
        with self._writing:
            self._append(list(last), fresh, lengths)
            self._tidy()

    def remove(self, keys: Collection[str]) -> None:
        """Drop rows; unknown keys change nothing."""
        with self._writing:
            gone = [self._row_of[key] for key in set(keys) if key in self._row_of]
            if not gone:
                return
            alive = self._now.alive.copy()
            alive[gone] = False
            now = self._now
            with self._state:
                for row in gone:
                    del self._row_of[now.keys[row]]
                self._now = replace(now, alive=alive)
            self._tidy()

    def search(self, vector: ArrayLike, *, limit: int, keep: Collection[str] | None = None) -> list[tuple[str, float]]:
        """The nearest keys with their cosine, best first, equal ones by key.

        `keep` scores exactly these keys and no other. Raises InvalidInput for a vector no row could be compared with.
        """
        query = _units(*_measured(np.asarray(vector)[None], self.dimensions))[0]
        with self._state:
            now = self._now
            kept = None if keep is None else [self._row_of[key] for key in set(keep) if key in self._row_of]
        if limit < 1:
            return []
        if kept is not None:
            return _best(now, np.asarray(kept, dtype=np.intp), query, limit)
        if now.size <= EXACT_ROWS:
            return _best(now, np.flatnonzero(now.alive), query, limit)
        return _best(now, _candidates(now, query, limit), query, limit)

    def _append(self, keys: list[str], vectors: NDArray[np.float32], lengths: NDArray[np.float64]) -> None:
        now = self._now
        end = now.size + len(keys)
        if end > now.rows.shape[0]:
            now = _grown(now, end)
        if now.size <= EXACT_ROWS < end:  # codes begin to matter: take the centre that the rows have by now
            now = _recentred(now, _units(vectors[:EXACT_ROWS], lengths[:EXACT_ROWS]))
        for start in range(0, len(keys), CHUNK_ROWS):
            units = _units(vectors[start : start + CHUNK_ROWS], lengths[start : start + CHUNK_ROWS])
            first, last = now.size + start, now.size + start + len(units)
            now.rows[first:last] = np.rint(units * _UNIT)
            now.codes[:, first:last], now.reaches[first:last] = _offsets(units - now.centre)
        now.keys.extend(keys)
        replaced = [self._row_of[key] for key in keys if key in self._row_of]
        alive = np.concatenate([now.alive, np.ones(len(keys), dtype=np.bool_)])
        alive[replaced] = False
        with self._state:
            self._row_of.update(zip(keys, range(now.size, end), strict=True))
            self._now = replace(now, alive=alive, size=end)

    def _tidy(self) -> None:
        """Rewrite the index without its dead rows once they are many."""
        now = self._now
        dead = now.size - len(self._row_of)
        if dead <= max(_FIRST_CAPACITY, int(now.size * DEAD_SHARE)):
            return
        living = np.flatnonzero(now.alive)
        tidy = _empty(self.dimensions, max(_FIRST_CAPACITY, len(living)))
        tidy.rows[: len(living)] = now.rows[living]
        tidy.codes[:, : len(living)] = now.codes[:, living]
        tidy.reaches[: len(living)] = now.reaches[living]
        keys = [now.keys[row] for row in living]
        alive = np.ones(len(keys), dtype=np.bool_)
        with self._state:
            self._row_of = {key: row for row, key in enumerate(keys)}
            self._now = replace(tidy, alive=alive, keys=keys, centre=now.centre, size=len(keys))


def _empty(dimensions: int, capacity: int) -> _Snapshot:
    return _Snapshot(
        rows=np.empty((capacity, dimensions), dtype=np.int16),
        codes=np.empty((-(-dimensions // 64), capacity), dtype=np.uint64),
        reaches=np.empty(capacity, dtype=np.float32),
        alive=np.empty(0, dtype=np.bool_),
        keys=[],
        centre=np.zeros(dimensions, dtype=np.float32),
        size=0,
    )


def _grown(now: _Snapshot, needed: int) -> _Snapshot:
    """The same rows with room for `needed`, half as much again as before at least."""
    wider = _empty(now.rows.shape[1], max(needed, now.rows.shape[0] * 3 // 2))
    wider.rows[: now.size] = now.rows[: now.size]
    wider.codes[:, : now.size] = now.codes[:, : now.size]
    wider.reaches[: now.size] = now.reaches[: now.size]
    return replace(now, rows=wider.rows, codes=wider.codes, reaches=wider.reaches)


def _recentred(now: _Snapshot, coming: NDArray[np.float32]) -> _Snapshot:
    """A copy whose offsets are taken from the mean of the present and coming rows."""
    present = now.rows[: now.size].astype(np.float32) / _UNIT
    centre = np.concatenate([present, coming]).mean(axis=0, dtype=np.float32)
    codes, reaches = np.empty_like(now.codes), np.empty_like(now.reaches)
    codes[:, : now.size], reaches[: now.size] = _offsets(present - centre)
    return replace(now, codes=codes, reaches=reaches, centre=centre)


def _measured(vectors: ArrayLike, dimensions: int) -> tuple[NDArray[np.float32], NDArray[np.float64]]:
    """The vectors as float32 rows, with their lengths. Raises InvalidInput for what has no direction."""
    rows = np.asarray(vectors, dtype=np.float32)
    if rows.ndim == 2 and rows.shape[0] == 0:
        rows = np.empty((0, dimensions), dtype=np.float32)
    if rows.ndim != 2 or rows.shape[1] != dimensions:
        raise InvalidInput(f"Vectors need the shape (count, {dimensions}), not {rows.shape}.", param="vectors")
    lengths = np.empty(len(rows), dtype=np.float64)
    for start in range(0, len(rows), CHUNK_ROWS):
        part = rows[start : start + CHUNK_ROWS].astype(np.float64)  # so that no square overflows or vanishes
        lengths[start : start + CHUNK_ROWS] = np.sqrt(np.einsum("ij,ij->i", part, part))
    if not np.isfinite(lengths).all():
        raise InvalidInput("A vector holds NaN or infinity.", param="vectors")
    if not lengths.all():
        raise InvalidInput("A vector is all zeros and has no direction.", param="vectors")
    return rows, lengths


def _units(rows: NDArray[np.float32], lengths: NDArray[np.float64]) -> NDArray[np.float32]:
    return np.asarray(rows / lengths[:, None], dtype=np.float32)


def _offsets(offsets: NDArray[np.float32]) -> tuple[Codes, NDArray[np.float32]]:
    """Sign bits, 64 dimensions a word and one line per word; and lengths."""
    bits = np.packbits(offsets > 0, axis=1)
    bits = np.pad(bits, ((0, 0), (0, -bits.shape[1] % 8)))
    codes = np.ascontiguousarray(bits.view(np.uint64).T)
    return codes, np.sqrt(np.einsum("ij,ij->i", offsets, offsets))


def _candidates(now: _Snapshot, query: NDArray[np.float32], limit: int) -> NDArray[np.intp]:
    """The living rows that lie nearest by estimate.

    Unit vectors rank by cosine as by squared distance, and that is reach² + query reach² - 2 · reach · query reach ·
    cosine of the angle between the offsets, which the share of differing signs tells.
    """
    code, reach = _offsets((query - now.centre)[None])
    differing = np.zeros(now.size, dtype=np.uint16)
    for line, word in zip(now.codes, code[:, 0], strict=True):
        differing += np.bitwise_count(line[: now.size] ^ word)
    cosines = np.cos(np.linspace(0, np.pi, len(query) + 1)).astype(np.float32)
    reaches = now.reaches[: now.size]
    estimates = reaches * (reaches - 2 * float(reach[0]) * cosines[differing])
    estimates[~now.alive] = np.inf
    wanted = min(max(RESCORED_ROWS, limit * RESCORED_PER_HIT), now.size)
    nearest = np.argpartition(estimates, wanted - 1)[:wanted]
    return np.asarray(nearest[now.alive[nearest]], dtype=np.intp)


def _best(now: _Snapshot, rows: NDArray[np.intp], query: NDArray[np.float32], limit: int) -> list[tuple[str, float]]:
    if not len(rows):
        return []
    # einsum stays on this thread; a matrix product would wait for others to wake, which costs more than it saves
    scores = np.einsum("ij,j->i", now.rows[rows].astype(np.float32), query / _UNIT)
    if len(rows) > limit:
        least = np.partition(scores, len(rows) - limit)[len(rows) - limit]
        chosen = np.flatnonzero(scores >= least)  # ties at the border included, so that the key decides
        rows, scores = rows[chosen], scores[chosen]
    hits = [(now.keys[row], float(score)) for row, score in zip(rows.tolist(), scores.tolist(), strict=True)]
    return sorted(hits, key=lambda hit: (-hit[1], hit[0]))[:limit]
