//! Languages: which one a line is written in, told by its stop words, and the stems of its words.

use std::collections::HashMap;
use std::sync::LazyLock;

use rust_stemmers::{Algorithm, Stemmer};

use super::fold::{bare, fold};

/// A language with a Snowball stemmer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[expect(missing_docs, reason = "the names say it")]
pub enum Language {
    English,
    Portuguese,
    Spanish,
    German,
    French,
    Italian,
    Dutch,
    Danish,
    Norwegian,
    Swedish,
    Finnish,
    Hungarian,
    Romanian,
    Turkish,
    Russian,
    Greek,
    Arabic,
    Tamil,
}

impl Language {
    /// Every language, in the order of preference when evidence is equal.
    pub const ALL: [Self; 18] = [
        Self::English,
        Self::Portuguese,
        Self::Spanish,
        Self::German,
        Self::French,
        Self::Italian,
        Self::Dutch,
        Self::Danish,
        Self::Norwegian,
        Self::Swedish,
        Self::Finnish,
        Self::Hungarian,
        Self::Romanian,
        Self::Turkish,
        Self::Russian,
        Self::Greek,
        Self::Arabic,
        Self::Tamil,
    ];

    /// ISO 639-1 code.
    #[must_use]
    pub const fn code(self) -> &'static str {
        match self {
            Self::English => "en",
            Self::Portuguese => "pt",
            Self::Spanish => "es",
            Self::German => "de",
            Self::French => "fr",
            Self::Italian => "it",
            Self::Dutch => "nl",
            Self::Danish => "da",
            Self::Norwegian => "no",
            Self::Swedish => "sv",
            Self::Finnish => "fi",
            Self::Hungarian => "hu",
            Self::Romanian => "ro",
            Self::Turkish => "tr",
            Self::Russian => "ru",
            Self::Greek => "el",
            Self::Arabic => "ar",
            Self::Tamil => "ta",
        }
    }

    const fn algorithm(self) -> Algorithm {
        match self {
            Self::English => Algorithm::English,
            Self::Portuguese => Algorithm::Portuguese,
            Self::Spanish => Algorithm::Spanish,
            Self::German => Algorithm::German,
            Self::French => Algorithm::French,
            Self::Italian => Algorithm::Italian,
            Self::Dutch => Algorithm::Dutch,
            Self::Danish => Algorithm::Danish,
            Self::Norwegian => Algorithm::Norwegian,
            Self::Swedish => Algorithm::Swedish,
            Self::Finnish => Algorithm::Finnish,
            Self::Hungarian => Algorithm::Hungarian,
            Self::Romanian => Algorithm::Romanian,
            Self::Turkish => Algorithm::Turkish,
            Self::Russian => Algorithm::Russian,
            Self::Greek => Algorithm::Greek,
            Self::Arabic => Algorithm::Arabic,
            Self::Tamil => Algorithm::Tamil,
        }
    }

    /// Whether its script has a letter.
    #[must_use]
    pub fn writes(self, letter: char) -> bool {
        Self::of_script(letter.to_lowercase().collect::<String>().as_str()).contains(&self)
    }

    /// The languages whose stemmer reads the script of a lower-case word, preferred first.
    #[must_use]
    pub(crate) fn of_script(word: &str) -> &'static [Self] {
        match word.chars().find(|c| c.is_alphabetic()) {
            Some('a'..='z' | '\u{C0}'..='\u{24F}' | '\u{1E00}'..='\u{1EFF}') => &Self::ALL[..14],
            Some('\u{370}'..='\u{3FF}' | '\u{1F00}'..='\u{1FFF}') => &[Self::Greek],
            // Letters that Russian does not have tell Ukrainian, Belarusian, Serbian … apart: no stemmer for those.
            Some('\u{400}'..='\u{52F}') if !word.contains(['і', 'ї', 'є', 'ґ', 'ў', 'ј', 'љ', 'њ', 'ћ', 'ђ', 'џ']) => {
                &[Self::Russian]
            }
            // Likewise Persian and Urdu among the Arabic letters.
            Some('\u{620}'..='\u{64A}') if !word.contains(['پ', 'چ', 'ژ', 'گ', 'ٹ', 'ڈ', 'ڑ', 'ے', 'ہ']) => {
                &[Self::Arabic]
            }
            Some('\u{B80}'..='\u{BFF}') => &[Self::Tamil],
            _ => &[],
        }
    }
}

/// A set of languages.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Languages(u32);

impl Languages {
    /// Adds a language.
    pub const fn insert(&mut self, language: Language) {
        self.0 |= 1 << language as u32;
    }

    /// Whether a language is in the set.
    #[must_use]
    pub const fn contains(self, language: Language) -> bool {
        self.0 & (1 << language as u32) != 0
    }

    /// Whether no language is in the set.
    #[must_use]
    pub const fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// How many languages are in the set.
    #[must_use]
    pub const fn len(self) -> u32 {
        self.0.count_ones()
    }

    /// The languages of the set, preferred first.
    pub fn iter(self) -> impl Iterator<Item = Language> {
        Language::ALL.into_iter().filter(move |l| self.contains(*l))
    }
}

/// Function words that the lists lack and that carry a question or a clause, never its subject.
const MORE_STOP_WORDS: &[(Language, &str)] = &[
    (Language::English, "would could may might must shall us also im ive dont didnt whats"),
    (Language::Portuguese, "onde qual quais quanto quantos quanta quantas porque pra pro cadê aí lá agora"),
    (Language::Spanish, "cuál cuáles cuándo cuánto cuántos dónde quién quiénes qué cómo adónde ahora"),
    (
        Language::German,
        "wann warum wer wen wem wieso weshalb worüber wogegen womit wofür wovon woran worauf woraus wobei wodurch wonach wozu worum worin",
    ),
    (Language::French, "où quand comment pourquoi quel quelle quels quelles combien est-ce maintenant"),
    (Language::Italian, "quando perché né quale quali quanto dove cosa adesso"),
    (Language::Dutch, "waar wanneer waarom welke hoe hoeveel"),
    (Language::Russian, "когда где почему кто кого кому какой какая какие сколько сейчас теперь"),
    (Language::Turkish, "nerede zaman kim hangi"),
    (
        Language::Arabic,
        "لماذا كان كانت كنت كنا كانوا يكون تكون أيضا جدا الآن قبل فوق تحت أمام خلف حول خلال عبر ضد لأن لأنه أي أيّ جميع مثل حسب عندي عندك عنده عندها عندنا لدي لديك لديه لديها لدينا",
    ),
];

/// Words that a question can be about, and that only without their accent are a stop word somewhere: tea; sure, born and dice;
/// knot and pity; hair and men. Typed without it they cannot be told from the stop word.
const ACCENTED: &[&str] = &["té", "tés", "sûr", "né", "dés", "nó", "dó", "hår", "män"];

/// The stop words of NLTK, without those that a question can be about: a line for each language, its code before them. As a slice of strings each word would cost the
/// addon a pointer, a length and a relocation: eight times the bytes of the words. They come from the crate `stop-words`, which
/// is one of the tests only, for it builds a reader of JSON before this crate can be built; a test writes them.
static LISTED: &str = include_str!("language/stop_words.txt");

/// Every stop word as it is written, with its language.
fn stop_words() -> impl Iterator<Item = (Language, &'static str)> {
    Language::ALL.into_iter().flat_map(|language| {
        let listed = LISTED.lines().filter_map(move |line| line.strip_prefix(language.code())?.strip_prefix(' '));
        let listed = listed.flat_map(|words| words.split('\t'));
        let more = MORE_STOP_WORDS.iter().filter(move |(l, _)| *l == language).flat_map(|(_, words)| words.split(' '));
        let words = listed.chain(more).filter(|w| !w.contains(['\'', '’', ' ', '-']));
        words.map(move |word| (language, word))
    })
}

/// Folded stop word → languages that use it as such.
static STOP_WORDS: LazyLock<HashMap<String, Languages>> = LazyLock::new(|| {
    let mut map: HashMap<String, Languages> = HashMap::new();
    for (language, word) in stop_words() {
        map.entry(fold(word)).or_default().insert(language);
    }
    map
});

/// Word of [`ACCENTED`] → languages that have it as a stop word with its accent.
static ACCENTED_STOP_WORDS: LazyLock<HashMap<&str, Languages>> = LazyLock::new(|| {
    let mut map: HashMap<&str, Languages> = ACCENTED.iter().map(|word| (*word, Languages::default())).collect();
    for (language, word) in stop_words() {
        map.entry(word).and_modify(|languages| languages.insert(language));
    }
    map
});

/// The languages in which a folded word is a stop word.
#[must_use]
pub fn stop_word_of(folded: &str) -> Languages {
    STOP_WORDS.get(folded).copied().unwrap_or_default()
}

/// The same of a word whose accents are known, in lower case.
#[must_use]
pub(crate) fn stop_word_as_written(lower: &str, folded: &str) -> Languages {
    let accented = (lower != folded).then(|| ACCENTED_STOP_WORDS.get(lower)).flatten();
    accented.copied().unwrap_or_else(|| stop_word_of(folded))
}

/// Letters that few languages use: evidence where there are no stop words. Input is lower case.
#[must_use]
pub(crate) fn letters_of(word: &str) -> Languages {
    let mut set = Languages::default();
    for c in word.chars().filter(|c| !c.is_ascii()) {
        let languages: &[Language] = match c {
            'ã' | 'õ' => &[Language::Portuguese],
            'ñ' => &[Language::Spanish],
            'ß' => &[Language::German],
            'ø' => &[Language::Danish, Language::Norwegian],
            'å' => &[Language::Swedish, Language::Danish, Language::Norwegian],
            'ő' | 'ű' => &[Language::Hungarian],
            'ğ' | 'ı' => &[Language::Turkish],
            'ş' => &[Language::Turkish, Language::Romanian],
            'ă' | 'ț' | 'ș' | 'ţ' => &[Language::Romanian],
            'œ' => &[Language::French],
            'ü' => &[Language::German, Language::Turkish, Language::Hungarian],
            'ä' => &[Language::German, Language::Swedish, Language::Finnish],
            'ö' => &[Language::German, Language::Swedish, Language::Finnish, Language::Turkish, Language::Hungarian],
            'ç' => &[Language::Portuguese, Language::French, Language::Turkish],
            'è' | 'ì' | 'ò' | 'ù' => &[Language::Italian, Language::French],
            'ê' => &[Language::French, Language::Portuguese],
            _ => &[],
        };
        for &language in languages {
            set.insert(language);
        }
    }
    set
}

/// Evidence for each language, gathered word by word.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Votes([f32; Language::ALL.len()]);

impl Votes {
    /// Counts a word that speaks for these languages; the fewer they are, the more it says.
    pub(crate) fn add(&mut self, languages: Languages, weight: f32) {
        if !languages.is_empty() {
            let share = weight / languages.len() as f32;
            for language in languages.iter() {
                self.0[language as usize] += share;
            }
        }
    }

    /// Adds other evidence, weighted.
    pub(crate) fn add_votes(&mut self, other: &Self, weight: f32) {
        for (mine, theirs) in self.0.iter_mut().zip(&other.0) {
            *mine += weight * theirs;
        }
    }

    /// Scales the evidence down to a sum of at most `most`.
    pub(crate) fn limit(&mut self, most: f32) {
        let sum: f32 = self.0.iter().sum();
        if sum > most {
            self.0.iter_mut().for_each(|v| *v *= most / sum);
        }
    }

    /// The language with the most evidence; none when that is less than two words' worth, because many a
    /// stop word is a plain word elsewhere (Danish "dog"). Equal evidence: the preferred one.
    #[must_use]
    pub(crate) fn winner(&self) -> Option<Language> {
        const DECISIVE: f32 = 1.2;
        let best = self.0.iter().copied().fold(0.0_f32, f32::max);
        Language::ALL.into_iter().find(|l| best >= DECISIVE && self.0[*l as usize] >= best)
    }

    /// Every language with at least `share` (0–1) of the winner's evidence, preferred first.
    #[must_use]
    pub(crate) fn leaders(&self, share: f32) -> Vec<Language> {
        let best = self.0.iter().copied().fold(0.0_f32, f32::max);
        Language::ALL.into_iter().filter(|l| best > 0.0 && self.0[*l as usize] >= best * share).collect()
    }
}

/// The stem of a lower-case word in a language, without accents.
#[must_use]
pub fn stem(word: &str, language: Language) -> String {
    let restored = restore(word, language);
    let stemmed = Stemmer::create(language.algorithm()).stem(restored.as_deref().unwrap_or(word)).into_owned();
    let stem = bare(&stemmed).into_owned();
    // Snowball empties a few one- and two-letter words.
    if stem.is_empty() { bare(word).into_owned() } else { stem }
}

/// Endings that Snowball misses: Romance endings typed without their accent, and Portuguese plurals
/// that change the vowel (`reuniões` – `reunião`, `papéis` – `papel`, `homens` – `homem`).
fn restore(word: &str, language: Language) -> Option<String> {
    let swap = |folded: &str, ending: &str, right: &str| {
        folded.strip_suffix(ending).filter(|s| s.chars().count() >= 2).map(|s| format!("{s}{right}"))
    };
    let bare = bare(word);
    match language {
        Language::Portuguese => swap(&bare, "coes", "ção")
            .or_else(|| swap(&bare, "cao", "ção"))
            .or_else(|| swap(&bare, "oes", "ão"))
            .or_else(|| swap(&bare, "ao", "ão"))
            .or_else(
                || if bare.len() > 5 { swap(&bare, "ais", "al").or_else(|| swap(&bare, "eis", "el")) } else { None },
            )
            .or_else(|| if bare.len() > 5 { swap(&bare, "ois", "ol") } else { None })
            .or_else(|| swap(&bare, "ens", "em")),
        Language::Spanish => swap(&bare, "cion", "ción").or_else(|| swap(&bare, "sion", "sión")),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn language(text: &str) -> Option<Language> {
        let mut votes = Votes::default();
        for word in text.split(|c: char| !c.is_alphanumeric()).filter(|w| !w.is_empty()) {
            votes.add(stop_word_of(&fold(word)), 1.0);
            votes.add(letters_of(&word.to_lowercase()), 0.5);
        }
        votes.winner()
    }

    /// The first of the Arabic list that is no function word: months, numbers, coins, names and verbs follow it.
    const AFTER_ARABIC: &str = "أبٌ";
    /// Words of lists that a question can be about: article, good, large, new; girl and new.
    const CONTENT: &[(Language, &str)] = &[
        (Language::Hungarian, "cikk cikkek cikkeket jó jobban keressünk nagy nagyobb saját teljes új újabb"),
        (Language::Romanian, "fata nou noua nouă"),
    ];

    fn is_function_word(language: Language, word: &str) -> bool {
        !CONTENT.iter().any(|(of, words)| *of == language && words.split(' ').any(|content| content == word))
    }

    // `MEMORY_CORE_WRITE=1 cargo test -p text --lib stop_words` writes them where the crate has others.
    #[test]
    fn the_stop_words_are_those_of_the_crate() {
        let line = |language: &Language| {
            let words = stop_words::lookup(language.code())?.iter().take_while(|word| **word != AFTER_ARABIC);
            let words: Vec<&str> = words.copied().filter(|word| is_function_word(*language, word)).collect();
            Some(format!("{} {}\n", language.code(), words.join("\t")))
        };
        let made: String = Language::ALL.iter().filter_map(line).collect();
        if std::env::var_os("MEMORY_CORE_WRITE").is_some() {
            let path = concat!(env!("CARGO_MANIFEST_DIR"), "/src/language/stop_words.txt");
            std::fs::write(path, &made).unwrap();
        }
        assert!(made == LISTED, "stop_words.txt is not what the crate has");
    }

    #[test]
    fn stop_words_tell_the_language() {
        for (text, want) in [
            ("where did we put the keys of the car", Some(Language::English)),
            ("onde é que eu deixei as chaves do carro", Some(Language::Portuguese)),
            ("¿dónde están las llaves que me diste ayer?", Some(Language::Spanish)),
            ("wo habe ich die Schlüssel für das Auto gelassen", Some(Language::German)),
            ("où sont les clés que tu m'as données", Some(Language::French)),
            ("dove sono le chiavi della macchina che mi hai dato", Some(Language::Italian)),
            ("waar heb ik de sleutels van de auto gelaten", Some(Language::Dutch)),
            ("где я оставил ключи от машины", Some(Language::Russian)),
            ("أين وضعت مفاتيح السيارة في البيت", Some(Language::Arabic)),
            ("var har jag lagt nycklarna till bilen", Some(Language::Swedish)),
            ("PostgreSQL Kubernetes", None),
        ] {
            assert_eq!(language(text), want, "{text}");
        }
    }

    #[test]
    fn inflected_forms_share_a_stem() {
        for (language, words) in [
            (Language::English, &["deploy", "deployed", "deploying", "deploys"][..]),
            (Language::Portuguese, &["reunião", "reuniões", "reuniao", "reunioes"]),
            (Language::Portuguese, &["informação", "informações", "informacao", "informacoes"]),
            (Language::Portuguese, &["papel", "papéis", "papeis"]),
            (Language::Portuguese, &["homem", "homens"]),
            (Language::Spanish, &["canción", "cancion", "canciones"]),
            (Language::German, &["Häuser", "Haus", "Hauses"]),
            (Language::French, &["préparé", "préparer", "preparer"]),
            (Language::Russian, &["книга", "книги", "книгу"]),
            (Language::Italian, &["ragazzo", "ragazzi"]),
        ] {
            let stems: Vec<String> = words.iter().map(|w| stem(&w.to_lowercase(), language)).collect();
            assert!(stems.iter().all(|s| *s == stems[0]), "{words:?} -> {stems:?}");
        }
    }

    #[test]
    fn a_stem_is_never_empty() {
        for language in Language::ALL {
            for word in ["a", "es", "ing", "ся", "ال", "ς", "e"] {
                assert!(!stem(word, language).is_empty(), "{word} {language:?}");
            }
        }
    }
}
