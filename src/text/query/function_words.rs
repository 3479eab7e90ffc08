//! Function words of scripts that have no stop-word lists of their own here, and file extensions.

/// Chinese characters and kana-like words that shape a sentence and say nothing about its subject.
const CHARACTERS: &str = "的了是在我你您他她它们們这這那有和与與吗嗎呢吧啊呀么麼什甚都也还還很就被把给給对對不没沒个個哪谁誰怎样樣过過着著到从從为為\
以及而但或所以因如何几幾何私僕俺";

/// Korean words of the same kind, without particles.
const KOREAN: &[&str] = &[
    "뭐",
    "무엇",
    "무슨",
    "뭘",
    "어디",
    "언제",
    "누구",
    "누가",
    "왜",
    "어떻게",
    "어떤",
    "얼마나",
    "그",
    "이",
    "저",
    "그것",
    "이것",
    "내",
    "나",
    "우리",
    "제",
    "너",
    "것",
    "수",
    "있어",
    "있나",
    "있지",
    "했지",
    "했어",
    "했나",
    "했나요",
    "하는",
    "해",
    "대해",
    "대한",
];

/// Endings of file names that people have in notes.
pub(super) const EXTENSIONS: &str = "md txt pdf doc docx xls xlsx csv tsv ppt pptx odt ods rtf tex html htm xml json jsonl yaml yml \
toml ini cfg conf env lock log sql db sqlite rs py js mjs cjs ts tsx jsx go java kt swift c h cc cpp hpp cs rb php pl lua sh bash \
zsh ps1 bat css scss vue zip tar gz tgz bz2 xz 7z rar png jpg jpeg gif svg webp heic mp3 mp4 wav m4a mov mkv webm ics vcf eml epub \
ipynb parquet wasm dll so exe dmg apk iso bak tmp pem key crt";

/// Whether a Chinese character or kana shapes the sentence only.
pub(super) fn is_function_character(c: char) -> bool {
    CHARACTERS.contains(c)
}

/// Whether a Korean word shapes the sentence only.
pub(super) fn is_korean_function_word(word: &str) -> bool {
    KOREAN.contains(&word)
}
