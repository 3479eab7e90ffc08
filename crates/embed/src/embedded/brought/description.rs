//! What the files of a sentence encoder say, as sentence-transformers lays them out.

use std::{collections::BTreeMap, path::Path};

use serde::Deserialize;
use serde_json::Value;

use minilm::{Pooling, convert::Architecture};
use model::{
    error::{Code, Error, Result},
    own_file,
};

use super::Prefixes;

/// The weights.
pub(super) const WEIGHTS: &str = "model.safetensors";
/// The tokenizer.
pub(super) const TOKENIZER: &str = "tokenizer.json";
const CONFIG: &str = "config.json";
const MODULES: &str = "modules.json";
const POOLING: &str = "1_Pooling/config.json";
/// Where older and newer versions say how long a text may be.
const LENGTH: &str = "sentence_bert_config.json";
const TOKENIZER_CONFIG: &str = "tokenizer_config.json";
const PROMPTS: &str = "config_sentence_transformers.json";

/// Files that every model has, the largest last.
pub(super) const REQUIRED: [&str; 3] = [CONFIG, TOKENIZER, WEIGHTS];
/// Files that say more about it.
pub(super) const OPTIONAL: [&str; 5] = [MODULES, POOLING, LENGTH, TOKENIZER_CONFIG, PROMPTS];

/// A length beyond this stands for none.
const NO_LENGTH: f64 = 1e6;

/// A sentence encoder but for its weights.
pub(super) struct Description {
    pub(super) architecture: Architecture,
    pub(super) tokenizer: Vec<u8>,
    pub(super) prefixes: Prefixes,
    /// Whether texts are to be in lower case.
    pub(super) lower: bool,
}

#[derive(Deserialize)]
struct Module {
    path: String,
    #[serde(rename = "type")]
    kind: String,
}

impl Description {
    /// Reads the folder of a model that people call `name`.
    ///
    /// # Errors
    /// [`Code::NotFound`] when a file is missing, [`Code::Config`] when the encoder is none that can be run here.
    pub(super) fn read(folder: &Path, name: &str) -> Result<Self> {
        let required = |file: &str| read(folder, file)?.ok_or_else(|| missing(folder, file));
        let optional = |file: &str| json(folder, file);
        let pooling = pooling(folder, optional(MODULES)?, optional(POOLING)?)?;
        let length = optional(LENGTH)?.unwrap_or_default();
        let tokenizer_config = optional(TOKENIZER_CONFIG)?.unwrap_or_default();
        let longest = [length.get("max_seq_length"), tokenizer_config.get("model_max_length")];
        let longest = longest.into_iter().flatten().find_map(Value::as_f64);
        let longest = longest.filter(|length| (1.0..NO_LENGTH).contains(length)).map(|length| length as usize);
        let architecture = Architecture::read(&required(CONFIG)?, pooling, longest)
            .map_err(|fault| unusable(folder, &fault.to_string()))?;
        Ok(Self {
            architecture,
            tokenizer: required(TOKENIZER)?,
            prefixes: prefixes(&optional(PROMPTS)?.unwrap_or_default(), name),
            lower: length.get("do_lower_case").and_then(Value::as_bool).unwrap_or_default(),
        })
    }
}

/// Why a model cannot be used, with what to do about it.
pub(super) fn unusable(folder: &Path, cause: &str) -> Error {
    Error::new(Code::Config, format!("the model in {} cannot be used: {cause}", folder.display()))
        .remedy("Choose a sentence encoder of the BERT family, such as hf:intfloat/multilingual-e5-small, or run this one with Ollama")
}

/// The error for a file that is not there.
pub(super) fn missing(folder: &Path, file: &str) -> Error {
    Error::new(Code::NotFound, format!("there is no {file} in {}", folder.display())).remedy(
        "Set `model` to a folder with config.json, tokenizer.json and model.safetensors, as the model's page offers them",
    )
}

fn read(folder: &Path, file: &str) -> Result<Option<Vec<u8>>> {
    own_file::read(&folder.join(file))
}

fn json(folder: &Path, file: &str) -> Result<Option<Value>> {
    let Some(bytes) = read(folder, file)? else { return Ok(None) };
    let value =
        serde_json::from_slice(&bytes).map_err(|error| unusable(folder, &format!("{file} is damaged: {error}")))?;
    Ok(Some(value))
}

/// How states become a vector; the mean where nothing says.
fn pooling(folder: &Path, modules: Option<Value>, pooling: Option<Value>) -> Result<Pooling> {
    let refuse = |cause: String| Err(unusable(folder, &cause));
    if let Some(modules) = modules {
        let Ok(modules) = serde_json::from_value::<Vec<Module>>(modules) else {
            return refuse(format!("{MODULES} is damaged"));
        };
        for Module { path, kind } in modules {
            match kind.rsplit('.').next().unwrap_or_default() {
                "Transformer" | "Normalize" => {}
                "Pooling" if path == "1_Pooling" => {}
                other => {
                    return refuse(format!(
                        "it has a module {other:?} after its layers, which this encoder cannot run"
                    ));
                }
            }
        }
    }
    let Some(pooling) = pooling else { return Ok(Pooling::Mean) };
    // Newer versions name the way, older ones have a switch for each.
    let switch = |(key, value): (&String, &Value)| {
        let way = key.strip_prefix("pooling_mode_").filter(|_| value.as_bool() == Some(true))?;
        Some(match way {
            "mean_tokens" => "mean".to_owned(),
            "cls_token" => "cls".to_owned(),
            other => other.to_owned(),
        })
    };
    let named = pooling.get("pooling_mode").and_then(Value::as_str).map(str::to_owned);
    let ways: Vec<String> = match named {
        Some(way) => vec![way],
        None => pooling.as_object().into_iter().flatten().filter_map(switch).collect(),
    };
    let whole = pooling.get("include_prompt").and_then(Value::as_bool) != Some(false);
    match ways.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        ["mean"] if whole => Ok(Pooling::Mean),
        ["cls"] if whole => Ok(Pooling::Cls),
        _ => {
            refuse(format!("its pooling is {ways:?}; this encoder takes the mean or the first state, prefix included"))
        }
    }
}

/// The prefixes that the model's own files name. Models of the e5 family do not say that they need theirs.
fn prefixes(config: &Value, name: &str) -> Prefixes {
    let prompts: BTreeMap<String, String> =
        config.get("prompts").and_then(|prompts| serde_json::from_value(prompts.clone()).ok()).unwrap_or_default();
    let standard = config.get("default_prompt_name").and_then(Value::as_str);
    let find = |keys: &[&str]| {
        let keys = keys.iter().copied().chain(standard);
        keys.filter_map(|key| prompts.get(key)).find(|prompt| !prompt.is_empty()).cloned()
    };
    let (query, document) = (find(&["query"]), find(&["document", "passage", "corpus"]));
    let lower = name.to_lowercase();
    let is_e5 = lower.split(['-', '_', '.']).any(|part| part == "e5") && !lower.contains("instruct");
    if is_e5 && query.is_none() && document.is_none() {
        return Prefixes { query: "query: ".to_owned(), document: "passage: ".to_owned() };
    }
    Prefixes { query: query.unwrap_or_default(), document: document.unwrap_or_default() }
}
