//! Replies of any content: never a crash, and never a vector that would spoil the index.

use proptest::prelude::*;
use serde_json::{Value, json};
use url::Url;

use crate::{
    check::check,
    wire::{Wire, gemini::Gemini, ollama::Ollama, openai::OpenAi},
};

fn wires() -> [Box<dyn Wire>; 3] {
    let url = Url::parse("http://127.0.0.1:1/v1").unwrap();
    let openai = OpenAi {
        url: url.clone(),
        model: "m".into(),
        dimensions: None,
        query_input_type: None,
        document_input_type: None,
        base64: true,
    };
    let ollama = Ollama { url: url.clone(), model: "m".into(), dimensions: None };
    [Box::new(openai), Box::new(ollama), Box::new(Gemini::new(&url, "m", None, None, None))]
}

/// Any JSON, under the names that replies use.
fn values() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<f64>().prop_map(Value::from),
        "[A-Za-z0-9+/=]{0,12}".prop_map(Value::from),
        prop::collection::vec(-2.0..2.0f32, 0..5).prop_map(|numbers| json!(numbers)),
    ];
    let names = prop::sample::select(vec![
        "data",
        "embedding",
        "embeddings",
        "values",
        "index",
        "usage",
        "total_tokens",
        "usageMetadata",
        "error",
    ]);
    leaf.prop_recursive(4, 24, 4, move |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            prop::collection::vec((names.clone(), inner), 0..4)
                .prop_map(|fields| fields.into_iter().map(|(name, value)| (name.to_owned(), value)).collect()),
        ]
    })
}

/// A whole reply of each wire format.
fn reply(wire: usize, vectors: &[Vec<f32>]) -> Value {
    match wire {
        0 => {
            let data = vectors.iter().enumerate().map(|(index, v)| json!({ "index": index, "embedding": v }));
            json!({ "data": data.collect::<Vec<_>>(), "usage": { "total_tokens": 3 } })
        }
        1 => json!({ "embeddings": vectors, "prompt_eval_count": 3 }),
        _ => json!({ "embeddings": vectors.iter().map(|v| json!({ "values": v })).collect::<Vec<_>>() }),
    }
}

/// What goes on to the index is as many vectors as texts, all of one length, none of them empty, zero or not finite.
fn is_safe(wire: &dyn Wire, body: &[u8], texts: usize, dims: usize) -> Result<(), TestCaseError> {
    let answer = match wire.parse(body) {
        Ok(answer) => answer,
        Err(reason) => {
            prop_assert!(reason.len() < 200, "a reply is not quoted: {reason}");
            return Ok(());
        }
    };
    let Ok(checked) = check(answer.vectors, texts, dims) else { return Ok(()) };
    prop_assert_eq!(checked.len(), texts);
    let good: Vec<Vec<f32>> = checked.into_iter().flatten().collect();
    for vector in &good {
        prop_assert!(!vector.is_empty() && vector.len() == good[0].len() && (dims == 0 || vector.len() == dims));
        prop_assert!(vector.iter().all(|x| x.is_finite()) && vector.iter().any(|x| *x != 0.0));
    }
    Ok(())
}

proptest! {
    #[test]
    fn any_bytes_and_any_json_are_an_error_or_sound_vectors(
        bytes in prop::collection::vec(any::<u8>(), 0..200),
        value in values(),
        (texts, dims) in (0..4usize, 0..4usize),
    ) {
        for wire in wires() {
            is_safe(&*wire, &bytes, texts, dims)?;
            is_safe(&*wire, value.to_string().as_bytes(), texts, dims)?;
        }
    }

    #[test]
    fn a_good_reply_is_read_and_a_spoilt_one_is_an_error_or_sound_vectors(
        vectors in prop::collection::vec(prop::collection::vec(-4.0..4.0f32, 3), 1..5),
        spoil in prop::collection::vec((0.0..1.0f64, any::<u8>()), 0..6),
        cut in prop::option::of(0.0..1.0f64),
    ) {
        for (n, wire) in wires().into_iter().enumerate() {
            let mut body = reply(n, &vectors).to_string().into_bytes();
            prop_assert_eq!(&wire.parse(&body).unwrap().vectors, &vectors);
            for (at, byte) in &spoil {
                let at = (at * body.len() as f64) as usize;
                body[at] = *byte;
            }
            if let Some(cut) = cut {
                body.truncate((cut * body.len() as f64) as usize);
            }
            is_safe(&*wire, &body, vectors.len(), 3)?;
        }
    }
}
