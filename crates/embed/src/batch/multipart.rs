//! Multipart bodies for file uploads.

use http::header::HeaderValue;

use crate::endpoint::Body;

/// Builds a multipart body of the given kind (`form-data`, `related`) from parts of (headers, content). The
/// boundary must not occur in any content; a random token is safe.
pub(super) fn body(kind: &str, boundary: &str, parts: &[(String, &[u8])]) -> Body {
    let size: usize = parts.iter().map(|(headers, content)| headers.len() + content.len() + boundary.len() + 16).sum();
    let mut bytes = Vec::with_capacity(size + boundary.len() + 8);
    for (headers, content) in parts {
        bytes.extend_from_slice(format!("--{boundary}\r\n{headers}\r\n\r\n").as_bytes());
        bytes.extend_from_slice(content);
        bytes.extend_from_slice(b"\r\n");
    }
    bytes.extend_from_slice(format!("--{boundary}--\r\n").as_bytes());
    let content_type = HeaderValue::try_from(format!("multipart/{kind}; boundary={boundary}"));
    Body { content_type: content_type.unwrap_or_else(|_| HeaderValue::from_static("multipart/form-data")), bytes }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_are_separated_and_closed() {
        let body = body("related", "b0", &[("Content-Type: text/plain".into(), b"one"), ("X: y".into(), b"two")]);
        assert_eq!(body.content_type, "multipart/related; boundary=b0");
        let expected = "--b0\r\nContent-Type: text/plain\r\n\r\none\r\n--b0\r\nX: y\r\n\r\ntwo\r\n--b0--\r\n";
        assert_eq!(body.bytes, expected.as_bytes());
    }
}
