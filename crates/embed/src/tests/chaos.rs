//! Providers that are slow, wrong or broken: nothing unusable gets through, nothing is asked for too often.

use std::{
    future::ready,
    io::{Read, Write},
    net::TcpListener,
    sync::atomic::{AtomicUsize, Ordering},
};

use super::*;
use crate::{Storing, stored};
use model::error::Code;

#[tokio::test]
async fn rate_limits_are_waited_for_as_asked() {
    let date = httpdate::fmt_http_date(std::time::SystemTime::now() + Duration::from_secs(31));
    for (header, least, most) in
        [(Some("7".to_owned()), 7, 7), (Some(date), 28, 31), (Some("864000".to_owned()), 60, 60), (None, 0, 1)]
    {
        let server = MockServer::start().await;
        let mut reply = ResponseTemplate::new(429).set_body_string("slow down");
        if let Some(value) = &header {
            reply = reply.insert_header("retry-after", value.as_str());
        }
        first(&server, 1, reply).await;
        let (embedder, clock) = openai(&server);
        assert_eq!(documents(&embedder, &texts(2)).await.unwrap(), vectors_of(&texts(2)));
        let slept: Duration = clock.sleeps.lock().iter().sum();
        assert!((least..=most).contains(&slept.as_secs()), "{header:?}: {slept:?}");
        assert_eq!(requests(&server).await, 2);
    }
}

#[tokio::test]
async fn a_search_never_waits_for_a_rate_limit() {
    let server = MockServer::start().await;
    first(&server, 1, ResponseTemplate::new(429).insert_header("retry-after", "30")).await;
    let (embedder, clock) = openai(&server);
    let query = texts(1);
    let error = embedder.embed(&query, Purpose::Query, TIMEOUT).await.unwrap_err();
    assert_eq!((error.code(), error.retry_after_ms()), (Code::ProviderRateLimit, Some(30_000)));
    // While the wait lasts, no further request is sent.
    let error = embedder.embed(&query, Purpose::Query, TIMEOUT).await.unwrap_err();
    assert_eq!((error.code(), error.retry_after_ms()), (Code::ProviderRateLimit, Some(30_000)));
    assert_eq!(requests(&server).await, 1);
    assert!(clock.sleeps.lock().is_empty());
}

#[tokio::test]
async fn a_used_up_quota_stops_at_once_and_keeps_what_is_done() {
    let server = MockServer::start().await;
    Mock::given(When(|request: &Request| inputs(request).contains(&"text 0".to_owned())))
        .respond_with(Vectors)
        .mount(&server)
        .await;
    let body = r#"{"error":{"message":"You exceeded your current quota","code":"insufficient_quota"}}"#;
    Mock::given(any())
        .respond_with(ResponseTemplate::new(429).set_body_string(body))
        .with_priority(9)
        .mount(&server)
        .await;
    let mut one_at_a_time = target("openai", server.uri());
    one_at_a_time.settings.concurrency = 1;
    let clock = TestClock::new();
    let embedder = embedder(&one_at_a_time, Arc::clone(&clock) as _);
    let mut kept = Vec::new();
    let many = texts(500);
    let mut sink = |finished: Vec<(usize, Embedded)>| {
        kept.extend(finished);
        stored()
    };
    let error = embedder.embed_each(&many, Purpose::Document, TIMEOUT, &mut sink).await.unwrap_err();
    assert_eq!(error.code(), Code::ProviderQuota);
    assert!(error.remedy.is_some());
    assert_eq!(kept.len(), 16, "the first request");
    assert_eq!(requests(&server).await, 2);
    assert!(clock.sleeps.lock().is_empty());
}

#[tokio::test]
async fn server_errors_are_retried_with_growing_waits() {
    let server = MockServer::start().await;
    first(&server, 2, ResponseTemplate::new(503).set_body_string("<html>cloudflare</html>")).await;
    let (embedder, clock) = openai(&server);
    assert!(documents(&embedder, &texts(1)).await.is_ok());
    assert_eq!(*clock.sleeps.lock(), [Duration::from_millis(550), Duration::from_millis(1100)]);
}

#[tokio::test]
async fn a_dead_server_is_left_alone_and_tried_again_later() {
    let server = MockServer::start().await;
    first(&server, 9, ResponseTemplate::new(500)).await;
    let (embedder, clock) = openai(&server);
    for _ in 0..3 {
        assert_eq!(documents(&embedder, &texts(1)).await.unwrap_err().code(), Code::ProviderUnavailable);
    }
    assert_eq!(requests(&server).await, 9);
    let error = documents(&embedder, &texts(1)).await.unwrap_err();
    assert!(error.message.contains("left alone") && error.retry_after_ms().is_some(), "{error}");
    assert_eq!(requests(&server).await, 9, "no request while the breaker is open");
    clock.advance(Duration::from_secs(60));
    assert!(documents(&embedder, &texts(1)).await.is_ok());
}

#[tokio::test]
async fn a_request_that_always_fails_does_not_hold_up_the_others() {
    let server = MockServer::start().await;
    let poison = |request: &Request| inputs(request).contains(&"text 20".to_owned());
    Mock::given(When(poison)).respond_with(ResponseTemplate::new(500)).with_priority(1).mount(&server).await;
    Mock::given(any()).respond_with(Vectors).with_priority(9).mount(&server).await;
    let (embedder, _) = openai(&server);
    let many = texts(100);
    let mut kept = 0;
    let mut sink = |finished: Vec<(usize, Embedded)>| {
        kept += finished.len();
        stored()
    };
    let error = embedder.embed_each(&many, Purpose::Document, TIMEOUT, &mut sink).await.unwrap_err();
    assert_eq!(error.code(), Code::ProviderUnavailable);
    assert_eq!(kept, 84);
}

#[tokio::test]
async fn replies_that_are_no_vectors_are_refused() {
    let huge = format!("{{\"data\":[],\"x\":\"{}\"}}", "y".repeat(5 << 20));
    let cases = [
        ("HTML", "<html><body>Welcome</body></html>".to_owned()),
        ("empty", String::new()),
        ("too few", openai_reply(&texts(1)).to_string()),
        ("too many", openai_reply(&texts(3)).to_string()),
        ("NaN", r#"{"data":[{"embedding":[NaN,1]},{"embedding":[1,1]}]}"#.to_owned()),
        ("null", r#"{"data":[{"embedding":[null,1]},{"embedding":[1,1]}]}"#.to_owned()),
        ("mixed lengths", r#"{"data":[{"embedding":[1,1]},{"embedding":[1,1,1]}]}"#.to_owned()),
        ("same index", r#"{"data":[{"index":1,"embedding":[1,1]},{"index":1,"embedding":[1,2]}]}"#.to_owned()),
        ("cut off", r#"{"data":[{"embedding":[1,1]},{"embe"#.to_owned()),
        ("error in a success", r#"{"error":{"message":"model crashed"}}"#.to_owned()),
        ("huge", huge),
    ];
    for (name, body) in cases {
        let server = MockServer::start().await;
        Mock::given(any()).respond_with(ResponseTemplate::new(200).set_body_string(body)).mount(&server).await;
        let (embedder, _) = openai(&server);
        let error = documents(&embedder, &texts(2)).await.expect_err(name);
        assert_eq!(error.code(), Code::ProviderResponse, "{name}: {error}");
        assert!(error.message.len() < 400, "{name}: {error}");
        assert_eq!(requests(&server).await, 3, "{name}");
    }
}

#[tokio::test]
async fn vectors_of_another_length_than_before_are_refused() {
    let server = MockServer::start().await;
    Mock::given(any()).respond_with(Vectors).up_to_n_times(1).with_priority(1).mount(&server).await;
    let longer = r#"{"data":[{"embedding":[1,2,3]}]}"#;
    Mock::given(any()).respond_with(ResponseTemplate::new(200).set_body_string(longer)).mount(&server).await;
    let (embedder, _) = openai(&server);
    assert!(documents(&embedder, &texts(1)).await.is_ok());
    assert_eq!(documents(&embedder, &texts(1)).await.unwrap_err().code(), Code::ProviderResponse);
    embedder.expect_dims(3);
    assert!(documents(&embedder, &texts(1)).await.is_ok());
}

#[tokio::test]
async fn an_unusable_vector_is_asked_for_once_more_and_then_refused() {
    let server = MockServer::start().await;
    let zeros = r#"{"data":[{"embedding":[0,0]}]}"#;
    let alone = |request: &Request| inputs(request) == ["text 1"];
    Mock::given(When(alone))
        .respond_with(ResponseTemplate::new(200).set_body_string(zeros))
        .with_priority(1)
        .mount(&server)
        .await;
    let reply = r#"{"data":[{"embedding":[1,1]},{"embedding":[0,0]},{"embedding":[2,1]}]}"#;
    let three = |request: &Request| inputs(request).len() == 3;
    Mock::given(When(three)).respond_with(ResponseTemplate::new(200).set_body_string(reply)).mount(&server).await;
    Mock::given(any()).respond_with(Vectors).with_priority(9).mount(&server).await;
    let (embedder, _) = openai(&server);
    let outcomes = documents(&embedder, &texts(3)).await.unwrap();
    assert_eq!(outcomes[0], Embedded::Vector(vec![1.0, 1.0]));
    assert!(matches!(&outcomes[1], Embedded::Refused(reason) if reason.contains("zeros")));
    assert_eq!(requests(&server).await, 3, "all, a harmless text, and the text alone");
}

#[tokio::test]
async fn replies_out_of_order_are_put_in_order() {
    let server = MockServer::start().await;
    let reversed = |request: &Request| {
        let mut reply = openai_reply(&inputs(request));
        reply["data"].as_array_mut().unwrap().reverse();
        ResponseTemplate::new(200).set_body_json(reply)
    };
    Mock::given(any()).respond_with(reversed).mount(&server).await;
    let (embedder, _) = openai(&server);
    assert_eq!(documents(&embedder, &texts(40)).await.unwrap(), vectors_of(&texts(40)));
}

#[tokio::test]
async fn a_failing_sink_stops_the_run() {
    let server = MockServer::start().await;
    Mock::given(any()).respond_with(Vectors).mount(&server).await;
    let (embedder, _) = openai(&server);
    let mut sink = |_: Vec<(usize, Embedded)>| -> Storing { Box::pin(ready(Err(Error::new(Code::DiskFull, "full")))) };
    let many = texts(1000);
    let error = embedder.embed_each(&many, Purpose::Document, TIMEOUT, &mut sink).await.unwrap_err();
    assert_eq!(error.code(), Code::DiskFull);
    assert!(requests(&server).await < 12);
}

/// A server that handles each connection with a function; for what an HTTP library does not do.
fn raw_server(handle: impl Fn(usize, &mut std::net::TcpStream) + Send + 'static) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    std::thread::spawn(move || {
        for (number, stream) in listener.incoming().enumerate() {
            let Ok(mut stream) = stream else { continue };
            let _ = stream.read(&mut [0; 4096]);
            handle(number, &mut stream);
        }
    });
    format!("http://{address}/v1")
}

fn good_reply(stream: &mut std::net::TcpStream) {
    let body = openai_reply(&texts(1)).to_string();
    let head = format!("HTTP/1.1 200 OK\r\ncontent-length: {}\r\nconnection: close\r\n\r\n", body.len());
    let _ = stream.write_all(format!("{head}{body}").as_bytes());
}

#[tokio::test]
async fn a_reset_connection_is_retried() {
    let base = raw_server(|number, stream| {
        if number > 0 {
            good_reply(stream);
        }
    });
    let embedder = embedder(&target("openai", base), TestClock::new());
    assert_eq!(documents(&embedder, &texts(1)).await.unwrap(), vectors_of(&texts(1)));
}

#[tokio::test]
async fn a_hanging_or_dripping_server_runs_into_the_time_limit() {
    let drip = raw_server(|_, stream| {
        let _ = stream.write_all(b"HTTP/1.1 200 OK\r\ncontent-length: 1000\r\n\r\n{");
        let mut stream = stream.try_clone().unwrap();
        std::thread::spawn(move || {
            while stream.write_all(b" ").is_ok() {
                std::thread::sleep(Duration::from_millis(10));
            }
        });
    });
    let embedder = embedder(&target("openai", drip), TestClock::new());
    let error = embedder.embed(&texts(1), Purpose::Query, Duration::from_millis(60)).await.unwrap_err();
    assert_eq!(error.code(), Code::ProviderUnavailable);
    assert!(error.message.contains("60 ms"), "{error}");
}

#[tokio::test]
async fn a_compression_bomb_is_not_unpacked() {
    // 64 MB of zeros announce themselves as 64 KB; one text is worth some 4 MB.
    let bomb = {
        let block = vec![b' '; 1 << 16];
        let mut body = Vec::new();
        // Stored deflate blocks keep the test free of a compressor: the cap is on what arrives unpacked.
        body.extend([0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 3]);
        for _ in 0..100 {
            body.extend([0, 0xff, 0xff, 0, 0]);
            body.extend(&block[..0xffff]);
        }
        body
    };
    let server = MockServer::start().await;
    let reply = ResponseTemplate::new(200).insert_header("content-encoding", "gzip").set_body_bytes(bomb);
    Mock::given(any()).respond_with(reply).mount(&server).await;
    let (embedder, _) = openai(&server);
    assert_eq!(documents(&embedder, &texts(1)).await.unwrap_err().code(), Code::ProviderResponse);
}

#[tokio::test]
async fn requests_run_side_by_side_but_never_more_than_allowed() {
    static NOW: AtomicUsize = AtomicUsize::new(0);
    static MOST: AtomicUsize = AtomicUsize::new(0);
    let adapter: super::super::callback::Callback = super::super::callback::of_texts(|texts, _| {
        Box::pin(async move {
            MOST.fetch_max(NOW.fetch_add(1, Ordering::SeqCst) + 1, Ordering::SeqCst);
            tokio::task::yield_now().await;
            tokio::task::yield_now().await;
            NOW.fetch_sub(1, Ordering::SeqCst);
            Ok(vec![vec![1.0]; texts.len()])
        })
    });
    let mut wanted = settings("custom");
    wanted.concurrency = 3;
    let sources = Sources {
        http: Http::new(),
        clock: TestClock::new(),
        accounts: Vec::new(),
        adapters: [("custom".to_owned(), super::super::callback::Adapter { model: None, embed: adapter })].into(),
        embedded: None,
        #[cfg(feature = "llama-cpp")]
        model_dir: std::env::temp_dir(),
        ledger: None,
    };
    let embedder = build(&wanted, &sources).unwrap().embedder.unwrap();
    let many = texts(300);
    // Two runs at a time share the requests in flight.
    let (first, second) = tokio::join!(documents(&embedder, &many), documents(&embedder, &many));
    assert!(first.is_ok() && second.is_ok());
    assert_eq!(MOST.load(Ordering::SeqCst), 3);
}
