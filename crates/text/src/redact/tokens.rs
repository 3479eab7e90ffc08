//! Secrets that show by themselves what they are: tokens that begin with a known prefix or have a known shape.

use std::ops::Range;

use super::value::{self, is_placeholder};

/// Which characters the body of a token has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Body {
    /// `0-9a-fA-F`.
    Hex,
    /// `0-9A-Z`.
    Upper,
    /// Letters and digits.
    Alnum,
    /// Those, `_` and `-`.
    Word,
    /// Those and `.`.
    Dotted,
    /// Those, `+`, `/`, `=` and `:`.
    Base64,
}

impl Body {
    const fn has(self, byte: u8) -> bool {
        match self {
            Self::Hex => byte.is_ascii_hexdigit(),
            Self::Upper => byte.is_ascii_digit() || byte.is_ascii_uppercase(),
            Self::Alnum => byte.is_ascii_alphanumeric(),
            Self::Word => byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-'),
            Self::Dotted => Self::Word.has(byte) || byte == b'.',
            Self::Base64 => Self::Dotted.has(byte) || matches!(byte, b'+' | b'/' | b'=' | b':' | b'%'),
        }
    }
}

/// A kind of token: its name in the tag, prefixes, body, and the fewest characters of the body.
pub(super) struct Token {
    /// The name in the tag.
    pub name: &'static str,
    /// What it begins with, as it is written.
    pub prefixes: &'static [&'static str],
    body: Body,
    min: usize,
}

const fn token(name: &'static str, prefixes: &'static [&'static str], body: Body, min: usize) -> Token {
    Token { name, prefixes, body, min }
}

/// The prefixes that services document for their keys. Where two fit, the longer one names the secret.
pub(super) const TOKENS: &[Token] = &[
    token("anthropic-key", &["sk-ant-"], Body::Word, 16),
    token("openrouter-key", &["sk-or-"], Body::Word, 16),
    token("openai-key", &["sk-", "sk-proj-", "sk-svcacct-", "sk-admin-", "sess-"], Body::Word, 20),
    token("langfuse-key", &["sk-lf-"], Body::Word, 16),
    token("stripe-key", &["sk_live_", "sk_test_", "rk_live_", "rk_test_", "pk_live_", "pk_test_"], Body::Alnum, 10),
    token("stripe-webhook", &["whsec_"], Body::Base64, 16),
    token("aws-key", &["AKIA", "ASIA", "ABIA", "ACCA", "AGPA", "AIDA", "AROA", "ANPA"], Body::Upper, 16),
    token("bedrock-key", &["ABSK"], Body::Base64, 60),
    token("github-token", &["ghp_", "gho_", "ghu_", "ghs_", "ghr_", "github_pat_"], Body::Word, 30),
    token(
        "gitlab-token",
        &[
            "glpat-",
            "glptt-",
            "gldt-",
            "glrt-",
            "glrtr-",
            "glcbt-",
            "glsoat-",
            "glft-",
            "glagent-",
            "gloas-",
            "glimt-",
            "glffct-",
            "GR1348941",
        ],
        Body::Dotted,
        16,
    ),
    token("bitbucket-token", &["ATBB", "ATCTT3"], Body::Base64, 20),
    token("atlassian-token", &["ATATT3", "ATSTT3", "ATOA"], Body::Base64, 30),
    token(
        "slack-token",
        &[
            "xoxb-",
            "xoxp-",
            "xoxa-",
            "xoxo-",
            "xoxe-",
            "xoxr-",
            "xoxs-",
            "xoxd-",
            "xoxc-",
            "xoxe.xoxp-",
            "xoxe.xoxb-",
            "xapp-",
        ],
        Body::Base64,
        10,
    ),
    token(
        "slack-webhook",
        &["hooks.slack.com/services/", "hooks.slack.com/workflows/", "hooks.slack.com/triggers/"],
        Body::Base64,
        10,
    ),
    token("discord-webhook", &["discord.com/api/webhooks/", "discordapp.com/api/webhooks/"], Body::Base64, 30),
    token("teams-webhook", &["webhook.office.com/webhookb2/"], Body::Base64, 30),
    token("zapier-webhook", &["hooks.zapier.com/hooks/catch/"], Body::Base64, 10),
    token("google-key", &["AIza"], Body::Word, 30),
    token("google-token", &["ya29.", "GOCSPX-", "1//0"], Body::Word, 20),
    token("sendgrid-key", &["SG."], Body::Dotted, 32),
    token("npm-token", &["npm_"], Body::Alnum, 30),
    token("pypi-token", &["pypi-"], Body::Word, 50),
    token("huggingface-token", &["hf_", "api_org_"], Body::Alnum, 30),
    token("groq-key", &["gsk_"], Body::Alnum, 30),
    token("xai-key", &["xai-"], Body::Alnum, 30),
    token("perplexity-key", &["pplx-"], Body::Alnum, 30),
    token("voyage-key", &["pa-", "al-"], Body::Word, 40),
    token("replicate-token", &["r8_"], Body::Alnum, 30),
    token("nvidia-key", &["nvapi-"], Body::Word, 30),
    token("tavily-key", &["tvly-"], Body::Word, 20),
    token("pinecone-key", &["pcsk_"], Body::Word, 30),
    token("fireworks-key", &["fw_"], Body::Alnum, 20),
    token("together-key", &["tgp_v1_"], Body::Word, 20),
    token("cerebras-key", &["csk-"], Body::Alnum, 30),
    token("jina-key", &["jina_"], Body::Word, 30),
    token("firecrawl-key", &["fc-"], Body::Hex, 32),
    token("elevenlabs-key", &["sk_"], Body::Hex, 40),
    token("langsmith-key", &["lsv2_pt_", "lsv2_sk_"], Body::Word, 30),
    token("e2b-key", &["e2b_"], Body::Hex, 30),
    token("wandb-key", &["wandb_v1_"], Body::Word, 30),
    token("brave-key", &["BSA"], Body::Word, 26),
    token("digitalocean-token", &["dop_v1_", "doo_v1_", "dor_v1_"], Body::Hex, 40),
    token("shopify-token", &["shpat_", "shpca_", "shppa_", "shpss_"], Body::Hex, 32),
    token("databricks-token", &["dapi", "dkea", "dose", "dosd"], Body::Hex, 32),
    token("linear-key", &["lin_api_", "lin_oauth_", "lin_wh_"], Body::Alnum, 30),
    token("notion-token", &["ntn_", "secret_"], Body::Alnum, 40),
    token("facebook-token", &["EAA"], Body::Alnum, 80),
    token("supabase-key", &["sbp_", "sb_secret_"], Body::Word, 20),
    token("tailscale-key", &["tskey-"], Body::Word, 16),
    token("vault-token", &["hvs.", "hvb.", "hvr."], Body::Word, 20),
    token(
        "fly-token",
        &["FlyV1 fm1r_", "FlyV1 fm1a_", "FlyV1 fm2_", "fm1r_", "fm1a_", "fm2_", "fo1_"],
        Body::Base64,
        30,
    ),
    token("postman-key", &["PMAK-"], Body::Word, 40),
    token("mailgun-key", &["key-"], Body::Hex, 32),
    token("mailchimp-key", &["md-"], Body::Alnum, 22),
    token("cloudflare-token", &["v1.0-", "cfut_", "cfat_", "cfk_"], Body::Word, 40),
    token("doppler-token", &["dp.pt.", "dp.st.", "dp.ct.", "dp.sa.", "dp.scim.", "dp.audit."], Body::Dotted, 30),
    token("pulumi-token", &["pul-"], Body::Hex, 40),
    token("heroku-key", &["HRKU-"], Body::Word, 30),
    token("netlify-token", &["nfp_"], Body::Alnum, 30),
    token("vercel-token", &["vcp_", "vck_", "vca_"], Body::Alnum, 24),
    token("render-key", &["rnd_"], Body::Alnum, 24),
    token("planetscale-token", &["pscale_tkn_", "pscale_pw_", "pscale_oauth_"], Body::Dotted, 20),
    token("neon-key", &["napi_", "npg_"], Body::Alnum, 12),
    token("resend-key", &["re_"], Body::Word, 24),
    token("brevo-key", &["xkeysib-", "xsmtpsib-"], Body::Word, 40),
    token("new-relic-key", &["NRAK-", "NRJS-", "NRII-", "NRAA-"], Body::Word, 19),
    token("grafana-token", &["glc_", "glsa_"], Body::Base64, 30),
    token("sentry-token", &["sntrys_", "sntryu_", "sntrya_"], Body::Base64, 30),
    token("honeycomb-key", &["hcaik_", "hcxik_", "hcamk_"], Body::Alnum, 30),
    token("dynatrace-token", &["dt0c01.", "dt0s01.", "dt0s02."], Body::Dotted, 40),
    token("rubygems-key", &["rubygems_"], Body::Hex, 40),
    token("crates-token", &["cio"], Body::Alnum, 32),
    token("docker-token", &["dckr_pat_", "dckr_oat_"], Body::Word, 20),
    token("artifactory-key", &["AKCp", "cmVmdGtuO"], Body::Alnum, 30),
    token("terraform-token", &[".atlasv1."], Body::Word, 40),
    token("square-token", &["sq0atp-", "sq0csp-", "EAAAE", "EAAAl"], Body::Word, 22),
    token("paypal-token", &["access_token$production$", "access_token$sandbox$"], Body::Base64, 20),
    token("plaid-token", &["access-sandbox-", "access-production-", "access-development-"], Body::Hex, 8),
    token("figma-token", &["figd_", "figo_", "figu_"], Body::Word, 30),
    token("typeform-token", &["tfp_"], Body::Dotted, 30),
    token("contentful-token", &["CFPAT-"], Body::Word, 30),
    token("hubspot-token", &["pat-na1-", "pat-na2-", "pat-eu1-"], Body::Word, 30),
    token("mapbox-token", &["sk.eyJ"], Body::Dotted, 30),
    token("buildkite-token", &["bkua_", "bkpat_"], Body::Alnum, 30),
    token("circleci-token", &["CCIPAT_", "CCIPRJ_"], Body::Word, 30),
    token("sonar-token", &["sqp_", "squ_", "sqa_"], Body::Alnum, 30),
    token("snyk-token", &["snyk_"], Body::Dotted, 30),
    token("azure-secret", &["AZDO", "JQQJ99"], Body::Alnum, 30),
    token("alibaba-key", &["LTAI"], Body::Alnum, 16),
    token("tencent-key", &["AKID"], Body::Alnum, 28),
    token("yandex-key", &["AQVN", "y0_", "t1."], Body::Dotted, 36),
    token("vk-token", &["vk1.a."], Body::Word, 40),
    token("dropbox-token", &["sl.u.", "sl.B", "sl.A"], Body::Word, 60),
    token("twitch-token", &["oauth:"], Body::Alnum, 28),
    token("adafruit-key", &["aio_"], Body::Alnum, 28),
    token("easypost-key", &["EZAK", "EZTK"], Body::Alnum, 40),
    token("flutterwave-key", &["FLWSECK-", "FLWSECK_TEST-"], Body::Word, 12),
    token("razorpay-key", &["rzp_live_", "rzp_test_"], Body::Alnum, 14),
    token("readme-key", &["rdme_"], Body::Alnum, 40),
    token("prefect-key", &["pnu_", "pnb_"], Body::Alnum, 30),
    token("n8n-key", &["n8n_api_"], Body::Word, 30),
    token("1password-token", &["ops_eyJ"], Body::Base64, 60),
    token("infisical-token", &["st."], Body::Dotted, 60),
    token("airtable-token", &["pat"], Body::Dotted, 70),
    token("clickup-token", &["pk_"], Body::Upper, 36),
    token("todoist-token", &["ghs-"], Body::Hex, 40),
    token("apify-token", &["apify_api_"], Body::Alnum, 30),
    token("twilio-key", &["SK", "AC"], Body::Hex, 32),
    token("jwt", &["eyJ"], Body::Dotted, 40),
    token("age-key", &["AGE-SECRET-KEY-1", "AGE-PLUGIN-"], Body::Word, 30),
    token("extended-key", &["xprv", "yprv", "zprv", "tprv", "Zprv", "Yprv"], Body::Alnum, 90),
    token("encrypted-key", &["6P"], Body::Alnum, 56),
    token("nostr-key", &["nsec1"], Body::Alnum, 50),
    token("ripple-seed", &["sEd"], Body::Alnum, 26),
    token("minisign-key", &["RWRTY0Iy"], Body::Base64, 60),
    // Base64 of `-----BEGIN … PRIVATE KEY`, as in kubeconfig files.
    token(
        "private-key",
        &[
            "LS0tLS1CRUdJTiBSU0EgUFJJVkFURS",
            "LS0tLS1CRUdJTiBQUklWQVRF",
            "LS0tLS1CRUdJTiBFQyBQUklWQVRF",
            "LS0tLS1CRUdJTiBPUEVOU1NIIFBSSVZBVE",
            "LS0tLS1CRUdJTiBFTkNSWVBURUQgUFJJVkFURS",
        ],
        Body::Base64,
        30,
    ),
];

/// Bytes of a body that are judged; what is longer goes with them.
const JUDGED: usize = 192;

/// The token whose prefix stands at `prefix`.
pub(super) fn find(text: &str, prefix: &Range<usize>, token: &Token) -> Option<Range<usize>> {
    let bytes = text.as_bytes();
    let (start, end) = (prefix.start, prefix.end);
    let before = start.checked_sub(1).and_then(|at| bytes.get(at));
    // `task-…` and `a_sk-…` begin no token.
    let inside = before.is_some_and(|b| Body::Word.has(*b));
    if inside && !token.prefixes.iter().any(|prefix| prefix.starts_with('.')) {
        return None;
    }
    let judged = bytes.get(..bytes.len().min(end + JUDGED)).unwrap_or_default();
    let mut stop = run(judged, end, token.body);
    let mut length = stop - end;
    // A long token breaks where its line ends: it goes on with a line of nothing else.
    while let Some(line) = continued(bytes, stop, token.body).filter(|_| (6..JUDGED).contains(&length)) {
        if line.len() < 16 && !is_random(text.get(line.clone())?) {
            break;
        }
        (stop, length) = (line.end, length + line.len());
    }
    let body: String = text.get(end..stop)?.chars().filter(|c| !c.is_whitespace()).collect();
    let body = body.trim_end_matches(['.', ':']);
    if body.len() < token.min || !fits(token, body) {
        return None;
    }
    let stop = if length < JUDGED { stop } else { run(bytes, stop, token.body) };
    Some(start..text.get(..stop)?.trim_end_matches(['.', ':']).len())
}

/// The key of a Telegram bot around `:AA`: the bot's number before it, and the rest of the key.
pub(super) fn bot(text: &str, hit: &Range<usize>) -> Option<Range<usize>> {
    let bytes = text.as_bytes();
    let digits = bytes.get(..hit.start)?.iter().rev().take(11).take_while(|b| b.is_ascii_digit()).count();
    let stop = run(bytes.get(..bytes.len().min(hit.end + JUDGED))?, hit.end, Body::Word);
    ((8..=10).contains(&digits) && (30..=50).contains(&(stop - hit.end))).then(|| hit.start - digits..stop)
}

/// What a body must have beside its length, so that slugs, names and placeholders stay.
fn fits(token: &Token, body: &str) -> bool {
    if is_placeholder(body) {
        return false;
    }
    let digits = body.bytes().filter(u8::is_ascii_digit).count();
    let upper = body.bytes().any(|b| b.is_ascii_uppercase());
    let lower = body.bytes().any(|b| b.is_ascii_lowercase());
    match token.name {
        "aws-key" => body.len() == 16 && !body.bytes().all(|b| b.is_ascii_digit()),
        "openai-key" => digits > 0 && (upper || (body.len() >= 30 && !body.contains(['-', '_']))),
        "jwt" => body.bytes().filter(|b| *b == b'.').count() >= 1 && upper && lower,
        "twilio-key" | "mailgun-key" | "firecrawl-key" | "e2b-key" => digits > 0 && body.len() <= 64,
        "notion-token" => digits > 0 && upper && body.len() <= 50,
        "slack-webhook" | "discord-webhook" | "teams-webhook" | "zapier-webhook" => digits > 0,
        "airtable-token" => body.find('.') == Some(14) && digits > 8,
        "infisical-token" | "yandex-key" | "dropbox-token" => digits > 0 && upper && !value::is_slug(body),
        "crates-token" | "brave-key" | "resend-key" | "voyage-key" | "mailchimp-key" | "fireworks-key"
        | "encrypted-key" | "ripple-seed" | "facebook-token" | "clickup-token" => {
            digits > 0 && upper && !value::is_slug(body)
        }
        "plaid-token" | "hubspot-token" => digits > 3,
        _ => digits > 0 && !value::is_slug(body),
    }
}

fn run(bytes: &[u8], from: usize, body: Body) -> usize {
    let rest = bytes.get(from..).unwrap_or_default();
    from + rest.iter().position(|b| !body.has(*b)).unwrap_or(rest.len())
}

/// The next line, when it holds one run of the body and nothing else.
fn continued(bytes: &[u8], stop: usize, body: Body) -> Option<Range<usize>> {
    let count = |from: usize, what: &[u8]| {
        bytes.get(from..).unwrap_or_default().iter().take(16).take_while(|b| what.contains(b)).count()
    };
    let line_end = stop + count(stop, b"\\\r");
    if bytes.get(line_end) != Some(&b'\n') {
        return None;
    }
    let from = line_end + 1 + count(line_end + 1, b" \t>");
    let to = run(bytes.get(..bytes.len().min(from + JUDGED))?, from, body);
    let ends = bytes.get(to).is_none_or(|b| matches!(b, b'\n' | b'\r' | b'"' | b'\'' | b'`' | b'\\' | b'.' | b','));
    (to > from && ends).then_some(from..to)
}

fn is_random(text: &str) -> bool {
    text.len() >= 4 && text.bytes().any(|b| b.is_ascii_digit()) && text.bytes().any(|b| b.is_ascii_alphabetic())
}

/// Lengths of a run that may have a shape.
const SHAPED: Range<usize> = 33..100;

/// Secrets without a prefix whose shape is known all the same: runs of letters, digits, `_`, `-` and `.`.
pub(super) fn find_shapes(text: &str, mut found: impl FnMut(Range<usize>, &'static str)) {
    let is_in_run = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.');
    let bytes = text.as_bytes();
    let mut start = 0;
    // No run that is long enough begins before what interrupts it, so of so many bytes the last are looked at first.
    while let Some(window) = bytes.get(start..start + SHAPED.start) {
        if let Some(other) = window.iter().rposition(|byte| !is_in_run(byte)) {
            start += other + 1;
            continue;
        }
        let rest = bytes.get(start + window.len()..).unwrap_or_default();
        let end = start + window.len() + rest.iter().take_while(|byte| is_in_run(byte)).count();
        if SHAPED.contains(&(end - start))
            && let Some(tag) = text.get(start..end).and_then(|run| shape(run.trim_matches('.')))
        {
            found(start..end, tag);
        }
        start = end + 1;
    }
}

/// What a run may be by its shape.
fn shape(word: &str) -> Option<&'static str> {
    let all = |part: &str, body: Body| part.bytes().all(|b| body.has(b));
    let mixed = |part: &str| {
        part.bytes().any(|b| b.is_ascii_digit())
            && part.bytes().any(|b| b.is_ascii_uppercase())
            && part.bytes().any(|b| b.is_ascii_lowercase())
    };
    let mut parts = word.split('.');
    match (parts.next(), parts.next(), parts.next(), parts.next()) {
        // Discord: user id, time and signature.
        (Some(id), Some(time), Some(signature), None)
            if (23..=28).contains(&id.len())
                && (6..=7).contains(&time.len())
                && (27..=40).contains(&signature.len())
                && mixed(id)
                && [id, time, signature].iter().all(|part| all(part, Body::Word)) =>
        {
            Some("discord-token")
        }
        // Bitcoin's wallet import format.
        (Some(key), None, ..)
            if (51..=52).contains(&key.len())
                && key.starts_with(['5', 'K', 'L'])
                && all(key, Body::Alnum)
                && !key.contains(['0', 'O', 'I', 'l'])
                && mixed(key) =>
        {
            Some("wallet-key")
        }
        (Some(key), None, ..) if key.len() > 34 && key.len() <= 38 => {
            let (digest, region) = key.split_once("-us")?;
            (digest.len() == 32 && all(digest, Body::Hex) && region.bytes().all(|b| b.is_ascii_digit()))
                .then_some("mailchimp-key")
        }
        _ => None,
    }
}
