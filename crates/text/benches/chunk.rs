//! The chunker: `cargo bench --bench chunk`.

use divan::{
    Bencher, black_box,
    counter::{BytesCount, BytesFormat},
};
use model::config::settings::Chunking;
use text::chunk;

fn main() {
    divan::Divan::from_args().bytes_format(BytesFormat::Decimal).main();
}

/// Texts of about 1 MB.
fn text(kind: &str) -> String {
    match kind {
        "latin" => "A line of a note, neither short nor long, as people write them.\n".repeat(16_000),
        "cjk" => "会议记录与部署方案，昨日の打ち合わせ。\n".repeat(17_000),
        "one line" => "word ".repeat(200_000),
        "line breaks" => "\n".repeat(1_000_000),
        // Each short line after a full one gives a chunk of its own.
        _ => format!("{}\n{}", "x".repeat(1599), "\n".repeat(320)).repeat(520),
    }
}

#[divan::bench(args = ["latin", "cjk", "one line", "line breaks", "full lines before empty ones"])]
fn chunks(bencher: Bencher<'_, '_>, kind: &str) {
    let text = text(kind);
    let chunking = Chunking { tokens: 400, overlap: 80 };
    bencher.counter(BytesCount::of_str(&text)).bench(|| chunk::chunks(black_box(&text), chunking).count());
}
