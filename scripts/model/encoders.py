#!/usr/bin/env python3
"""Writes small encoders with random weights, and what sentence-transformers makes of some texts with them: the yardstick
of the encoders that users bring (crates/minilm/src/convert, crates/embed/src/embedded/custom).

    python3 -m venv venv && venv/bin/pip install sentence-transformers && venv/bin/python encoders.py

Each folder below crates/minilm/testdata/encoders is laid out as its makers would publish it, with `golden.json`
beside it: per text its purpose, its word pieces and its vector, in float32.
"""
import base64
import json
import shutil
from pathlib import Path

import torch
from sentence_transformers import SentenceTransformer, models
from tokenizers import Tokenizer, decoders, normalizers, pre_tokenizers, processors, trainers
from tokenizers.models import BPE, Unigram, WordPiece
from transformers import (
    BertConfig,
    BertModel,
    DistilBertConfig,
    DistilBertModel,
    PreTrainedTokenizerFast,
    RobertaConfig,
    RobertaModel,
    XLMRobertaConfig,
    XLMRobertaModel,
)

HERE = Path(__file__).resolve().parent
OUT = HERE.parents[1] / "crates" / "minilm" / "testdata" / "encoders"
TEXTS = [
    "Grandma prefers calls before noon.",
    "Der Keller war im November feucht, deshalb stehen die Kisten jetzt auf Paletten.",
    "Мама просила купить хлеб и молоко.",
    "会議は来週の火曜日に延期されました。",
    "내일 아침 일곱 시에 출발한다.",
    "wifi: hunter2 </s> [SEP] <s>",
    "  spaces\tand\nlines  ",
    "Ｆｕｌｌ width, ﬁne ligatures, naïve café",
    "",
    "a long text that does not fit into one input " * 6,
]


def wordpiece():
    tokenizer = Tokenizer(WordPiece(unk_token="[UNK]"))
    tokenizer.normalizer = normalizers.BertNormalizer(lowercase=True)
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    special = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]
    tokenizer.train_from_iterator(TEXTS, trainers.WordPieceTrainer(vocab_size=260, special_tokens=special))
    ends = [(name, tokenizer.token_to_id(name)) for name in ("[CLS]", "[SEP]")]
    tokenizer.post_processor = processors.TemplateProcessing(single="[CLS] $A [SEP]", special_tokens=ends)
    return tokenizer, dict(zip(("pad_token", "unk_token", "cls_token", "sep_token", "mask_token"), special))


FAIRSEQ = ["<s>", "<pad>", "</s>", "<unk>", "<mask>"]
FAIRSEQ_NAMES = dict(zip(("bos_token", "pad_token", "eos_token", "unk_token", "mask_token"), FAIRSEQ))


def ended(tokenizer):
    ends = [(name, tokenizer.token_to_id(name)) for name in ("<s>", "</s>")]
    tokenizer.post_processor = processors.TemplateProcessing(single="<s> $A </s>", special_tokens=ends)
    return tokenizer, FAIRSEQ_NAMES


def unigram():
    tokenizer = Tokenizer(Unigram())
    tokenizer.normalizer = normalizers.Sequence([normalizers.NFKC(), normalizers.Replace(" {2,}", " ")])
    tokenizer.pre_tokenizer = pre_tokenizers.Metaspace()
    tokenizer.decoder = decoders.Metaspace()
    trainer = trainers.UnigramTrainer(vocab_size=280, special_tokens=FAIRSEQ, unk_token="<unk>")
    tokenizer.train_from_iterator(TEXTS, trainer)
    return ended(tokenizer)


def byte_level():
    tokenizer = Tokenizer(BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    alphabet = pre_tokenizers.ByteLevel.alphabet()
    trainer = trainers.BpeTrainer(vocab_size=360, special_tokens=FAIRSEQ, initial_alphabet=alphabet)
    tokenizer.train_from_iterator(TEXTS, trainer)
    return ended(tokenizer)


# Name, tokenizer, model, configuration, pooling, prompts, how the weights are stored.
SIZES = {"hidden_size": 64, "num_hidden_layers": 2, "num_attention_heads": 4, "intermediate_size": 128}
ENCODERS = [
    ("bert", wordpiece, BertModel, BertConfig, SIZES | {"max_position_embeddings": 48}, "mean", {}, torch.float32),
    # Sizes that are no multiple of what the kernels work with.
    (
        "xlm-roberta", unigram, XLMRobertaModel, XLMRobertaConfig,
        {"hidden_size": 48, "num_hidden_layers": 3, "num_attention_heads": 3, "intermediate_size": 100,
         "max_position_embeddings": 66, "layer_norm_eps": 1e-5, "type_vocab_size": 1},
        "mean", {"query": "query: ", "passage": "passage: "}, torch.float32,
    ),
    (
        "roberta", byte_level, RobertaModel, RobertaConfig,
        {"hidden_size": 128, "num_hidden_layers": 2, "num_attention_heads": 2, "intermediate_size": 192,
         "max_position_embeddings": 50, "layer_norm_eps": 1e-5, "type_vocab_size": 1},
        "cls", {}, torch.float16,
    ),
    (
        "distilbert", wordpiece, DistilBertModel, DistilBertConfig,
        {"dim": 64, "n_layers": 2, "n_heads": 4, "hidden_dim": 128, "max_position_embeddings": 48},
        "mean", {}, torch.bfloat16,
    ),
]


def randomise(model, kind):
    """Weights of the size that training gives: what torch begins with says the same of every text."""
    generator = torch.Generator().manual_seed(7)
    with torch.no_grad():
        for name, parameter in model.named_parameters():
            noise = torch.randn(parameter.shape, generator=generator)
            is_norm = "norm" in name.lower() and name.endswith("weight")
            wide = parameter.shape[-1] ** -0.5 if parameter.dim() == 2 else 0.1
            parameter.copy_(((1 + 0.2 * noise) if is_norm else noise * wide).to(kind).to(torch.float32))


def write(name, make_tokenizer, model_class, config_class, sizes, pooling, prompts, kind):
    tokenizer, names = make_tokenizer()
    config = config_class(vocab_size=tokenizer.get_vocab_size(), **sizes)
    for special in ("bos", "eos", "pad"):
        if f"{special}_token" in names:
            setattr(config, f"{special}_token_id", tokenizer.token_to_id(names[f"{special}_token"]))
    model = model_class(config).eval()
    randomise(model, kind)
    folder = OUT / name
    shutil.rmtree(folder, ignore_errors=True)
    plain = OUT / f"{name}.tmp"
    model.to(kind).save_pretrained(plain)
    PreTrainedTokenizerFast(tokenizer_object=tokenizer, **names).save_pretrained(plain)
    longest = 40
    transformer = models.Transformer(str(plain), max_seq_length=longest, model_args={"dtype": torch.float32})
    pool = models.Pooling(config.hidden_size, pooling_mode=pooling)
    encoder = SentenceTransformer(modules=[transformer, pool, models.Normalize()], prompts=prompts, device="cpu")
    encoder.save(str(folder), create_model_card=False)
    # As it was published, not as it was loaded.
    shutil.copy(plain / "model.safetensors", folder / "model.safetensors")
    shutil.rmtree(plain)
    golden = []
    for purpose, prompt in (("query", prompts.get("query", "")), ("document", prompts.get("passage", ""))):
        for text in TEXTS:
            # A text that looks like a control piece is text: what people write must not end an input.
            ids = encode(tokenizer, prompt + text, longest)
            states = encoder[0].auto_model(input_ids=torch.tensor([ids])).last_hidden_state[0].detach()
            vector = states[0] if pooling == "cls" else states.mean(0)
            vector = vector / vector.norm()
            if not any(piece in text for piece in names.values()):
                theirs = torch.tensor(encoder.encode(text, prompt=prompt, convert_to_numpy=True))
                assert torch.allclose(vector, theirs, atol=1e-5), (name, text)
            vector = base64.b64encode(vector.numpy().astype("<f4").tobytes()).decode()
            golden.append({"purpose": purpose, "text": text, "pieces": ids, "vector": vector})
    lines = ",\n".join(json.dumps(one, ensure_ascii=False) for one in golden)
    (folder / "golden.json").write_text(f"[\n{lines}\n]\n", encoding="utf-8")
    for unused in ("README.md", "2_Normalize"):
        path = folder / unused
        shutil.rmtree(path) if path.is_dir() else path.unlink(missing_ok=True)
    print(name, sum(file.stat().st_size for file in folder.rglob("*") if file.is_file()), "bytes")


def encode(tokenizer, text, longest):
    tokenizer.no_padding()
    tokenizer.enable_truncation(longest)
    tokenizer.encode_special_tokens = True
    return tokenizer.encode(text).ids


if __name__ == "__main__":
    for encoder in ENCODERS:
        write(*encoder)
