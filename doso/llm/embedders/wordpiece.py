"""The uncased BERT tokenizer, built from the vocabulary that ships with Doso."""

from __future__ import annotations

from importlib import resources

from tokenizers import Tokenizer
from tokenizers.decoders import WordPiece as WordPieceDecoder
from tokenizers.models import WordPiece
from tokenizers.normalizers import BertNormalizer
from tokenizers.pre_tokenizers import BertPreTokenizer
from tokenizers.processors import TemplateProcessing

_MAX_WORD_CHARACTERS = 100


def uncased_tokenizer() -> Tokenizer:
    """A tokenizer that splits exactly as those of MiniLM, e5-small-v2 and bge do."""
    listed = resources.files("doso.llm").joinpath("data/bert_uncased_vocabulary.txt").read_text(encoding="utf-8")
    vocabulary = {word: number for number, word in enumerate(listed.removesuffix("\n").split("\n"))}
    model = WordPiece(vocabulary, unk_token="[UNK]", max_input_chars_per_word=_MAX_WORD_CHARACTERS)  # noqa: S106
    tokenizer = Tokenizer(model)
    tokenizer.normalizer = BertNormalizer(lowercase=True)
    tokenizer.pre_tokenizer = BertPreTokenizer()
    tokenizer.post_processor = TemplateProcessing(
        single="[CLS] $A [SEP]",
        pair="[CLS] $A [SEP] $B:1 [SEP]:1",
        special_tokens=[("[CLS]", vocabulary["[CLS]"]), ("[SEP]", vocabulary["[SEP]"])],
    )
    tokenizer.decoder = WordPieceDecoder()
    tokenizer.add_special_tokens(["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"])
    return tokenizer
