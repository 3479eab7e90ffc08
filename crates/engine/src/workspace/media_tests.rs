use proptest::prelude::*;

use super::{check, estimated_tokens};
use crate::workspace::media_samples::{jpeg, ogg, png, png_of, wav, webp};
use model::config::multimodal::Modality::{self, Audio, Image};

fn mp3() -> Vec<u8> {
    let mut bytes = b"ID3\x04\0\0\0\0\0\x05tagged".to_vec();
    bytes.truncate(15);
    bytes.extend([0xff, 0xfb, 0x90, 0x64]);
    bytes.resize(600, 0);
    bytes
}

#[test]
fn content_tells_the_media_type() {
    for (bytes, modality, mime) in [
        (png("x"), Image, "image/png"),
        (jpeg(), Image, "image/jpeg"),
        (webp(), Image, "image/webp"),
        (b"GIF89a\x01\0\x01\0\0\0\0;".to_vec(), Image, "image/gif"),
        (wav(1, 100), Audio, "audio/wav"),
        (mp3(), Audio, "audio/mpeg"),
        ([&[0xff, 0xfd, 0x90, 0x64][..], &[0; 90]].concat(), Audio, "audio/mpeg"),
        ([&[0xff, 0xf1, 0x50, 0x80][..], &[0; 90]].concat(), Audio, "audio/aac"),
        (ogg(b"OpusHead"), Audio, "audio/ogg"),
        (ogg(b"\x01vorbis"), Audio, "audio/ogg"),
        ([&b"fLaC"[..], &[0; 90]].concat(), Audio, "audio/flac"),
    ] {
        assert_eq!(check(&bytes, modality), Ok(mime), "{mime}");
    }
}

#[test]
fn what_is_not_what_its_name_says_has_a_reason() {
    let reason = |bytes: &[u8], modality: Modality| check(bytes, modality).expect_err("refused");
    assert_eq!(reason(b"", Image), "the file is empty");
    assert!(reason(b"# a note that was renamed", Image).contains("holds content of no known kind"));
    assert!(reason(b"%PDF-1.7 and more", Image).contains("holds application/pdf"));
    assert!(reason(&wav(1, 100), Image).contains("holds audio/wav"));
    assert!(reason(&png("x"), Audio).contains("holds image/png"));
    // UTF-16 begins like a frame of sound.
    assert!(reason(b"\xff\xfeh\0e\0l\0l\0o\0", Audio).contains("no known kind"));
}

#[test]
fn codecs_that_nobody_plays_are_refused() {
    let reason = |bytes: &[u8]| check(bytes, Audio).expect_err("refused");
    assert!(reason(&wav(0x0055, 100)).contains("codec 0x0055"));
    assert!(reason(&ogg(b"\x80theora")).contains("without Vorbis"));
    assert!(check(&wav(0xfffe, 100), Audio).is_ok());
}

#[test]
fn files_that_were_cut_off_are_not_whole() {
    for (bytes, modality) in [(png(""), Image), (jpeg(), Image), (webp(), Image), (wav(1, 100), Audio), (mp3(), Audio)]
    {
        let cut = &bytes[..bytes.len().min(590) - 6];
        let cut = if bytes.len() == 600 { &bytes[..14] } else { cut };
        assert!(check(cut, modality).is_err(), "{:?}", check(&bytes, modality));
    }
}

#[test]
fn sizes_that_nobody_has_are_refused_without_decoding() {
    for (width, height) in [(0, 1), (1, 0), (40_000, 1), (1, u32::MAX), (30_000, 30_000)] {
        assert!(check(&png_of(width, height, ""), Image).is_err(), "{width} x {height}");
    }
    assert!(check(&png_of(16_320, 12_240, ""), Image).is_ok(), "a phone makes those");
}

#[test]
fn tokens_are_counted_by_tile_and_second() {
    assert_eq!(estimated_tokens(&png_of(300, 200, ""), Image), 258);
    assert_eq!(estimated_tokens(&png_of(1000, 768, ""), Image), 2 * 258);
    assert_eq!(estimated_tokens(&wav(1, 80_000), Audio), 11 * 32);
    assert_eq!(estimated_tokens(&[0; 32_000], Audio), 2 * 32);
}

proptest! {
    /// Whatever a file holds, it is judged and nothing falls over.
    #[test]
    fn any_bytes_are_judged(
        start in 0_usize..7,
        cut in 0_usize..200,
        tail in prop::collection::vec(any::<u8>(), 0..80),
        at in 0_usize..100,
        byte in any::<u8>(),
    ) {
        let mut bytes = [png(""), jpeg(), webp(), wav(1, 40), mp3(), ogg(b"OpusHead"), b"....ftypM4A ".to_vec()][start].clone();
        bytes.truncate(cut);
        bytes.extend(tail);
        if let Some(place) = bytes.get_mut(at) {
            *place = byte;
        }
        for modality in [Image, Audio] {
            if let Ok(mime) = check(&bytes, modality) {
                prop_assert!(mime.starts_with(modality.as_str()));
            }
            estimated_tokens(&bytes, modality);
        }
    }
}
