//! Small pictures and sounds for tests. What is appended to them tells one from the other.

/// A PNG that claims this size.
pub(crate) fn png_of(width: u32, height: u32, appended: &str) -> Vec<u8> {
    let mut bytes = b"\x89PNG\r\n\x1a\n".to_vec();
    let mut chunk = |name: &[u8], content: &[u8]| {
        bytes.extend((content.len() as u32).to_be_bytes());
        bytes.extend(name);
        bytes.extend(content);
        bytes.extend([0; 4]);
    };
    chunk(b"IHDR", &[&width.to_be_bytes()[..], &height.to_be_bytes()[..], &[8, 2, 0, 0, 0]].concat());
    chunk(b"IDAT", &[1, 2, 3]);
    chunk(b"IEND", &[]);
    bytes.extend(appended.as_bytes());
    bytes
}

/// A PNG of one pixel.
pub(crate) fn png(appended: &str) -> Vec<u8> {
    png_of(1, 1, appended)
}

/// A WAV of a codec, of this many bytes of sound, 8,000 a second.
pub(crate) fn wav(codec: u16, sound: usize) -> Vec<u8> {
    let mut bytes = b"RIFF".to_vec();
    bytes.extend((36 + sound as u32).to_le_bytes());
    bytes.extend(b"WAVEfmt ");
    bytes.extend(16_u32.to_le_bytes());
    for number in [codec, 1] {
        bytes.extend(number.to_le_bytes());
    }
    for number in [8000_u32, 8000] {
        bytes.extend(number.to_le_bytes());
    }
    bytes.extend([1, 0, 8, 0]);
    bytes.extend(b"data");
    bytes.extend((sound as u32).to_le_bytes());
    bytes.resize(bytes.len() + sound, 0x80);
    bytes
}

/// A WebP as the format announces it.
pub(crate) fn webp() -> Vec<u8> {
    let mut frame = vec![0x30, 0, 0, 0x9d, 0x01, 0x2a, 16, 0, 16, 0];
    frame.resize(20, 0);
    let mut bytes = b"RIFF".to_vec();
    bytes.extend((12 + frame.len() as u32).to_le_bytes());
    bytes.extend(b"WEBPVP8 ");
    bytes.extend((frame.len() as u32).to_le_bytes());
    bytes.extend(frame);
    bytes
}

/// A JPEG of a size: a start, a frame header and an end.
pub(crate) fn jpeg() -> Vec<u8> {
    let mut bytes = vec![0xff, 0xd8, 0xff, 0xe0, 0, 16];
    bytes.extend(b"JFIF\0\x01\x01\0\0\x01\0\x01\0\0");
    bytes.extend([0xff, 0xc0, 0, 17, 8, 0, 2, 0, 3, 3, 1, 0x22, 0, 2, 0x11, 1, 3, 0x11, 1, 0xff, 0xd9]);
    bytes
}

/// A page of Ogg whose content begins so.
pub(crate) fn ogg(content: &[u8]) -> Vec<u8> {
    let mut bytes = b"OggS\0\x02".to_vec();
    bytes.resize(26, 0);
    bytes.extend([1, content.len() as u8]);
    bytes.extend(content);
    bytes.resize(80, 0);
    bytes
}
