//! Function words of scripts that have no stop-word lists of their own here, and file extensions.

use crate::language::{Language, Languages};

/// Chinese characters and kana-like words that shape a sentence and say nothing about its subject.
const CHARACTERS: &str = "的了是在我你您他她它们們这這那有和与與吗嗎呢吧啊呀么麼什甚都也还還很就被把给給对對不没沒个個哪谁誰怎样樣过過着著到从從为為\
以及而但或所以因如何几幾何私僕俺";

/// Words of more characters that ask, whatever is asked for.
const DENSE_WORDS: &str = "家里 家裡 什么 多少 多久 多长时间 多长 多大 时候 几点 几号 几月 哪里 哪儿 哪家 哪个 哪位 哪天 哪些 哪一年 为什么 怎么 怎样 如何 \
可以 能不能 是不是 有没有 是否 请问 告诉 知道 记得 名字 什麼 時候 幾點 幾號 哪裡 為什麼 怎麼 請問 告訴 記得 \
誰 何日 何時 何月 何曜日 何人 何歳 何年 何 教えて 覚えて 知って 名前";

/// Words, folded, that most questions about a thing may have, whatever the thing: to be called, to cost, to lie
/// somewhere, to begin, to buy, to tell. They say which answer is wanted, not about what.
const SHAPING: &[(Language, &str)] = &[
    (
        Language::Portuguese,
        "chama chamam chamava chamavam custa custam custou custaram fica ficam ficou ficava esta estao estava tem teem tinha \
         faz fazem fez fizemos vai vao foi foram e sao comeca comecam acaba acabam dura disse disseste diz sabes sabe lembras \
         lembra deixei deixamos pus comprei compramos comprou fomos fui vimos gastei pagamos paguei ano anos dia dias vez nome \
         usamos usa temos tenho marquei combinei acontece aconteceu",
    ),
    (
        Language::Spanish,
        "llama llaman llamaba llamaban cuesta cuestan costo costaron costaba vale queda quedan quedo esta estan estaba tiene \
         tienen tenia hace hacen hizo hicimos va van fue fueron es son empieza empiezan acaba termina dura dijo dijiste dice \
         sabes sabe recuerdas recuerda deje dejamos puse pusimos compre compramos compro fuimos fui vimos gaste pagamos pague \
         ano anos dia dias vez nombre usamos usa tenemos tengo ponen pone paso pasa como",
    ),
    (
        Language::German,
        "heisst heissen hiess kostet kosten gekostet kostete liegt liegen lag gelegen steht stehen stand kommt kommen kam geht \
         gehen ging gegangen gibt gab findet statt lauft lief lautet dauert dauerte gedauert beginnt fangt endet braucht weisst \
         weiss sag sage erzahl gehort bekommt bekommen gemacht macht machen gekauft kaufte kauften gefahren jahr jahre jahren \
         tag tage tagen letztes letzte letzten letzter beim vom zum zuletzt name namen genau nochmal haben hat hatte ab an auf aus ein zu",
    ),
    (
        Language::Russian,
        "зовут звали называется стоит стоил стоила стоило стоили стоят находится находятся лежит лежат лежало лежала был была \
         было были будет будут идет шел шли ходили ходил ходила ездили ездил купили купил купила начинается заканчивается \
         закончится кончается сказал сказала скажи знаешь помнишь делали делал нужно надо можно должен год года году лет день \
         дня дни раз имя время времени",
    ),
    (
        Language::French,
        "appelle appellent appelait coute coutent coutait trouve trouvent est sont etait fait font fit va vont alle alles \
         commence finit dure dit sais rappelles mis laisse achete an ans jour jours nom",
    ),
    (
        Language::Italian,
        "chiama chiamano chiamava costa costano costava costato trova trovano sta stanno stava ha hanno aveva fa fanno va vanno \
         comincia inizia finisce dura detto dice sai ricordi messo lasciato comprato anno anni giorno giorni nome",
    ),
    (
        Language::Dutch,
        "heet heten heette kost kosten kostte ligt liggen lag staat staan stond komt komen kwam gaat gaan ging begint eindigt \
         duurt zei weet vertel gekocht jaar jaren dag dagen naam",
    ),
];

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
    "뭐야",
    "뭐지",
    "뭐였지",
    "뭐였더라",
    "뭐라고",
    "뭐더라",
    "누구야",
    "누구지",
    "누구였지",
    "누구한테",
    "어디야",
    "어디지",
    "어디였지",
    "어디에서",
    "어디서",
    "어디로",
    "언제야",
    "언제지",
    "언제였지",
    "언제까지",
    "언제부터",
    "얼마야",
    "얼마지",
    "얼마였지",
    "며칠",
    "며칠이야",
    "며칠이지",
    "몇",
    "몇시",
    "몇시에",
    "어땠어",
    "어때",
    "했더라",
    "했었지",
    "있는지",
    "있나요",
    "있어요",
    "있었지",
    "하나요",
    "하지",
    "되나요",
    "되는",
    "돼",
    "안",
    "알려줘",
    "알려",
    "줘",
    "말해줘",
    "기억나",
    "이름",
    "이름이",
];

/// Endings of file names that people have in notes.
pub(super) const EXTENSIONS: &str = "md txt pdf doc docx xls xlsx csv tsv ppt pptx odt ods rtf tex html htm xml json jsonl yaml yml \
toml ini cfg conf env lock log sql db sqlite rs py js mjs cjs ts tsx jsx go java kt swift c h cc cpp hpp cs rb php pl lua sh bash \
zsh ps1 bat css scss vue zip tar gz tgz bz2 xz 7z rar png jpg jpeg gif svg webp heic mp3 mp4 wav m4a mov mkv webm ics vcf eml epub \
ipynb parquet wasm dll so exe dmg apk iso bak tmp pem key crt";

/// Per character of a run of Chinese or Japanese, whether it shapes the sentence only, alone or in a word.
pub(super) fn function_characters(run: &str) -> Vec<bool> {
    let mut shapes: Vec<bool> = run.chars().map(|c| CHARACTERS.contains(c)).collect();
    for word in DENSE_WORDS.split(' ') {
        for (at, _) in run.match_indices(word) {
            let first = run[..at].chars().count();
            shapes[first..first + word.chars().count()].fill(true);
        }
    }
    shapes
}

/// Words, folded, that ask for a measure behind "how", by that word: a number answers them. The first ones say nothing else, and
/// stand for no word of an answer ("how much is my rent?"); a note may well have the others.
const MEASURES: &[(&str, &[&str], &[&str])] = &[
    ("how", &["much", "many"], &["long", "often", "old", "far", "big", "tall", "late", "early", "high", "heavy"]),
    (
        "wie",
        &["viel", "viele", "vielen"],
        &["lange", "lang", "oft", "alt", "weit", "gross", "hoch", "spat", "teuer", "schwer"],
    ),
    ("hoe", &["veel"], &["lang", "vaak", "oud", "ver", "groot", "hoog", "laat", "duur", "zwaar"]),
    ("как", &[], &["долго", "часто", "давно", "далеко"]),
    ("jak", &[], &["dlugo", "czesto", "dawno", "daleko"]),
];

/// What a folded word is behind another.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Measure {
    /// It asks for a number and says nothing else.
    Bare,
    /// It says of what kind.
    OfKind,
}

/// Whether a folded word asks for a measure behind the folded word before it.
pub(super) fn measure(before: &str, word: &str) -> Option<Measure> {
    let (_, bare, of_kind) = MEASURES.iter().find(|(how, _, _)| *how == before)?;
    if bare.contains(&word) {
        return Some(Measure::Bare);
    }
    of_kind.contains(&word).then_some(Measure::OfKind)
}

/// The languages in which a folded word shapes questions.
pub(super) fn shaped_in(folded: &str) -> Languages {
    let mut languages = Languages::default();
    for (language, words) in SHAPING {
        if words.split(' ').any(|word| word == folded) {
            languages.insert(*language);
        }
    }
    languages
}

/// Whether a Korean word shapes the sentence only.
pub(super) fn is_korean_function_word(word: &str) -> bool {
    KOREAN.contains(&word)
}
