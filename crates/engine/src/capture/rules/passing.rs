//! What is said for the moment: wishes, requests, and the work at hand.

use std::sync::LazyLock;

use regex::Regex;

use super::{super::pattern::as_written, Pattern};

/// Wishes of the moment ("I want you to run the tests now"), which are orders and no facts.
pub(super) fn is_passing(sentence: &str) -> bool {
    static NOW: LazyLock<Option<Regex>> = LazyLock::new(|| {
        as_written(concat!(
            r"\bi(('d| would) like| want| need)( you)? to (see|know|run|check|test|fix|open|read|look|try|debug|understand|ask|write|get|find|make|create|add|do|go|have a look)\b",
            r"|\bi(('d| would)? (like|want|need)) (a|an|the|some|this|that|your|help|more|to) ?(help|list|summary|answer|example|script|function|table|report|review|fix|test|image|picture|draft|email|translation|plan|second|minute|refund|break|know)?\b.{0,40}\b(now|please|right away|today|quickly|asap)\b",
            r"|^i (like|love) (it|that|this|your (answer|idea)|the (idea|answer|result))\b.{0,12}$|\b(quero|preciso|necesito|quiero) que (me |tu )?(faças|vejas|corras|hagas|veas|revises|ayudes)|\bpreciso de ajuda\b|\bnecesito ayuda\b|\bich brauche (hilfe|kurz|mal|jetzt)|\bj'ai besoin d'aide\b",
        ))
    });
    NOW.as_ref().is_some_and(|r| r.is_match(sentence))
}

/// Whether a word of liking, needing or naming is about what is looked at now, or about a story.
pub(super) fn is_about_this(sentence: &str) -> bool {
    static THIS: LazyLock<Option<Pattern>> = LazyLock::new(|| Pattern::new(ABOUT_THIS));
    THIS.as_ref().is_some_and(|this| this.is_match(sentence))
}

/// Whether a sentence asks for something, or tells of the work at hand.
pub(super) fn is_of_the_moment(sentence: &str) -> bool {
    static NOW: LazyLock<[Option<Pattern>; 2]> = LazyLock::new(|| [REQUEST, WORK_AT_HAND].map(Pattern::new));
    NOW.iter().flatten().any(|now| now.is_match(sentence))
}

/// What is before the eyes, a need of the moment, and what somebody made up.
const ABOUT_THIS: &str = concat!(
    r"\b(this|that|these|those|the (first|second|third|last|other|new|old)) (\w+ )?(versions?|answers?|reply|suggestions?|ideas?|explanation|list|text|titles?|paragraph|ones?|draft|images?|pictures?|page|file|code|results?|solution|options?|layout|design|colou?rs?|tone|style|wording)\b",
    r"|\b(i|we) (just |only |also |still )?(need|want|have to|must|can'?t|cannot|can not) (a |an |some |the |to |more |your |another )*(summary|story|stories|poem|translation|list|table|hand|minute|break|moment|examples?|function|script|advice|tips|see|find|open|get|understand|hear|read|load|log|fix|go|leave|run|check|remember|believe|wait|think|tell|say|look|stop|sleep|eat|finish|decide|complain|choose|quote|recipe|name|names|slogan|title|essay|speech|letter|reply|answer|help|time|coffee|nap)\b",
    r"|\b(is|are) (sitting|lying|crying|calling|asking|waiting|sleeping|barking|shouting|knocking|annoying|late|here|home|back|on the phone|outside|at the door|busy|angry|mad|right|wrong)\b|\bi'd like (\w+ )?(more|another)\b|\b(wants?|needs?|asked for|said|says) (a |an |the |some |another )*(shorter|longer|new|better|report|summary|draft|answer|it|that|this|us|me)\b|^(in|from|at the end of) (the|this|that|my|a) (film|movie|book|novel|series|show|story|game|play|episode|article|song|dream|chapter)\b|\b(a|the) (story|poem|song|film|novel|joke|tale) (about|of|where|in which)\b",
    r"|\bich (brauche|möchte|will|hätte gern) (noch )?(eine?n? )?(kurze |neue )?(zusammenfassung|liste|übersetzung|geschichte|beispiel|tabelle|gedicht|pause|kaffee|moment|minute|rat|tipps?|hilfe|idee)|\bich (muss|will) (jetzt |gleich |noch |los|weg|schlafen|gehen)",
    r"|\b(quiero|necesito|quero|preciso de|preciso) (un|una|uma|um|unos) (\w+ )?(cuento|historia|história|conto|resumen|resumo|lista|poema|tabla|tabela|ejemplo|exemplo|traducción|tradução|idea|ideia|minuto|café)|\b(j'ai besoin d'un|je veux un|je voudrais un|ho bisogno di un|voglio un|vorrei un|ik wil een|ik heb een) ?e? (résumé|histoire|liste|poème|tableau|exemple|traduction|riassunto|storia|lista|poesia|tabella|esempio|traduzione|samenvatting|verhaal|lijst|gedicht|voorbeeld|vertaling)",
);

/// A sentence that begins like this asks for something to be done, or makes something up.
const REQUEST: &str = concat!(
    r"^((hey|hi|hello|ok|okay|so|and|now|please|pls|then|thanks|great|cool|bitte|por favor|s'il te plaît|per favore)[ ,!.]+)*",
    r"((can|could|would|will) you\b|if\b|imagine\b|suppose\b|pretend\b|let'?s (say|assume|pretend|see|try)\b|what if\b|say (that|i)\b",
    r"|(write|translate|summari[sz]e|make|give|show|tell|create|add|explain|fix|find|list|draft|rewrite|rephrase|shorten|change|convert|compare|check|help|suggest|recommend|generate|calculate|plan|look up|search|set|open|run|delete|remove|move|send|read|describe|correct|proofread|turn|put|pick|name|think|book|order|schedule|update|replace|try|take|do|go|start|stop|wait|continue|print|plot|sort|count|format|analy[sz]e|debug|refactor|test|build|deploy|install|remind) (me\b|us\b|a\b|an\b|the\b|this\b|that\b|it\b|my\b|our\b|some\b|\d|in\b|up\b|all\b|into\b|with\b|to\b|of\b|through\b|out\b|for\b|three\b|five\b|ten\b)",
    r"|(schreib|übersetz|gib|mach|zeig|erklär|such|liste|fass|korrigier|vergleich|hilf|rechne|erstell|formulier|prüf|sag|lies|änder)\w* |wenn ich\b|angenommen\b|(kannst|könntest|würdest) du\b",
    r"|(escribe|traduce|dame|haz|muéstrame|explica|busca|resume|corrige|compara|ayúdame|calcula|crea|revisa|dime|cambia|añade|imagina|si )\b|(puedes|podrías)\b|(escreve|traduz|dá-me|faz|mostra|explica|procura|resume|corrige|compara|ajuda|calcula|cria|revê|diz|muda|acrescenta|imagina|se )\b|(podes|podias|pode|poderia)\b",
    r"|(écris|traduis|donne|fais|montre|explique|cherche|résume|corrige|compare|aide|calcule|crée|vérifie|dis|change|ajoute|imagine|si )\b|(peux-tu|pourrais-tu|tu peux)\b|(scrivi|traduci|dammi|fai|fammi|mostra|spiega|cerca|riassumi|correggi|confronta|aiutami|calcola|crea|controlla|dimmi|cambia|aggiungi|immagina|se )\b|(puoi|potresti)\b|(schrijf|vertaal|geef|maak|toon|leg|zoek|vat|verbeter|vergelijk|help|bereken|zeg|verander|stel dat|als ik)\b|(kun|kan|zou) je\b",
    r"|(напиши|переведи|дай|сделай|покажи|объясни|найди|исправь|сравни|помоги|посчитай|создай|скажи|измени|если|представь)|(帮我|幫我|请帮|給我|给我|翻译|翻譯|写|寫|解释|如果|假设|把|告诉我|能不能|可以)|(もし|仮に)|(써 ?줘|번역해|만들어|알려 ?줘|만약)|(اكتب|ترجم|أعطني|اشرح|لخص|إذا|تخيل|هل يمكنك))",
);

/// Words of the work at hand, whose sentences tell of the next minutes and not of a life.
const WORK_AT_HAND: &str = concat!(
    r"\b(builds?|compil\w+|errors?|bugs?|stack trace|pipeline|commits?|branch(es)?|merged?|pull request|prs?|deploy\w*|functions?|refactor\w*|scripts?|servers?|tickets?|paragraphs?|drafts?|sentences?|versions?|folders?|lines? \d+|screen|loading|downloads?|uploads?|restart\w*|reboot\w*|log(s|ged|ging)? (in|out|file)?|query|queries|endpoint|docker|container|kubernetes|npm|pip|cargo|git|json|yaml|csv|sql|regex|api|variable|loop|array|tests? (pass|fail|suite|run)\w*|unit tests?|failing|crash\w*|localhost|your (answer|reply|suggestion|idea|explanation|list|version|code)|moved to the (next|other|second|last|end|top|bottom|left|right|list)|the (answer|code|file|page|link|output|result|text|image|chart|table|recipe|email|mail|letter|essay|list|first one|second one|last one|other one))\b",
    r"|\b(fehler|zeile \d|skript|absatz|entwurf|variante|datei|ausgabe|deine (antwort|liste)|dein (vorschlag|text))\b|\b(fehler)|\b(error|errores|línea \d|párrafo|borrador|archivo|tu (respuesta|propuesta)|erro|erros|linha \d|parágrafo|rascunho|ficheiro|arquivo|a tua (resposta|sugestão))\b|\b(erreur|ligne \d|paragraphe|brouillon|fichier|ta (réponse|proposition)|errore|riga \d|paragrafo|bozza|la tua (risposta|proposta)|fout|regel \d|alinea|bestand|je (antwoord|voorstel))\b|ошибк|строк[еиа]|абзац|файл|твой (ответ|вариант)|错误|錯誤|报错|代码|程式|文件夹|你的(回答|建议)|エラー|コード|ファイル|行目|あなたの(答え|提案)|오류|에러|코드|파일|خطأ|السطر|الملف",
);

#[cfg(test)]
pub(super) const PATTERNS: [&str; 3] = [ABOUT_THIS, REQUEST, WORK_AT_HAND];
