use proptest::prelude::*;

use super::*;

/// Made of pieces, so that no scanner takes this file for a leak.
fn made(prefix: &str, body: &str) -> String {
    format!("{prefix}{body}")
}

const RANDOM: &str = "aB3dE5fG7hJ9kL1mN3pQ5rS7tU9vW1xY3zA5bC7d";

#[test]
fn the_rules_compile() {
    assert!(COMPILED.as_ref().is_ok_and(|rules| rules.each.len() == RULES.len()));
}

#[test]
fn a_secret_beside_another_script_is_one() {
    let key = made("sk-ant-api03-", RANDOM);
    assert_eq!(redact(&format!("密钥{key}，请保密")), "密钥[redacted:anthropic-key]，请保密");
    for told in ["пароль: Xy7-hunter", "senha é Xy7-hunter", "密码是Xy7-hunter"] {
        assert!(redact(told).ends_with("[redacted:password]"), "{told}: {}", redact(told));
    }
}

#[test]
fn secrets_of_known_shape() {
    for (name, secret) in [
        ("openai-key", made("sk-", RANDOM)),
        ("openai-key", made("sk-proj-", RANDOM)),
        ("anthropic-key", made("sk-ant-api03-", RANDOM)),
        ("stripe-key", made("sk_live_", &RANDOM[..24])),
        ("aws-key", made("AKIA", "Q3EGRWJZ7VX5PLMT")),
        ("github-token", made("ghp_", &RANDOM[..36])),
        ("github-token", made("github_pat_", RANDOM)),
        ("gitlab-token", made("glpat-", &RANDOM[..20])),
        ("slack-token", made("xoxb-", "123456789012-abcdefABCDEF")),
        ("google-key", made("AIza", &RANDOM[..35])),
        ("telegram-token", made("123456789:AA", &RANDOM[..33])),
        ("npm-token", made("npm_", &RANDOM[..36])),
        ("huggingface-token", made("hf_", &RANDOM[..34])),
        ("sendgrid-key", format!("SG.{}.{}", &RANDOM[..22], &RANDOM[..30])),
        ("jwt", format!("eyJ{}.eyJ{}.{RANDOM}", &RANDOM[..20], &RANDOM[..20])),
    ] {
        let text = format!("use {secret} for it");
        assert_eq!(redact(&text), format!("use [redacted:{name}] for it"));
        assert!(has_secret(&text));
    }
}

#[test]
fn secrets_told_by_what_stands_before() {
    for (text, want) in [
        ("postgres://ana:hunter2@db.local/x", "postgres://ana:[redacted:url-password]@db.local/x"),
        ("Authorization: Bearer abcDEF123456ghiJKL7890", "[redacted:"),
        ("curl -H 'X-Api-Key: abcdef1234567890'", "curl -H 'X-Api-Key: [redacted:header]'"),
        ("https://a.b/c?api_key=a8f5f167f44f4964&x=1", "https://a.b/c?api_key=[redacted:url-secret]&x=1"),
        ("API_KEY=a8f5f167f44f4964e6c998dee827110c", "API_KEY=[redacted:assignment]"),
        ("export DB_PASSWORD='x7#kQ!9zRt'", "export DB_PASSWORD='[redacted:assignment]'"),
        ("\"client_secret\": \"Zx81-qwErT-55\"", "\"client_secret\": \"[redacted:assignment]\""),
        ("my password is hunter2", "my password is [redacted:password]"),
        ("a senha é Gato2024", "a senha é [redacted:password]"),
        ("Passwort: Katze99!", "Passwort: [redacted:password]"),
        ("密码是 abc12345", "密码是 [redacted:password]"),
    ] {
        let out = redact(text);
        if want == "[redacted:" {
            assert!(out.contains(want) && !out.contains("abcDEF"), "{out}");
        } else {
            assert_eq!(out, want);
        }
    }
}

#[test]
fn private_keys_keep_their_lines() {
    let header = made("-----BEGIN OPENSSH ", "PRIVATE KEY-----");
    let footer = made("-----END OPENSSH ", "PRIVATE KEY-----");
    let text = format!("a\n{header}\nb3BlbnNzaC1rZXk\nAAAA\n{footer}\nb");
    assert_eq!(redact(&text), "a\n[redacted:private-key]\n\n\n\nb");
    let cut = format!("{header}\nb3BlbnNzaC1rZXk");
    assert_eq!(redact(&cut), "[redacted:private-key]\n");
}

#[test]
fn prose_stays() {
    for text in [
        "the password is wrong",
        "we talked about the token: bananas",
        "token=$GITHUB_TOKEN",
        "password: <your password>",
        "API_KEY=changeme",
        "the secret: everyone",
        "sk-learn-is-a-python-library-name",
        "commit 4b968d6 fixes it",
        "sha256 e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
        "https://example.org/a/b?page=2",
        "meet at 10:30, call +351 912 345 678",
        "max_tokens: 4096",
        "bearer of bad news",
        "我的猫",
    ] {
        assert!(matches!(redact(text), Cow::Borrowed(_)) || redact(text) == text, "{}", redact(text));
        assert!(!has_secret(text), "{text}");
    }
}

proptest! {
    #[test]
    fn lines_stay_and_a_second_pass_finds_nothing(text in "[\\PC\n=:@/?&\"']{0,120}", key in "[A-Za-z0-9]{24,40}", at in 0_usize..3) {
        let secret = ["API_KEY=", "sk-ant-", "https://u:"][at];
        let text = format!("{text}\n{secret}{key}@x\n{text}");
        let once = redact(&text).into_owned();
        prop_assert_eq!(once.matches('\n').count(), text.matches('\n').count());
        prop_assert!(once.len() <= 4 * text.len() + 40);
        prop_assert_eq!(redact(&once), once.as_str());
    }
}
