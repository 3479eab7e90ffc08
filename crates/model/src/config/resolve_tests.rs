use proptest::prelude::*;
use serde_json::json;

use super::*;
use crate::config::settings::{Citations, FtsTokenizer};

fn input<'a>(config: &'a Value, agent_id: &'a str) -> ResolveInput<'a> {
    ResolveInput {
        config,
        agent_id,
        state_dir: Path::new("/home/u/.openclaw"),
        home_dir: Path::new("/home/u"),
        workspace_dir: None,
        default_workspace_dir: None,
    }
}

fn resolved(config: &Value, agent_id: &str) -> Resolved {
    resolve(&input(config, agent_id)).expect("usable").expect("enabled")
}

fn plugin(config: Value) -> Value {
    json!({"plugins": {"entries": {"memory-core-rs": {"config": config}}}})
}

#[test]
fn an_empty_configuration_gives_the_documented_defaults() {
    let Resolved { settings, origins, warnings, .. } = resolved(&json!({}), "");
    assert_eq!(settings.agent_id, "main");
    assert_eq!(settings.workspace_dir, Path::new("/home/u/.openclaw/workspace"));
    assert_eq!(settings.database_path, Path::new("/home/u/.openclaw/memory-core-rs/main/index.sqlite"));
    assert_eq!(settings.sources, Sources { memory: true, sessions: false });
    assert_eq!(settings.chunking, Chunking { tokens: 400, overlap: 80 });
    assert_eq!((settings.query.max_results, settings.query.budget_chars), (None, 4_200));
    assert_eq!(settings.query.min_score, None);
    assert_eq!((settings.query.vector_weight, settings.query.text_weight), (0.7, 0.3));
    assert_eq!(settings.query.candidate_multiplier, 4);
    assert_eq!(settings.query.ranking, Ranking::Native);
    assert_eq!(settings.provider.id, "auto");
    assert_eq!(settings.provider.fallback, None);
    assert_eq!((settings.provider.query_timeout_ms, settings.provider.document_timeout_ms), (60_000, 120_000));
    assert_eq!(settings.sync.watch_debounce_ms, 1500);
    assert_eq!((settings.sync.session_delta_bytes, settings.sync.session_delta_messages), (100_000, 50));
    assert_eq!(settings.cache, CacheSettings { enabled: true, max_entries: None });
    assert_eq!(settings.fts_tokenizer, FtsTokenizer::Unicode61);
    assert_eq!(settings.citations, Citations::Auto);
    assert_eq!(settings.excerpt, ExcerptSettings { lines: 120, chars: 12_000 });
    assert!(warnings.is_empty(), "{warnings:?}");
    assert!(origins.values().all(|origin| origin == "default"), "{origins:?}");
}

#[test]
fn the_same_goes_for_no_configuration_at_all() {
    assert_eq!(resolved(&Value::Null, "main").settings, resolved(&json!({}), "main").settings);
    assert_eq!(resolve(&input(&json!([]), "main")).map(|_| ()).expect_err("no object").code(), Code::Config);
}

// `status --verbose` showed nothing for a setting that the resolved settings keep under another name.
#[test]
fn values_stand_under_the_names_of_the_table() {
    let query = json!({"hybrid": {"vectorWeight": 0.4}, "ranking": "memory-core"});
    let values =
        resolved(&json!({"memory": {"search": {"query": query, "model": " b ", "sync": {"watch": false}}}}), "").values;
    assert_eq!(values["query.hybrid.vectorWeight"], 0.4);
    assert_eq!(values["query.hybrid.textWeight"], table::QUERY_HYBRID_TEXT_WEIGHT.default);
    assert_eq!(values["query.ranking"], "memory-core");
    assert_eq!(values["onOutage"], "keywords");
    assert_eq!(values["model"], "b");
    assert_eq!(values["sync.watch"], false);
    assert_eq!(values["remote.batch.concurrency"], table::REMOTE_BATCH_CONCURRENCY.default);
    assert_eq!(values.get("query.minScore"), None);
}

#[test]
fn later_layers_win_and_origins_tell_which() {
    let mut config = json!({
        "agents": {
            "defaults": {"memorySearch": {"query": {"maxResults": 1, "minScore": 0.1}, "model": "a", "sync": {"watch": false}}},
            "entries": {"Work": {"memory": {"search": {"query": {"maxResults": 3}}}}},
        },
        "memory": {"search": {"query": {"maxResults": 2}, "model": "b"}},
        "plugins": {"entries": {"memory-core-rs": {"config": {
            "chunking": {"tokens": 100},
            "agents": {"WORK": {"chunking": {"tokens": 200}}},
        }}}},
    });
    let work = resolved(&config, "work");
    assert_eq!(work.settings.query.max_results, Some(3));
    assert_eq!(work.origins["query.maxResults"], "agents.entries.Work.memory.search.query.maxResults");
    assert_eq!(work.settings.provider.model.as_deref(), Some("b"));
    assert_eq!(work.origins["model"], "memory.search.model");
    assert_eq!(work.settings.query.min_score, Some(0.1));
    assert!(!work.settings.sync.watch);
    assert_eq!(work.origins["sync.watch"], "agents.defaults.memorySearch.sync.watch");
    assert_eq!(work.settings.chunking.tokens, 200);
    assert_eq!(work.origins["chunking.tokens"], "plugins.entries.memory-core-rs.config.agents.WORK.chunking.tokens");
    assert_eq!(resolved(&config, "other").settings.query.max_results, Some(2));
    assert_eq!(resolved(&config, "other").settings.chunking.tokens, 100);

    config["plugins"]["entries"]["memory-core-rs"]["config"]["query"] = json!({"maxResults": 9});
    assert_eq!(resolved(&config, "work").settings.query.max_results, Some(9));
}

#[test]
fn agents_of_older_hosts_are_read_from_the_list() {
    let config = json!({"agents": {"list": [
        {"id": "main"},
        {"id": "Notes", "workspace": "~/notes", "memorySearch": {"enabled": false}},
    ]}});
    assert!(resolve(&input(&config, "notes")).expect("usable").is_none());
    assert!(resolve(&input(&config, "main")).expect("usable").is_some());
}

#[test]
fn memory_search_can_be_switched_on_for_one_agent_only() {
    let config = json!({
        "memory": {"search": {"enabled": false}},
        "agents": {"entries": {"a": {"memory": {"search": {"enabled": true}}}, "b": {}}},
    });
    assert!(resolve(&input(&config, "a")).expect("usable").is_some());
    assert!(resolve(&input(&config, "b")).expect("usable").is_none());
}

#[test]
fn numbers_are_clamped_with_a_warning_that_names_the_place() {
    let config = json!({"agents": {"defaults": {"memorySearch": {
        "chunking": {"tokens": 50, "overlap": 60},
        "query": {"ranking": "memory-core", "minScore": 1.5, "maxResults": 0, "hybrid": {
            "vectorWeight": 4, "textWeight": 1, "candidateMultiplier": 99,
            "mmr": {"enabled": true, "lambda": -1}, "temporalDecay": {"halfLifeDays": 0.5}}},
        "cache": {"maxEntries": 2.9},
        "remote": {"batch": {"concurrency": 0}},
    }}}});
    let Resolved { settings, warnings, .. } = resolved(&config, "main");
    assert_eq!(settings.chunking, Chunking { tokens: 50, overlap: 49 });
    assert_eq!(settings.query.min_score, Some(1.0));
    assert_eq!(settings.query.max_results, Some(1));
    assert_eq!((settings.query.vector_weight, settings.query.text_weight), (0.5, 0.5));
    assert_eq!(settings.query.candidate_multiplier, 20);
    assert_eq!(settings.query.mmr_lambda, 0.0);
    assert_eq!(settings.query.half_life_days, 1.0);
    assert_eq!(settings.cache.max_entries, Some(2));
    assert_eq!(settings.provider.batch.concurrency, 1);
    assert_eq!(warnings.len(), 9, "{warnings:#?}");
    let prefix = "agents.defaults.memorySearch.";
    assert!(warnings.iter().all(|warning| warning.starts_with(prefix)), "{warnings:#?}");
    assert!(warnings.contains(&format!("{prefix}query.minScore is 1.5, which is out of range; 1 is used")));
}

#[test]
fn a_default_overlap_gives_way_silently_to_small_chunks() {
    let config = plugin(json!({"chunking": {"tokens": 10}}));
    let Resolved { settings, warnings, .. } = resolved(&config, "main");
    assert_eq!(settings.chunking, Chunking { tokens: 10, overlap: 9 });
    assert!(warnings.is_empty(), "{warnings:?}");
}

#[test]
fn both_weights_zero_mean_the_defaults() {
    let config = plugin(json!({"query": {"hybrid": {"vectorWeight": 0, "textWeight": 0}}}));
    let query = resolved(&config, "main").settings.query;
    assert_eq!((query.vector_weight, query.text_weight), (0.7, 0.3));
}

#[test]
fn a_value_of_the_wrong_type_gives_way_to_the_layer_below() {
    let config = json!({
        "agents": {"defaults": {"memorySearch": {
            "query": {"ranking": "memory-core", "maxResults": 4}, "store": {"fts": {"tokenizer": "words"}},
        }}},
        "memory": {"search": {"query": {"maxResults": "five"}}},
        "plugins": {"entries": {"memory-core-rs": {"config": {"query": {"maxResults": [6]}, "timeZone": "Mars/Base"}}}},
    });
    let Resolved { settings, warnings, origins, .. } = resolved(&config, "main");
    assert_eq!(settings.query.max_results, Some(4));
    assert_eq!(settings.time_zone, None);
    assert_eq!(origins["query.maxResults"], "agents.defaults.memorySearch.query.maxResults");
    assert_eq!(
        warnings,
        [
            "plugins.entries.memory-core-rs.config.timeZone is a text, expected the name of a time zone such as \
             \"Europe/Berlin\"; the default is used",
            "plugins.entries.memory-core-rs.config.query.maxResults is a list, expected a whole number; \
             agents.defaults.memorySearch.query.maxResults is used",
            "memory.search.query.maxResults is a text, expected a whole number; \
             agents.defaults.memorySearch.query.maxResults is used",
            "agents.defaults.memorySearch.store.fts.tokenizer is a text, expected one of \"unicode61\", \"trigram\"; \
             the default is used",
        ]
    );
}

#[test]
fn a_layer_that_is_no_object_is_named_and_ignored() {
    let warnings = resolved(&json!({"memory": {"search": true}}), "main").warnings;
    assert_eq!(warnings, ["memory.search is a truth value, expected an object; it is ignored"]);
}

// They were taken for nothing set, and whoever wrote them waited for a change.
#[test]
fn what_stands_in_the_place_of_a_group_is_named() {
    let config = json!({"memory": {"search": {"query": 6, "remote": {"batch": true}, "multimodal": 1}}});
    let Resolved { settings, warnings, .. } = resolved(&config, "main");
    assert_eq!(settings.query.max_results, None);
    assert_eq!(
        warnings,
        [
            "memory.search.multimodal is a number, expected an object; it is ignored",
            "memory.search.remote.batch is a truth value, expected an object; it is ignored",
            "memory.search.query is a number, expected an object; it is ignored",
        ]
    );
}

#[test]
fn transcripts_need_both_switches() {
    let sources = |search: Value| resolved(&json!({"memory": {"search": search}}), "main");
    let both = sources(json!({"sources": ["memory", "sessions"], "experimental": {"sessionMemory": true}}));
    assert_eq!(both.settings.sources, Sources { memory: true, sessions: true });
    let only = sources(json!({"sources": ["sessions"], "experimental": {"sessionMemory": true}}));
    assert_eq!(only.settings.sources, Sources { memory: false, sessions: true });
    let gated = sources(json!({"sources": ["sessions"]}));
    assert_eq!(gated.settings.sources, Sources { memory: true, sessions: false });
    assert!(gated.warnings[0].contains("experimental.sessionMemory"), "{:?}", gated.warnings);
    let remembered = |search: Value| {
        let config = json!({"memory": {"search": search}, "remembersConversations": true});
        let settings = resolved(&config, "main").settings;
        (settings.sources.memory, settings.sources.sessions, settings.searches_sessions)
    };
    assert_eq!(remembered(json!({})), (true, true, false));
    assert_eq!(remembered(json!({"sources": ["memory"]})), (true, true, false));
    assert_eq!(remembered(json!({"sources": ["memory", "sessions"]})), (true, true, true));
    let unknown = sources(json!({"sources": ["mail"]}));
    assert_eq!(unknown.settings.sources, Sources { memory: true, sessions: false });
    assert!(unknown.warnings[0].contains("\"mail\""), "{:?}", unknown.warnings);
}

// What another gateway forgot was looked for in a file that nobody writes.
#[test]
fn the_last_turns_are_where_automatic_memory_writes_them() {
    let at = |config: Value, agent: &str| resolved(&config, agent).settings.short_term_file.display().to_string();
    let named = json!({"entries": {"memory-core-rs": {"config": {"shortTerm": {"path": "/x/st.jsonl"}}}}});
    assert_eq!(at(json!({"isDefaultAgent": true}), "main"), "/home/u/.openclaw/memory/short-term.jsonl");
    assert_eq!(at(json!({"isDefaultAgent": true, "plugins": named}), "main"), "/x/st.jsonl");
    assert_eq!(at(json!({"plugins": named}), "work"), "/home/u/.openclaw/memory-core-rs/work/short-term.jsonl");
}

#[test]
fn extra_paths_of_all_layers_are_joined_once_each() {
    let config = json!({
        "agents": {
            "defaults": {"memorySearch": {"extraPaths": [" ../team ", "/srv/a.md", ""]}},
            "list": [{"id": "main", "memorySearch": {"extraPaths": ["/srv/a.md", "~/notes", 7]}}],
        },
        "plugins": {"entries": {"memory-core-rs": {"config": {"extraPaths": [{"path": "docs[1]/", "pattern": "**/*.md"}]}}}},
    });
    let Resolved { settings, warnings, origins, .. } = resolved(&config, "main");
    assert_eq!(settings.extra_paths, ["../team", "/srv/a.md", "/home/u/notes", "docs[[]1[]]/**/*.md"]);
    assert!(warnings[0].starts_with("agents.list[0].memorySearch.extraPaths[2]"), "{warnings:?}");
    assert!(origins["extraPaths"].starts_with("agents.defaults.memorySearch.extraPaths, "), "{origins:?}");
}

#[test]
fn the_workspace_follows_the_hosts_rule() {
    let at = |config: Value, agent: &str| resolved(&config, agent).settings.workspace_dir.display().to_string();
    let listed = |defaults: Value| json!({"agents": {"defaults": defaults, "list": [{"id": "a"}, {"id": "b"}]}});
    assert_eq!(at(listed(json!({"workspace": "~/ws"})), "a"), "/home/u/ws");
    assert_eq!(at(listed(json!({"workspace": "~/ws"})), "b"), "/home/u/ws/b");
    assert_eq!(at(listed(json!({})), "a"), "/home/u/.openclaw/workspace");
    assert_eq!(at(listed(json!({})), "b"), "/home/u/.openclaw/workspace-b");
    let own = json!({"agents": {"entries": {"b": {"workspace": " /x/./y/../z\u{0} "}}}});
    assert_eq!(at(own.clone(), "b"), "/x/z");
    assert_eq!(at(own, "main"), "/home/u/.openclaw/workspace-main");

    let config = json!({"agents": {"defaults": {"workspace": "/ignored"}}});
    let given = ResolveInput { workspace_dir: Some(Path::new("/from/host")), ..input(&config, "main") };
    let settings = resolve(&given).expect("usable").expect("enabled").settings;
    assert_eq!(settings.workspace_dir, Path::new("/from/host"));
    let config = json!({});
    let given = ResolveInput { default_workspace_dir: Some(Path::new("/from/env")), ..input(&config, "main") };
    let settings = resolve(&given).expect("usable").expect("enabled").settings;
    assert_eq!(settings.workspace_dir, Path::new("/from/env"));
}

#[test]
fn the_store_path_keeps_agents_apart() {
    let shared = |path: &str| {
        json!({"agents": {
            "defaults": {"memorySearch": {"store": {"path": path}}},
            "list": [{"id": "main"}, {"id": "b"}],
        }})
    };
    let at = |config: &Value, agent: &str| resolved(config, agent).settings.database_path.display().to_string();
    let token = shared("~/db/{agentId}/{agentId}.sqlite");
    assert_eq!(at(&token, "b"), "/home/u/db/b/b.sqlite");
    assert!(resolved(&token, "b").warnings.is_empty());
    let fixed = shared("/db/one.sqlite");
    assert_eq!(at(&fixed, "main"), "/db/one.sqlite");
    assert_eq!(at(&fixed, "b"), "/db/one-b.sqlite");
    assert!(resolved(&fixed, "b").warnings[0].contains("{agentId}"));
    assert_eq!(at(&shared("rel/x.db"), "main"), "/home/u/.openclaw/rel/x.db");

    let hosts = shared("/s/agents/{agentId}/agent/openclaw-agent.sqlite");
    assert_eq!(resolve(&input(&hosts, "b")).map(|_| ()).expect_err("refused").code(), Code::Config);
}

#[test]
fn input_types_and_time_limits_of_a_provider_on_this_machine() {
    let config = json!({"memory": {"search": {"provider": "Ollama", "inputType": "any", "queryInputType": "q"}}});
    let provider = resolved(&config, "main").settings.provider;
    assert_eq!(provider.id, "ollama");
    assert_eq!(provider.query_input_type.as_deref(), Some("q"));
    assert_eq!(provider.document_input_type.as_deref(), Some("any"));
    assert_eq!(provider.query_timeout_ms, 300_000);
}

// llama.cpp's server had the time of a service far away: on a slow machine its answers were never waited for.
#[test]
fn every_server_on_this_machine_has_the_longer_time_limits() {
    for id in ["local", "ollama", "lmstudio", "llama-server", "embedded"] {
        let provider = resolved(&json!({"memory": {"search": {"provider": id}}}), "main").settings.provider;
        assert_eq!((provider.query_timeout_ms, provider.document_timeout_ms), (300_000, 600_000), "{id}");
    }
    let far = resolved(&json!({"memory": {"search": {"provider": "openai"}}}), "main").settings.provider;
    assert_eq!((far.query_timeout_ms, far.document_timeout_ms), (60_000, 120_000));
}

#[test]
fn secrets_stay_out_of_the_settings() {
    let config = json!({"memory": {"search": {
        "provider": "openai", "remote": {"apiKey": "sk-canary", "headers": {"X-Key": "sk-canary"}},
    }}});
    let Resolved { settings, origins, warnings, .. } = resolved(&config, "main");
    let shown = format!("{settings:?} {origins:?} {warnings:?}");
    assert!(!shown.contains("canary"), "{shown}");
}

#[test]
fn limits_of_memory_get_come_from_the_host_unless_set_for_us() {
    let mut config = json!({"agents": {
        "defaults": {"contextLimits": {"memoryGetMaxChars": 5000}},
        "entries": {"a": {"contextLimits": {"memoryGetMaxChars": 7000}}, "b": {}},
    }});
    assert_eq!(resolved(&config, "a").settings.excerpt.chars, 7000);
    assert_eq!(resolved(&config, "b").settings.excerpt.chars, 5000);
    config["plugins"] = plugin(json!({"memoryGet": {"maxChars": 9000, "lines": 10}}))["plugins"].take();
    assert_eq!(resolved(&config, "b").settings.excerpt, ExcerptSettings { lines: 10, chars: 9000 });
}

#[test]
fn settings_without_effect_are_named() {
    let config = json!({"agents": {"defaults": {"memorySearch": {
        "store": {"driver": "sqlite", "vector": {"extensionPath": "/x.so"}},
    }}}});
    let warnings = resolved(&config, "main").warnings;
    assert!(matches!(&warnings[..], [one] if one.contains("has no effect")), "{warnings:?}");
}

#[test]
fn a_model_of_another_provider_has_no_effect_beside_the_embedded_one() {
    let warnings = |model: &str| {
        let config = json!({"memory": {"search": {"provider": "embedded", "model": model}}});
        resolved(&config, "main").warnings
    };
    let told = warnings("text-embedding-3-small");
    assert!(matches!(&told[..], [one] if one.starts_with("memory.search.model has no effect: ")), "{told:?}");
    for meant in ["hf:intfloat/multilingual-e5-small", "/models/e5", "all-MiniLM-L6-v2"] {
        assert!(warnings(meant).is_empty(), "{meant}");
    }
}

// They were taken in without a word, and whoever tuned them waited for a change.
#[test]
fn settings_of_the_other_ranking_and_of_what_is_off_are_named() {
    let search = |ranking: &str, hybrid: bool, mmr: bool, on: bool| {
        let sources = if on { json!(["memory", "sessions"]) } else { json!(["memory"]) };
        let config = json!({"memory": {"search": {
            "query": {"ranking": ranking, "hybrid": {
                "enabled": hybrid, "vectorWeight": 0.5, "textWeight": 0.5, "candidateMultiplier": 8,
                "mmr": {"enabled": mmr, "lambda": 0.5}, "temporalDecay": {"enabled": true, "halfLifeDays": 9},
            }},
            "store": {"fts": {"tokenizer": "trigram"}},
            "sources": sources, "experimental": {"sessionMemory": on},
            "sync": {"watch": on, "watchDebounceMs": 9, "reconcileSeconds": 9, "onSearch": false,
                "sessions": {"deltaBytes": 9, "deltaMessages": 9, "postCompactionForce": true}},
        }}});
        let warnings = resolved(&config, "main").warnings;
        let named = |warning: &String| {
            let (key, why) = warning.strip_prefix("memory.search.").unwrap().split_once(" has no effect: ").unwrap();
            assert!(!why.is_empty());
            key.to_owned()
        };
        warnings.iter().map(named).collect::<Vec<_>>()
    };
    let of_ranking = ["vectorWeight", "textWeight", "candidateMultiplier", "mmr.enabled", "mmr.lambda"];
    let mut of_ranking = of_ranking.map(|key| format!("query.hybrid.{key}")).to_vec();
    of_ranking.push("store.fts.tokenizer".to_owned());
    assert_eq!(search("native", true, true, true), of_ranking);
    assert_eq!(search("native", false, false, true), of_ranking, "each is named once");
    assert!(search("memory-core", true, true, true).is_empty());
    assert_eq!(search("memory-core", true, false, true), ["query.hybrid.mmr.lambda"]);
    let without_hybrid = ["vectorWeight", "textWeight", "mmr.enabled", "mmr.lambda"];
    assert_eq!(search("memory-core", false, true, true), without_hybrid.map(|key| format!("query.hybrid.{key}")));
    let of_sync = ["watchDebounceMs", "reconcileSeconds"].into_iter().map(|key| format!("sync.{key}"));
    let of_sessions = ["deltaBytes", "deltaMessages", "postCompactionForce"].map(|key| format!("sync.sessions.{key}"));
    assert_eq!(search("memory-core", true, true, false), of_sync.chain(of_sessions).collect::<Vec<_>>());
}

fn any_json() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<f64>().prop_map(|n| json!(n)),
        any::<i64>().prop_map(Value::from),
        "[a-z/~{}.*]{0,12}".prop_map(Value::from),
        Just(json!(["memory", "sessions"])),
    ];
    leaf.prop_recursive(3, 24, 4, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            prop::collection::btree_map("[a-zA-Z]{1,8}", inner, 0..4).prop_map(|map| json!(map)),
        ]
    })
}

proptest! {
    /// Whatever stands at any key, resolving gives settings inside their documented ranges.
    #[test]
    fn any_value_anywhere_resolves_to_settings_in_range(
        key in prop::sample::select(vec![
            "enabled", "sources", "extraPaths", "provider", "remote", "model", "outputDimensionality", "store",
            "chunking", "sync", "query", "cache", "experimental", "citations", "timeZone", "memoryGet", "agents",
        ]),
        sub in prop::sample::select(vec![
            "tokens", "overlap", "maxResults", "minScore", "hybrid", "baseUrl", "headers", "batch", "path", "fts",
            "watchDebounceMs", "sessions", "maxEntries", "main", "maxChars",
        ]),
        outer in any_json(),
        inner in any_json(),
    ) {
        let config = json!({
            "agents": {"defaults": {"memorySearch": {key: {sub: inner}}}, "list": inner},
            "memory": {"search": {key: outer}},
            "plugins": {"entries": {"memory-core-rs": {"config": {key: {sub: outer}}}}},
        });
        if let Ok(Some(Resolved { settings, .. })) = resolve(&input(&config, "main")) {
            prop_assert!(settings.chunking.tokens >= 1 && settings.chunking.overlap < settings.chunking.tokens);
            let query = &settings.query;
            prop_assert!((query.vector_weight + query.text_weight - 1.0).abs() < 1e-9);
            prop_assert!((1..=20).contains(&query.candidate_multiplier) && query.most_results() >= 1);
            prop_assert!(query.min_score.is_none_or(|score| (0.0..=1.0).contains(&score)));
            prop_assert!(settings.sources.memory || settings.sources.sessions);
            prop_assert!(settings.workspace_dir.is_absolute() && settings.database_path.is_absolute());
            prop_assert!((1..=16).contains(&settings.provider.concurrency));
        }
    }
}

#[test]
fn where_notes_lose_their_secrets_is_true_false_or_remote() {
    let of = |value: Value| resolved(&plugin(json!({"index": {"redactSecrets": value}})), "");
    for (value, wanted) in [
        (json!(true), RedactSecrets::Always),
        (json!(false), RedactSecrets::Never),
        (json!("remote"), RedactSecrets::Remote),
    ] {
        assert_eq!(of(value).settings.provider.redact_secrets, wanted);
    }
    let odd = of(json!("local"));
    assert_eq!(odd.settings.provider.redact_secrets, RedactSecrets::Remote);
    assert!(odd.warnings[0].contains("index.redactSecrets"), "{:?}", odd.warnings);
}
