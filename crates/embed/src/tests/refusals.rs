//! Providers that take no request of this size, or not this text: they are asked with less, and the other texts go on.

use super::*;
use crate::stored;
use model::error::Code;

#[tokio::test]
async fn a_server_with_an_item_limit_teaches_it() {
    let server = MockServer::start().await;
    let strict = |request: &Request| {
        let inputs = inputs(request);
        if inputs.len() > 10 {
            let body = r#"{"error":{"message":"batch size is invalid, it should not be larger than 10."}}"#;
            return ResponseTemplate::new(400).set_body_string(body);
        }
        ResponseTemplate::new(200).set_body_json(openai_reply(&inputs))
    };
    Mock::given(any()).respond_with(strict).mount(&server).await;
    let (embedder, _) = openai(&server);
    assert_eq!(documents(&embedder, &texts(200)).await.unwrap(), vectors_of(&texts(200)));
    assert_eq!(embedder.limits().items, 10);
    let before = requests(&server).await;
    documents(&embedder, &texts(100)).await.unwrap();
    assert_eq!(requests(&server).await - before, 10, "what was learnt stays");
}

#[tokio::test]
async fn a_server_that_finds_a_request_too_large_gets_smaller_ones() {
    let server = MockServer::start().await;
    let strict = |request: &Request| {
        if request.body.len() > 2000 {
            return ResponseTemplate::new(413).set_body_string("<html>Request Entity Too Large</html>");
        }
        ResponseTemplate::new(200).set_body_json(openai_reply(&inputs(request)))
    };
    Mock::given(any()).respond_with(strict).mount(&server).await;
    let (embedder, _) = openai(&server);
    let long: Vec<String> = (0..60).map(|n| format!("{} {n}", "word ".repeat(60))).collect();
    assert_eq!(documents(&embedder, &long).await.unwrap(), vectors_of(&long));
    assert!(embedder.limits().bytes < 5000);
}

#[tokio::test]
async fn a_small_micro_batch_cuts_the_text_that_is_too_long() {
    let server = MockServer::start().await;
    let strict = |request: &Request| {
        let inputs = inputs(request);
        if let Some(long) = inputs.iter().find(|text| text.len() > 2048) {
            let tokens = long.len() / 4;
            let body = format!(
                r#"{{"error":{{"code":500,"message":"input ({tokens} tokens) is too large to process. increase the physical batch size (current batch size: 512)"}}}}"#
            );
            return ResponseTemplate::new(500).set_body_string(body);
        }
        ResponseTemplate::new(200).set_body_json(openai_reply(&inputs))
    };
    Mock::given(any()).respond_with(strict).mount(&server).await;
    let clock = TestClock::new();
    let embedder = embedder(&target("llama-server", server.uri()), clock);
    let mut many = texts(40);
    many[7] = "long ".repeat(2000);
    let outcomes = documents(&embedder, &many).await.unwrap();
    assert!(outcomes.iter().all(|outcome| matches!(outcome, Embedded::Vector(_))));
    assert_eq!(embedder.limits().input_tokens, 512);
}

#[tokio::test]
async fn one_text_that_the_server_dislikes_is_isolated() {
    let server = MockServer::start().await;
    let strict = |request: &Request| {
        let inputs = inputs(request);
        if inputs.contains(&"text 33".to_owned()) {
            return ResponseTemplate::new(400).set_body_string(r#"{"error":{"message":"unsupported character"}}"#);
        }
        ResponseTemplate::new(200).set_body_json(openai_reply(&inputs))
    };
    Mock::given(any()).respond_with(strict).mount(&server).await;
    let (embedder, _) = openai(&server);
    let outcomes = documents(&embedder, &texts(64)).await.unwrap();
    for (position, outcome) in outcomes.iter().enumerate() {
        match outcome {
            Embedded::Refused(reason) => {
                assert!(position == 33 && reason.contains("unsupported"), "{position} {reason}")
            }
            Embedded::Vector(vector) => assert_eq!(vector[0], position as f32),
        }
    }
    // 4 requests of 16, and 2 each for 16, 8, 4 and 2 texts; then a harmless text, and this one for the last time.
    assert_eq!(requests(&server).await, 14);
}

// Half of all answers between 400 and 599 marked a text as refused for good, although the provider answered so to
// anything: a proxy that wanted a password, a lock, a server that started.
#[tokio::test]
async fn no_answer_to_everything_is_a_refusal_of_a_text() {
    for status in 400..600 {
        let server = MockServer::start().await;
        Mock::given(any()).respond_with(ResponseTemplate::new(status).set_body_string("no")).mount(&server).await;
        let (embedder, _) = openai(&server);
        for count in [1, 3] {
            let mut refused = 0;
            let mut sink = |finished: Vec<(usize, Embedded)>| {
                refused += finished.len();
                stored()
            };
            let many = texts(count);
            let outcome = embedder.embed_each(&many, Purpose::Document, TIMEOUT, &mut sink).await;
            assert!(outcome.is_err(), "HTTP {status}");
            assert_eq!(refused, 0, "HTTP {status}");
        }
    }
}

#[tokio::test]
async fn a_refusal_that_passes_leaves_no_text_behind() {
    for status in (400..500).filter(|status| ![401, 402, 403, 404, 405, 407, 410].contains(status)) {
        let server = MockServer::start().await;
        // Long enough to isolate two texts and refuse them once.
        first(&server, 5, ResponseTemplate::new(status).set_body_string("not now")).await;
        let (embedder, _) = openai(&server);
        let mut done = documents(&embedder, &texts(2)).await;
        for _ in 0..2 {
            if done.is_err() {
                done = documents(&embedder, &texts(2)).await;
            }
        }
        assert_eq!(done.unwrap(), vectors_of(&texts(2)), "HTTP {status}");
    }
}

// Eight odd texts one after another stopped every pass at the same place.
#[tokio::test]
async fn many_refused_texts_do_not_stop_a_provider_that_works() {
    let server = MockServer::start().await;
    let strict = |request: &Request| {
        let inputs = inputs(request);
        if inputs.iter().any(|text| text.contains("odd")) {
            return ResponseTemplate::new(422).set_body_string("unsupported character");
        }
        ResponseTemplate::new(200).set_body_json(openai_reply(&inputs))
    };
    Mock::given(any()).respond_with(strict).mount(&server).await;
    let (embedder, _) = openai(&server);
    let mut many: Vec<String> = (0..20).map(|n| format!("odd {n}")).collect();
    many.extend(texts(20));
    let outcomes = documents(&embedder, &many).await.unwrap();
    let refused = |outcome: &Embedded| matches!(outcome, Embedded::Refused(_));
    assert!(outcomes[..20].iter().all(refused) && !outcomes[20..].iter().any(refused), "{outcomes:?}");
}

#[tokio::test]
async fn a_query_that_is_refused_is_told_at_once() {
    let server = MockServer::start().await;
    Mock::given(any()).respond_with(ResponseTemplate::new(400).set_body_string("odd")).mount(&server).await;
    let (embedder, _) = openai(&server);
    let outcomes = embedder.embed(&texts(1), Purpose::Query, TIMEOUT).await.unwrap();
    assert!(matches!(&outcomes[0], Embedded::Refused(reason) if reason.contains("odd")));
    assert_eq!(requests(&server).await, 1);
}

#[tokio::test]
async fn a_server_that_dislikes_every_text_stops_the_run() {
    let server = MockServer::start().await;
    Mock::given(any()).respond_with(ResponseTemplate::new(400).set_body_string("no")).mount(&server).await;
    let (embedder, _) = openai(&server);
    let error = documents(&embedder, &texts(1000)).await.unwrap_err();
    assert_eq!(error.code(), Code::ProviderResponse);
    assert!(requests(&server).await < 60);
}

#[tokio::test]
async fn a_server_without_base64_is_asked_for_numbers() {
    let server = MockServer::start().await;
    let strict = |request: &Request| {
        if json_of(request).get("encoding_format").is_some() {
            let body = r#"{"detail":[{"loc":["body","encoding_format"],"msg":"Extra inputs are not permitted: encoding_format"}]}"#;
            return ResponseTemplate::new(422).set_body_string(body);
        }
        ResponseTemplate::new(200).set_body_json(openai_reply(&inputs(request)))
    };
    Mock::given(any()).respond_with(strict).mount(&server).await;
    let (embedder, _) = openai(&server);
    assert_eq!(documents(&embedder, &texts(1)).await.unwrap(), vectors_of(&texts(1)));
    assert!(documents(&embedder, &texts(1)).await.is_ok());
    assert_eq!(requests(&server).await, 3, "learnt once");
}

#[tokio::test]
async fn blank_texts_are_refused_without_asking() {
    let server = MockServer::start().await;
    Mock::given(any()).respond_with(Vectors).mount(&server).await;
    let (embedder, _) = openai(&server);
    let outcomes = documents(&embedder, &["text 1".into(), " \n".into()]).await.unwrap();
    assert!(matches!(outcomes[1], Embedded::Refused(_)));
    assert_eq!(embedder.usage().texts, 1);
}
