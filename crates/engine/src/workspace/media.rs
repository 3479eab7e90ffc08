//! Whether the content of a picture or sound is what its name says, told before a byte of it is sent: kind, codec, and
//! that it is whole. Nothing is decoded.

use std::ops::RangeInclusive;

use memchr::memmem;
use model::config::multimodal::Modality;

/// Widest and highest picture, and most pixels of one: more is a mistake, or meant to exhaust whoever decodes it.
const MAX_SIDE: usize = 32_768;
const MAX_PIXELS: usize = 250_000_000;

/// Codecs of WAV that are sounds as they are: PCM, floats, A-law, µ-law, and "see the subformat".
const WAV_CODECS: [u16; 5] = [1, 3, 6, 7, 0xfffe];

/// What the first page of a sound in Ogg begins with.
const OGG_CODECS: [&[u8]; 4] = [b"\x01vorbis", b"OpusHead", b"\x7fFLAC", b"Speex   "];

/// The media type of a file, by its content.
///
/// # Errors
/// Why it is no such file, in words for people.
pub(crate) fn check(bytes: &[u8], modality: Modality) -> Result<&'static str, String> {
    if bytes.is_empty() {
        return Err("the file is empty".to_owned());
    }
    let mime = mime_of(bytes).unwrap_or("content of no known kind");
    if !mime.strip_prefix(modality.as_str()).is_some_and(|rest| rest.starts_with('/')) {
        return Err(format!("named like an {} file, but holds {mime}", modality.as_str()));
    }
    let is_whole = match mime {
        "image/png" => png_is_whole(bytes),
        // Cameras append to a JPEG.
        "image/jpeg" => memmem::rfind(bytes, b"\xff\xd9").is_some(),
        "image/gif" => bytes.iter().rev().find(|byte| **byte != 0) == Some(&b';'),
        "image/webp" | "audio/wav" => riff_is_whole(bytes),
        "image/heif" | "audio/mp4" => boxes_are_whole(bytes),
        "audio/mpeg" => mpeg_has_a_frame(bytes),
        "audio/flac" => bytes.len() > 42,
        _ => true,
    };
    if !is_whole {
        return Err(format!("the {mime} is not whole"));
    }
    match modality {
        Modality::Image => picture(bytes, mime),
        Modality::Audio => codec(bytes, mime),
    }?;
    Ok(mime)
}

/// Tokens that a file is likely to cost where its provider counts as Gemini does: 258 for each tile of a picture, 32 for
/// each second of a sound.
pub(crate) fn estimated_tokens(bytes: &[u8], modality: Modality) -> usize {
    const TILE: usize = 768;
    const SMALL: usize = 384;
    const PER_TILE: usize = 258;
    const PER_SECOND: usize = 32;
    /// Bytes of a second of compressed sound, as if it had 128 kbit.
    const COMPRESSED: usize = 16_000;
    match modality {
        Modality::Image => {
            let tiles = imagesize::blob_size(bytes).map_or(1, |size| {
                let is_small = size.width <= SMALL && size.height <= SMALL;
                if is_small { 1 } else { size.width.div_ceil(TILE) * size.height.div_ceil(TILE) }
            });
            tiles.max(1) * PER_TILE
        }
        Modality::Audio => {
            let rate = wav_format(bytes).and_then(|format| Some(u32_at(format, 8)? as usize));
            bytes.len().div_ceil(rate.filter(|rate| *rate > 0).unwrap_or(COMPRESSED)) * PER_SECOND
        }
    }
}

/// The media type by the first bytes, under the names that providers know.
fn mime_of(bytes: &[u8]) -> Option<&'static str> {
    match infer::get(bytes).map(|kind| kind.mime_type()) {
        Some("audio/x-wav") => Some("audio/wav"),
        Some("audio/x-flac") => Some("audio/flac"),
        Some("audio/m4a" | "audio/x-m4a") => Some("audio/mp4"),
        Some("audio/opus") => Some("audio/ogg"),
        Some("video/ogg" | "application/ogg") => Some("audio/ogg"),
        Some(known) => Some(known),
        None => is_mpeg_frame(bytes).then_some("audio/mpeg"),
    }
}

/// The header of a frame of MPEG sound, layer II or III (`.m2a`, `.mp3`). Layer I nobody has, and it begins like UTF-16.
fn is_mpeg_frame(bytes: &[u8]) -> bool {
    const LAYERS: RangeInclusive<u8> = 1..=2;
    matches!(bytes, [0xff, second, third, ..] if second & 0xe0 == 0xe0
        && LAYERS.contains(&((second >> 1) & 3)) && (second >> 3) & 3 != 1
        && third >> 4 != 15 && (third >> 2) & 3 != 3)
}

fn picture(bytes: &[u8], mime: &str) -> Result<(), String> {
    let size = imagesize::blob_size(bytes).map_err(|_| format!("the size of the {mime} cannot be read"))?;
    let (width, height) = (size.width, size.height);
    if width == 0 || height == 0 {
        return Err(format!("the {mime} has no pixels"));
    }
    if width > MAX_SIDE || height > MAX_SIDE || width.saturating_mul(height) > MAX_PIXELS {
        return Err(format!("the {mime} claims {width} x {height} pixels, more than is sent"));
    }
    Ok(())
}

fn codec(bytes: &[u8], mime: &str) -> Result<(), String> {
    match mime {
        "audio/wav" => match wav_format(bytes).and_then(|format| u16_at(format, 0)) {
            Some(codec) if WAV_CODECS.contains(&codec) => Ok(()),
            Some(codec) => Err(format!("a WAV with codec {codec:#06x}, which is not known")),
            None => Err("a WAV that does not say its codec".to_owned()),
        },
        "audio/ogg" => {
            // The lengths of the segments of the first page stand before its content.
            let segments = bytes.get(26).copied().unwrap_or_default() as usize;
            let content = bytes.get(27 + segments..).unwrap_or_default();
            let is_sound = OGG_CODECS.iter().any(|codec| content.starts_with(codec));
            if is_sound { Ok(()) } else { Err("an Ogg file without Vorbis, Opus, FLAC or Speex".to_owned()) }
        }
        _ => Ok(()),
    }
}

/// Whether the chunks of a PNG go on until its end is marked.
fn png_is_whole(bytes: &[u8]) -> bool {
    let mut at = 8;
    while let Some(length) = bytes.get(at..).and_then(|rest| u32_be_at(rest, 0)) {
        let end = at.saturating_add(length as usize).saturating_add(12);
        if end > bytes.len() {
            return false;
        }
        if bytes.get(at + 4..at + 8) == Some(b"IEND") {
            return true;
        }
        at = end;
    }
    false
}

/// Whether as much follows as a RIFF file announces. What was recorded as a stream announces nothing.
fn riff_is_whole(bytes: &[u8]) -> bool {
    let is_sound = bytes.get(8..12) == Some(b"WAVE");
    match u32_at(bytes, 4) {
        Some(0 | u32::MAX) => is_sound && bytes.len() > 44,
        Some(announced) => bytes.len() >= announced as usize + 8,
        None => false,
    }
}

/// Whether the boxes of an MP4 or HEIF file end where the file does, or before.
fn boxes_are_whole(bytes: &[u8]) -> bool {
    let (mut at, mut boxes) = (0_usize, 0);
    while at < bytes.len() {
        let Some(short) = bytes.get(at..).and_then(|rest| u32_be_at(rest, 0)) else { return boxes > 1 };
        let length = match short {
            // To the end of the file.
            0 => return boxes > 0,
            1 => match bytes.get(at + 8..at + 16).and_then(|long| long.try_into().ok()) {
                Some(long) => usize::try_from(u64::from_be_bytes(long)).unwrap_or(usize::MAX),
                None => return false,
            },
            length => length as usize,
        };
        if length < 8 || length > bytes.len() - at {
            return false;
        }
        at += length;
        boxes += 1;
    }
    boxes > 1
}

/// Whether a frame follows the tag that MP3 files begin with.
fn mpeg_has_a_frame(bytes: &[u8]) -> bool {
    let start = match bytes {
        [b'I', b'D', b'3', _, _, _, a, b, c, d, ..] => {
            10 + [a, b, c, d].iter().fold(0_usize, |size, part| size << 7 | usize::from(**part & 0x7f))
        }
        _ => 0,
    };
    // Some writers leave zeros between the tag and the first frame.
    let rest = bytes.get(start..).unwrap_or_default();
    let first = rest.iter().position(|byte| *byte != 0).unwrap_or(rest.len());
    rest.get(first..).is_some_and(is_mpeg_frame)
}

/// The content of the `fmt ` chunk of a WAV.
fn wav_format(bytes: &[u8]) -> Option<&[u8]> {
    if bytes.get(..4) != Some(b"RIFF") || bytes.get(8..12) != Some(b"WAVE") {
        return None;
    }
    let mut at = 12;
    loop {
        let (name, length) = (bytes.get(at..at + 4)?, u32_at(bytes.get(at..)?, 4)? as usize);
        let content = at + 8;
        if name == b"fmt " {
            return bytes.get(content..content.checked_add(length)?);
        }
        // Chunks begin at even places.
        at = content.checked_add(length)?.checked_add(length % 2)?;
    }
}

fn u16_at(bytes: &[u8], at: usize) -> Option<u16> {
    bytes.get(at..at + 2).and_then(|found| found.try_into().ok()).map(u16::from_le_bytes)
}

fn u32_at(bytes: &[u8], at: usize) -> Option<u32> {
    bytes.get(at..at + 4).and_then(|found| found.try_into().ok()).map(u32::from_le_bytes)
}

fn u32_be_at(bytes: &[u8], at: usize) -> Option<u32> {
    bytes.get(at..at + 4).and_then(|found| found.try_into().ok()).map(u32::from_be_bytes)
}

#[cfg(test)]
#[path = "media_tests.rs"]
mod tests;
