//! What `config.json` says, for as much of it as this encoder can run.

use serde::Deserialize;

use super::Fault;
use crate::weights::{Pooling, Shape};

/// How the tensors are named, and where positions begin.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Family {
    /// BERT, and RoBERTa with its kin, whose first position comes after the filling's.
    Bert {
        /// The row of the first piece in the table of positions.
        first_position: usize,
    },
    /// DistilBERT: the same layers under other names.
    DistilBert,
}

/// The architecture of an encoder.
#[derive(Debug, Clone)]
pub struct Architecture {
    shape: Shape,
    family: Family,
}

#[derive(Deserialize)]
struct Config {
    model_type: String,
    vocab_size: usize,
    max_position_embeddings: usize,
    #[serde(alias = "dim")]
    hidden_size: usize,
    #[serde(alias = "hidden_dim")]
    intermediate_size: usize,
    #[serde(alias = "n_heads")]
    num_attention_heads: usize,
    #[serde(alias = "n_layers")]
    num_hidden_layers: usize,
    #[serde(alias = "activation")]
    hidden_act: Option<String>,
    layer_norm_eps: Option<f32>,
    pad_token_id: Option<usize>,
    position_embedding_type: Option<String>,
    #[serde(default)]
    is_decoder: bool,
}

impl Architecture {
    /// Reads `config.json`; texts are cut to `max_pieces`, where the model takes as many.
    ///
    /// # Errors
    /// [`Fault::Unusable`] when it is no such file, or of an encoder that is none of the BERT family.
    pub fn read(config: &[u8], pooling: Pooling, max_pieces: Option<usize>) -> Result<Self, Fault> {
        let unusable = |cause: String| Err(Fault::Unusable(cause));
        let config: Config = match serde_json::from_slice(config) {
            Ok(config) => config,
            Err(error) => return unusable(format!("config.json is not that of an encoder: {error}")),
        };
        let family = match config.model_type.as_str() {
            "bert" => Family::Bert { first_position: 0 },
            "roberta" | "xlm-roberta" | "camembert" => {
                Family::Bert { first_position: config.pad_token_id.unwrap_or(1).saturating_add(1) }
            }
            "distilbert" => Family::DistilBert,
            other => {
                return unusable(format!(
                    "its architecture is {other:?}; this encoder runs bert, roberta, xlm-roberta, camembert and distilbert"
                ));
            }
        };
        let activation = config.hidden_act.as_deref().unwrap_or("gelu");
        let positions = config.position_embedding_type.as_deref().unwrap_or("absolute");
        if activation != "gelu" || positions != "absolute" || config.is_decoder {
            return unusable(format!(
                "it has {positions} positions, the activation {activation}{}; this encoder runs absolute positions and gelu",
                if config.is_decoder { " and decodes" } else { "" }
            ));
        }
        let first = match family {
            Family::Bert { first_position } => first_position,
            Family::DistilBert => 0,
        };
        let room = config.max_position_embeddings.saturating_sub(first);
        let shape = Shape {
            hidden: config.hidden_size,
            intermediate: config.intermediate_size,
            heads: config.num_attention_heads,
            layers: config.num_hidden_layers,
            positions: max_pieces.unwrap_or(room).min(room),
            vocabulary: config.vocab_size,
            epsilon: config.layer_norm_eps.unwrap_or(1e-12),
            pooling,
        };
        if !shape.is_sound() {
            return unusable(format!("the sizes in config.json are not those of an encoder: {shape:?}"));
        }
        Ok(Self { shape, family })
    }

    /// The sizes.
    #[must_use]
    pub const fn shape(&self) -> &Shape {
        &self.shape
    }

    /// The row of the first piece in the table of positions.
    pub(super) const fn first_position(&self) -> usize {
        match self.family {
            Family::Bert { first_position } => first_position,
            Family::DistilBert => 0,
        }
    }

    /// What a tensor of a layer is called.
    pub(super) fn name(&self, layer: usize, part: Part) -> String {
        match self.family {
            Family::Bert { .. } => format!("encoder.layer.{layer}.{}", part.of_bert()),
            Family::DistilBert => format!("transformer.layer.{layer}.{}", part.of_distilbert()),
        }
    }
}

/// A part of a layer, with a weight and a bias.
#[derive(Debug, Clone, Copy)]
pub(super) enum Part {
    Query,
    Key,
    Value,
    AttentionOutput,
    AttentionNorm,
    Up,
    Down,
    OutputNorm,
}

impl Part {
    const fn of_bert(self) -> &'static str {
        match self {
            Self::Query => "attention.self.query",
            Self::Key => "attention.self.key",
            Self::Value => "attention.self.value",
            Self::AttentionOutput => "attention.output.dense",
            Self::AttentionNorm => "attention.output.LayerNorm",
            Self::Up => "intermediate.dense",
            Self::Down => "output.dense",
            Self::OutputNorm => "output.LayerNorm",
        }
    }

    const fn of_distilbert(self) -> &'static str {
        match self {
            Self::Query => "attention.q_lin",
            Self::Key => "attention.k_lin",
            Self::Value => "attention.v_lin",
            Self::AttentionOutput => "attention.out_lin",
            Self::AttentionNorm => "sa_layer_norm",
            Self::Up => "ffn.lin1",
            Self::Down => "ffn.lin2",
            Self::OutputNorm => "output_layer_norm",
        }
    }
}
