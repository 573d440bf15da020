"""What a cosine of this embedder means: measured on a few sentences, since every model leans its own way."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass

import numpy as np

from doso.llm.ports import Embedder, EmbedderInfo

#: (question, what answers it); the answers of the other questions are what does not.
PROBES = (
    ("Where does Omar work?", "(4 May 2021, 09:12) Omar: I started my new job at the harbour office this week."),
    ("What did Greta cook for the party?", "(11 June 2022, 19:40) Greta: I made lentil soup and a plum cake for it."),
    ("When is the dentist appointment?", "Dentist: Tuesday 14 March, 10:30, second floor. Bring the insurance card."),
    (
        "What is the wifi password at the cabin?",
        "Cabin notes. The wifi network is Heron and its password is on the fridge.",
    ),
    ("Who is looking after the dog?", "(2 August 2023, 08:05) Lin: My neighbour takes the dog while we are away."),
    ("How long was the hike?", "(19 September 2020, 21:15) Tove: We walked 22 kilometres, my legs are gone."),
    (
        "Which book is Marek reading?",
        "(7 January 2024, 22:31) Marek: Halfway through a novel about a lighthouse keeper.",
    ),
    ("Why was the flight cancelled?", "Dear passenger, we regret that your flight does not run because of fog."),
)
#: Probes closer together than this tell nothing apart.
_LEAST_SPAN = 0.02


@dataclass(frozen=True, slots=True)
class Calibration:
    """Mean cosine of a question with what has nothing to do with it (`far`) and with its answer (`near`)."""

    far: float
    near: float

    def closeness(self, cosine: float) -> float:
        """0 for unrelated, 1 for an answer, beyond either where it is even more so (bounded)."""
        return float(np.clip((cosine - self.far) / (self.near - self.far), -0.5, 1.5))


_known: dict[EmbedderInfo, Calibration] = {}  # a fact about a model, the same in every process


async def calibration_of(embedder: Embedder) -> Calibration:
    """The embedder's scale, measured once. Raises EmbedderUnavailable."""
    known = _known.get(embedder.info)
    if known is not None:
        return known
    passages, *questions = await asyncio.gather(
        embedder.embed_passages([answer for _, answer in PROBES]),
        *(embedder.embed_query(question) for question, _ in PROBES),
    )
    cosines = np.stack(questions) @ passages.T
    near = float(np.mean(np.diagonal(cosines)))
    far = float((cosines.sum() - np.trace(cosines)) / (cosines.size - len(PROBES)))
    _known[embedder.info] = Calibration(far, max(near, far + _LEAST_SPAN))
    return _known[embedder.info]
