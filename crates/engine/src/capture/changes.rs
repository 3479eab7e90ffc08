//! Whether a line tells that something is otherwise than it was: who moved lives elsewhere now, whoever wrote where before.

use text::{fold::fold, words::words};

/// Words that tell of a change, folded, by how they begin.
const BEGINNINGS: &[&str] = &[
    "moved",
    "moving",
    "switch",
    "replac",
    "renam",
    "migrat",
    "became",
    "becom",
    "postpone",
    "reschedul",
    "cancel",
    "retire",
    "divorc",
    "married",
    "engaged",
    "finish",
    "quit",
    "raise",
    "resign",
    "instead",
    "anymore",
    "umgezogen",
    "umzug",
    "geander",
    "gewechsel",
    "wechsel",
    "neue",
    "statt",
    "kunftig",
    "erhoh",
    "verkauf",
    "getrennt",
    "verschob",
    "mude",
    "muda",
    "cambi",
    "nuev",
    "dej",
    "vend",
    "demenag",
    "chang",
    "nouve",
    "desormais",
    "separ",
    "novo",
    "nova",
    "comece",
    "subi",
    "trasfer",
    "nuov",
    "verhui",
    "verander",
    "nieuw",
    "voortaan",
    "verkocht",
    "verzet",
    "переех",
    "нов",
    "сменил",
    "поменял",
    "продал",
    "przeprowadz",
    "zmieni",
    "now",
    "sprzeda",
    "tasin",
    "degis",
    "yeni",
    "flytta",
    "byt",
];
/// The same as whole words.
const WHOLE: &[&str] = &[
    "new",
    "since",
    "started",
    "starts",
    "left",
    "sold",
    "stopped",
    "gave",
    "closed",
    "slips",
    "actually",
    "outgrew",
    "jetzt",
    "neu",
    "nun",
    "seit",
    "ab",
    "rente",
    "ahora",
    "desde",
    "partir",
    "maintenant",
    "depuis",
    "agora",
    "passa",
    "sai",
    "ora",
    "adesso",
    "nu",
    "vanaf",
    "теперь",
    "больше",
    "teraz",
    "juz",
    "artik",
    "अब",
    "नया",
    "नई",
    "الان",
    "جديد",
    "انتقلت",
    "انتقلنا",
    "تركت",
    "غيرت",
    "غيرنا",
    "استقلت",
    "اصبح",
    "اصبحت",
];
/// Words that tell it together.
const TOGETHER: &[&str] = &[
    "no longer",
    "not any more",
    "from now",
    "from here on",
    "from then on",
    "broke up",
    "up to",
    "down to",
    "first day",
    "nicht mehr",
    "ya no",
    "ne plus",
    "n est plus",
    "ja nao",
    "non piu",
    "niet meer",
    "en lugar",
    "a la place",
];
/// The same where no spaces stand between words.
const DENSE: &[&str] = &[
    "引っ越",
    "変わ",
    "変え",
    "新し",
    "今は",
    "やめ",
    "辞め",
    "買い替え",
    "買い換え",
    "乗り換え",
    "切り替え",
    "転職",
    "搬",
    "换了",
    "換了",
    "换成",
    "換成",
    "辞职",
    "辭職",
    "跳槽",
    "改成",
    "改为",
    "改為",
    "新的",
    "现在",
    "現在",
    "不再",
    "이사",
    "바뀌",
    "바꿨",
    "바꾸",
    "새로",
    "이제",
    "옮겼",
    "그만뒀",
    "그만두",
];

/// Whether a line tells of a change.
pub(crate) fn tells_of_a_change(line: &str) -> bool {
    let folded: Vec<String> = words(line).map(fold).collect();
    let is_told = |word: &String| {
        WHOLE.contains(&word.as_str()) || BEGINNINGS.iter().any(|beginning| word.starts_with(beginning))
    };
    if folded.iter().any(is_told) || DENSE.iter().any(|word| line.contains(word)) {
        return true;
    }
    let line = format!(" {} ", folded.join(" "));
    TOGETHER.iter().any(|together| line.contains(&format!(" {together} ")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn changes_are_told_in_many_languages() {
        let told = [
            "We have moved: Rua das Flores 3 in Porto, since Saturday.",
            "First day at Bosch; the team is six people.",
            "Became a vegetarian last week, no exceptions.",
            "Anna and I broke up, we stay friends.",
            "Dr. Brandt ist in Rente, mein Hausarzt ist jetzt Dr. Weiss.",
            "Mieterhöhung: ab Oktober zahlen wir 690 Euro.",
            "Me mudé a Sevilla, calle Feria 9.",
            "Le gardien a changé le code du portail.",
            "O passe subiu: passa a custar 40 euros.",
            "Ho cambiato medico.",
            "De fiets staat vanaf nu in de schuur.",
            "Мы переехали в Самару.",
            "引っ越しました。",
            "車を買い替えて、ホンダのフィットです。",
            "先月転職しました。",
            "会员卡换了新的。",
            "手机换成了小米。",
            "이제 부산에 살아요.",
            "회사를 그만뒀어요.",
            "تركت شركة النور وأعمل في البنك.",
        ];
        for line in told {
            assert!(tells_of_a_change(line), "{line}");
        }
    }

    #[test]
    fn ordinary_days_change_nothing() {
        let ordinary = [
            "Paid the electricity bill, 61 euros.",
            "Spoke with Mum for an hour about the summer.",
            "Fixed the chain of the bicycle, bought two inner tubes.",
            "Der Zug hatte wieder Verspätung.",
            "Por la tarde llovió y leí un rato.",
            "Jantei com o Rui, falámos de futebol.",
            "今日は雨でした。",
            "Сегодня дождь, читал весь день.",
        ];
        for line in ordinary {
            assert!(!tells_of_a_change(line), "{line}");
        }
    }
}
