use std::path::Path;

use serde_json::{Value, json};

use super::{Modality, Multimodal, Takes};
use crate::{
    config::{
        resolve::{ResolveInput, resolve},
        settings::Resolved,
    },
    error::{Code, Result},
};

fn resolved(config: &Value) -> Result<Option<Resolved>> {
    resolve(&ResolveInput {
        config,
        agent_id: "main",
        state_dir: Path::new("/state"),
        home_dir: Path::new("/home/u"),
        workspace_dir: None,
        default_workspace_dir: None,
    })
}

fn of(search: &Value) -> Resolved {
    resolved(&json!({"memory": {"search": search}})).expect("resolved").expect("switched on")
}

fn multimodal(search: &Value) -> Option<Multimodal> {
    of(search).settings.multimodal
}

#[test]
fn nothing_but_text_is_indexed_until_somebody_says_so() {
    for search in [json!({}), json!({"multimodal": {"modalities": ["all"]}}), json!({"multimodal": {"enabled": false}})]
    {
        assert_eq!(multimodal(&search), None, "{search}");
    }
    assert_eq!(multimodal(&json!({"multimodal": {"enabled": true, "modalities": []}})), None);
}

#[test]
fn kinds_and_size_are_read_as_memory_core_reads_them() {
    let read = |settings: Value| {
        let found = multimodal(&json!({"multimodal": settings})).expect("on");
        (found.image, found.audio, found.max_file_bytes)
    };
    assert_eq!(read(json!({"enabled": true})), (true, true, 10_485_760));
    assert_eq!(read(json!({"enabled": true, "modalities": ["image"], "maxFileBytes": 5})), (true, false, 5));
    assert_eq!(read(json!({"enabled": true, "modalities": ["audio", "image"]})), (true, true, 10_485_760));
    assert_eq!(read(json!({"enabled": true, "modalities": ["all"]})), (true, true, 10_485_760));
    let warnings = of(&json!({"multimodal": {"enabled": true, "modalities": ["video", "audio"]}})).warnings;
    assert!(warnings.iter().any(|warning| warning.contains("unknown kind \"video\"")), "{warnings:?}");
}

#[test]
fn a_fallback_is_an_error_as_in_memory_core() {
    let with = |fallback: &str| {
        let search = json!({"provider": "gemini", "fallback": fallback, "multimodal": {"enabled": true}});
        resolved(&json!({"memory": {"search": search}}))
    };
    assert_eq!(with("openai").expect_err("refused").code(), Code::Config);
    assert!(with("none").is_ok());
}

#[test]
fn only_a_model_that_takes_pictures_gets_any_and_every_other_one_is_named_once() {
    let takes = |provider: &str, model: &str| {
        let resolved = of(&json!({"provider": provider, "model": model, "multimodal": {"enabled": true}}));
        let told = resolved.warnings.iter().filter(|warning| warning.contains("embeds text only")).count();
        (resolved.settings.multimodal.expect("on").takes, told)
    };
    for model in ["gemini-embedding-2", "gemini-embedding-2-preview", "models/gemini-embedding-2"] {
        assert_eq!(takes("gemini", model), (Takes::Gemini, 0), "{model}");
    }
    for model in ["gemini-embedding-001", "gemini-embedding-20", "text-embedding-004"] {
        assert_eq!(takes("gemini", model), (Takes::Text, 1), "{model}");
    }
    assert_eq!(takes("openai", "gemini-embedding-2"), (Takes::Text, 1));
    let config =
        json!({"memory": {"search": {"provider": "acme", "multimodal": {"enabled": true}}}, "adapterTakesMedia": true});
    let by_adapter = resolved(&config).expect("resolved").expect("on");
    assert_eq!(by_adapter.settings.multimodal.expect("on").takes, Takes::Any);
}

#[test]
fn a_name_tells_the_kind_and_gemini_gets_what_it_documents() {
    let all =
        multimodal(&json!({"provider": "gemini", "model": "gemini-embedding-2", "multimodal": {"enabled": true}}))
            .expect("on");
    for (name, kind) in [
        ("a.PNG", Some(Modality::Image)),
        ("ünïcode 猫.heic", Some(Modality::Image)),
        ("a.b.opus", Some(Modality::Audio)),
        ("a.md", None),
        ("png", None),
        ("a.png.txt", None),
    ] {
        assert_eq!(all.modality_of(name), kind, "{name}");
    }
    assert_eq!(Multimodal { image: false, ..all }.modality_of("a.png"), None);
    assert!(all.sends("image/png") && all.sends("audio/mpeg"));
    assert!(!all.sends("image/webp") && !all.sends("audio/ogg"));
}
