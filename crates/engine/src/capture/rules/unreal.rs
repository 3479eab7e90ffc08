//! What is only thought of: "If I lived in Rome, I'd eat pasta every day" tells of no life in Rome.

use std::sync::LazyLock;

use regex::Regex;

use super::super::pattern::with_ascii_boundaries;

/// A pattern a language: both clauses in the unreal mood, or a word that is there for nothing else. Real conditions and polite
/// wishes ("if possible I'd like a window seat") are in other forms, and stay.
const UNREAL: &[&str] = &[
    // English: a past after "if", and what would be; what is to come unless something else does; a wish in the past.
    r"\bif (?:only )?(?:i|we|you|he|she|they|it|my \w+|our \w+) (?:only |ever |just |suddenly |still )?(?:were|weren't|was|wasn't|had|hadn't|could|didn't|won|got|went|became|lost|found|knew|took|made|ran|left|bought|sold|spoke|ate|drove|quit|came|\w+ed)\b.*(?:\w'd|\bwould(?:n't)?|\bmight|\bcould|\bhad to)\b|(?:\w'd|\bwould(?:n't)?|\bmight|\bcould)\b.*\bif (?:only )?(?:i|we|you|he|she|they|it|my \w+|our \w+) (?:only |ever |just |suddenly |still )?(?:were|weren't|was|wasn't|had|hadn't|could|didn't|won|got|became|lost|found|knew|ran|sold|spoke|quit|lived|moved|worked|earned|owned)\b",
    r"^(?:(?:well|so|and|but|oh),? )?unless (?:i|we|my|our|he|she|they) .*\b(?:i'm|i am|we're|we are|i'll|i will|we'll|we will)\b|^(?:(?:had|were) (?:i|we) .*(?:\w'd|\bwould)\b)|^(?:oh,? )?(?:i|we) wish (?:that )?(?:i|we|my \w+|our \w+) (?:had|didn't|was|wasn't|were|weren't|could|lived|knew|worked|owned|spoke|earned)\b",
    // German.
    r"\b(?:wenn|falls) (?:ich|wir|er|sie|es|du|man|mein\w* \w+|unser\w* \w+) .*(?:würden?|wäre[nt]?|hätten?|könnten?|müssten?|dürften?|bräuchten?|zögen?|kämen?|ginge[n]?|gäben?|fänden?|\w{2}ten?)\b,? .*\b(?:würden?|wären?|hätten?|könnten?|müssten?|bräuchten?|dürften?)(?: |$)|(?:^|[ ,])(?:würde|wäre|hätte|könnte|müsste|bräuchte)n? .*\b(?:wenn|falls) (?:ich|wir|er|sie|es|du|man|mein\w* \w+|unser\w* \w+) .*(?:würden?|wären?|hätten?|könnten?|zögen?|kämen?|wohnten?|lebten?)\b",
    r"^(?:wäre|hätte|würde|könnte|müsste) (?:ich|wir) .*,.*(?:würde|wäre|hätte|könnte|müsste|bräuchte)",
    // French: an imperfect behind "si", and a conditional.
    r"\bsi (?:j'|je |on |nous |tu |il |elle |ils |elles |vous |mon \w+ |ma \w+ |mes \w+ )(?:ne |n'|y |en |me |m'|se |s')*\p{L}+(?:ais|ait|ions|iez|aient)\b.*\p{L}r(?:ais|ait|ions|iez|aient)\b|\p{L}r(?:ais|ait|ions|iez|aient)\b.*\bsi (?:j'|je |on |nous |tu |il |elle |ils |elles |vous )(?:ne |n'|y |en |me |m'|se |s')*\p{L}+(?:ais|ait|ions|iez|aient)\b",
    // Spanish, Portuguese and Italian: a subjunctive of the past behind "si", "se".
    r"\b(?:si|ojalá) (?:yo |nosotros |no |me |nos |se |le |lo |mi \p{L}+ )*\p{L}+(?:ara|ase|iera|iese|áramos|ásemos|iéramos|iésemos|aran|ieran|uera|uese|uviera)\b.*(?:r[ií]a|r[ií]amos|r[ií]an|hubiera|hubiese)\b|r[ií]a(?:mos|n)? .*\bsi (?:yo |no |me |nos |se )*\p{L}+(?:ara|iera|iese|uera|uese|áramos|iéramos)\b",
    r"\bse (?:eu|nós|a gente|o meu \p{L}+|a minha \p{L}+) (?:não |me |nos )*\p{L}+(?:asse|esse|isse|osse|ássemos|êssemos|éssemos|íssemos|assem|essem|issem|ossem)\b|\bse (?:não |me )*\p{L}+(?:asse|esse|isse|osse)\b.*\p{L}r(?:ia|íamos|iam)\b|\bquem me dera\b",
    r"\bse (?:io |noi |non |mi |ci |mia \p{L}+ |mio \p{L}+ )*\p{L}+(?:assi|essi|issi|ossi|asse|esse|isse|osse|assimo|essimo|issimo|ossimo|assero|essero|issero)\b.*(?:rei|resti|rebbe|remmo|rebbero)\b|(?:rei|rebbe|remmo)\b.*\bse (?:io |noi |non |mi |ci )*\p{L}+(?:assi|essi|issi|ossi|asse|esse|isse|assimo|essimo)\b",
    // Dutch.
    r"\bals (?:ik|we|wij|hij|zij|ze|mijn \w+|onze? \w+) .*\b(?:\w+[dt]en?|was|waren|had|zou|zouden|kon|ging|kwam|kreeg|won)\b.*\bzou(?:den)?\b|\bzou(?:den)?\b.*\bals (?:ik|we|wij|mijn \w+) .*\b(?:woonden?|was|waren|hadden|had|werkten?|zou|zouden|kon|verhuisden?)\b|\b(?:woonde|had|was) ik (?:maar )?.*, (?:dan )?zou\b",
    // Russian, Polish, Czech.
    r"(?:^|[ ,])если бы?(?: |$)|(?:^|[ ,])(?:gdyby|gdybym|gdybyśmy|jeśliby|jeżeliby|kdybych|kdybychom|kdyby)(?: |$)",
    // Chinese, Japanese, Korean.
    r"(?:如果|要是|假如|倘若|假使)(?:我|我们|我們)(?:是|有|住|能|会|會|搬|去|中|可以).*(?:就|会|會|得|需要|的话|的話)|もし(?:も)?.*(?:たら|なら|れば).*(?:だろう|でしょう|のに|はず|と思う|かもしれない|たい|必要|しないと|だった|ます|です|する|べる|いる)|(?:たら|れば)(?:よかった|いいのに|良かった)",
    r"(?:만약|만일).*(?:다면|라면|면)[ ,]|(?:는|었|았|렸|했|했더라|ㄴ|산|간|한|된)다면 .*(?:텐데|거예요|거야|것이다|겠|겁니다|을걸)",
    // Hindi, Turkish, Arabic.
    r"(?:^|[ ,])(?:अगर|यदि) .*(?:ता|ते|ती),? (?:तो|मैं|हम)(?: |$)|(?:^|[ ,])काश ",
    r"(?:say|sey)d[ıi](?:m|k|n)?(?:[ ,].*|$)|s[ae][mk],? .*[rz][dt][ıiuü][mk](?:[.! ]|$)|(?:^| )keşke ",
    r"(?:^|[ ،])لو (?:كنت|كنا|كان|كانت|أنني|أني|أننا|عشت|عشنا|سكنت|سكنا|انتقلت|انتقلنا|ربحت|حصلت|عملت|استطعت)(?: |$)|(?:^| )ليت(?:ني|نا) ",
];

static COMPILED: LazyLock<Vec<Regex>> =
    LazyLock::new(|| UNREAL.iter().filter_map(|pattern| with_ascii_boundaries(pattern)).collect());

/// Whether a sentence says what would be, and not what is.
pub(super) fn is_unreal(sentence: &str) -> bool {
    COMPILED.iter().any(|pattern| pattern.is_match(sentence))
}

#[cfg(test)]
mod tests {
    use super::*;

    // "If I lived in Rome I'd eat pasta every day." stood in the day's note, and was recalled as where somebody lives.
    #[test]
    fn what_would_be_is_no_fact() {
        assert_eq!(COMPILED.len(), UNREAL.len());
        let texts = [
            "If I moved to Berlin, I'd need to learn German properly.",
            "If I lived in Rome I'd eat pasta every day.",
            "I would learn German if I lived in Berlin.",
            "Unless I get the job, I'm moving to Spain.",
            "I wish I had a dog.",
            "Had I known, I would have moved to Cork.",
            "Wenn ich nach Wien ziehen würde, bräuchte ich ein größeres Auto.",
            "Wenn ich in Rom wohnte, würde ich jeden Tag Pasta essen.",
            "Ich würde jeden Tag Pasta essen, wenn ich in Rom wohnen würde.",
            "Wäre ich Arzt, würde ich in Graz wohnen.",
            "Si j'habitais à Nice, je nagerais chaque jour.",
            "Je nagerais chaque jour si j'habitais à Nice.",
            "Si viviera en Roma, comería pasta todos los días.",
            "Comería pasta todos los días si viviera en Roma.",
            "Se eu morasse em Roma, comeria massa todos os dias.",
            "Se vivessi a Roma mangerei pasta ogni giorno.",
            "Als ik in Rome woonde, zou ik elke dag pasta eten.",
            "Если бы я жил в Риме, я бы каждый день ел пасту.",
            "Gdybym mieszkał w Rzymie, jadłbym codziennie makaron.",
            "もしローマに住んでいたら、毎日パスタを食べるだろう。",
            "如果我住在罗马，我每天都会吃意大利面。",
            "만약 로마에 산다면 매일 파스타를 먹을 거예요.",
            "अगर मैं रोम में रहता तो मैं रोज़ पास्ता खाता।",
            "Roma'da yaşasaydım her gün makarna yerdim.",
            "لو كنت أعيش في روما لأكلت المعكرونة كل يوم",
        ];
        let missed: Vec<&str> = texts.into_iter().filter(|text| !is_unreal(text)).collect();
        assert!(missed.is_empty(), "{missed:#?}");
    }

    #[test]
    fn conditions_wishes_and_habits_of_a_life_stay() {
        let texts = [
            "If possible I'd like a window seat.",
            "I'd prefer tea if there is a choice.",
            "If I eat nuts I get a rash.",
            "I don't eat meat unless I am at my mother's.",
            "I wish you could see our new house in Cork.",
            "I could walk to work since we moved to Leith.",
            "Wenn möglich hätte ich gern einen Fensterplatz.",
            "Wenn ich Nüsse esse, bekomme ich Ausschlag.",
            "Ich wohnte früher in Wien, jetzt in Graz.",
            "Tout se passe bien à Lyon.",
            "Si je mange des noix, j'ai une éruption.",
            "Si puedo elegir, prefiero ventanilla.",
            "Se posso scegliere, preferisco il finestrino.",
            "Moro em Lisboa e sei se for preciso cozinhar.",
            "Als ik noten eet, krijg ik uitslag.",
            "Если я ем орехи, у меня сыпь.",
            "我住在罗马，每天都吃意大利面。",
            "ローマに住んでいます。",
            "저는 라면을 좋아해요.",
            "मैं रोम में रहता हूँ।",
            "Roma'da yaşıyorum.",
            "لو سمحت أنا أسكن في روما",
        ];
        let taken: Vec<&str> = texts.into_iter().filter(|text| is_unreal(text)).collect();
        assert!(taken.is_empty(), "{taken:#?}");
    }
}
