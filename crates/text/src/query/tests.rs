use proptest::prelude::*;

use super::*;
use crate::outline::Outline;

/// 2024-05-15T12:00Z.
const NOW: i64 = 1_715_774_400_000;

fn plan(query: &str) -> QueryPlan {
    understand(query, NOW, "Europe/Lisbon")
}

/// The first spelling of every term of full weight.
fn heads(query: &str) -> Vec<String> {
    plan(query).terms.iter().filter(|t| t.weight >= 1.0).map(|t| t.alternatives[0].term.clone()).collect()
}

/// Whether a chunk of this text holds some spelling of every full-weight term of the query.
fn finds(query: &str, text: &str) -> bool {
    let lines: Vec<(u32, &str)> = (1..).zip(text.split('\n')).collect();
    let chunk = Analyzer::new().chunk("memory/n.md", &Outline::of(text), &lines);
    let stored: HashSet<&str> = chunk.fts.split(' ').collect();
    let terms: Vec<QueryTerm> = plan(query).terms.into_iter().filter(|t| t.weight >= 1.0).collect();
    !terms.is_empty() && terms.iter().all(|t| t.alternatives.iter().any(|a| stored.contains(a.term.as_str())))
}

#[test]
fn function_words_are_left_out() {
    for (query, want) in [
        ("where did Maria put the car keys?", &["maria", "put", "car", "key"][..]),
        ("onde é que a Maria deixou as chaves", &["mar", "deix", "chav"]),
        ("¿dónde están las llaves del coche?", &["llav", "coch"]),
        ("wo sind die Schlüssel", &["schlussel"]),
        // Nothing but the sign told the language, and what asks was looked for.
        ("¿dónde vivo?", &["viv"]),
        ("¿dónde vivo ahora?", &["viv"]),
        ("wogegen bin ich allergisch?", &["allerg"]),
    ] {
        assert_eq!(heads(query), want, "{query}");
    }
}

// "How much is my rent?" asked for two words, of which the note with the rent had one.
#[test]
fn a_measure_that_is_asked_for_is_no_word_of_the_answer() {
    let asked = |query: &str| plan(query).terms.iter().map(|term| term.surface.clone()).collect::<Vec<_>>();
    assert_eq!(asked("how much is my rent?"), ["rent"]);
    assert_eq!(asked("how many cats do I have?"), ["cats"]);
    assert_eq!(asked("wie viel kostet meine Miete?"), ["kostet", "Miete"]);
    assert_eq!(asked("too much sugar"), ["much", "sugar"]);
    let high = plan("wie hoch ist meine Miete?");
    assert!(high.terms[0].shapes_question && high.terms[0].weight < high.terms[1].weight);
}

#[test]
fn inflected_and_unaccented_words_find_each_other() {
    for (query, text) in [
        ("deployment failures", "the deployments had a failure on Friday"),
        ("reuniao", "as reuniões da equipe são às segundas"),
        ("reunião cancelada", "nós tivemos as reuniões canceladas por causa da chuva"),
        ("informacao", "as informações que a Ana enviou para nós"),
        ("cancion", "las canciones que más me gustan"),
        ("Häuser", "wir haben das Haus gekauft"),
        ("Mueller", "der Müller hat nicht angerufen"),
        ("préférée", "la couleur que je préfère est le bleu et ma préférée"),
        ("Carlos", "o Carlos não veio para a festa com a gente"),
        ("Carlos", "Carlos did not come to the party with us"),
        ("книгу", "она читает новые книги для детей"),
        ("猫", "她养了一只猫"),
        ("高血压", "医生说他有高血压"),
        ("会議室", "明日の会議室を予約した"),
        ("고양이를", "고양이가 소파에서 잔다"),
        ("แมว", "ฉันเลี้ยงแมวสองตัว"),
        ("مدرسة", "ذهبت إلى المدرسة في الصباح"),
        ("gpt4", "we moved to GPT-4 last month"),
        ("GPT-4", "gpt4 is the model we use"),
        ("fooBar", "call foo_bar first"),
        ("foo_bar", "call fooBar first"),
        ("e-mail", "send an email to Ana"),
        ("v1.2.3", "released 1.2.3 today"),
        ("1.2.3", "released v1.2.3 today"),
        ("#1234", "fixed issue 1234"),
        ("1500", "it cost 1,500 euros"),
        ("C++", "wrote it in C++ again"),
        ("src/text/foo.rs", "see foo.rs for it"),
        ("foo.rs", "see src/text/foo.rs for it"),
        ("example.org", "at https://www.example.org/page"),
        ("ERR_QUOTA_4012", "got err_quota_4012 again"),
        ("192.168.1.1", "router is 192.168.1.1."),
        ("会议纪要.md", "见 会议纪要.md"),
    ] {
        assert!(finds(query, text), "{query} in {text}: {:?}", plan(query).terms);
    }
}

#[test]
fn what_is_not_there_is_not_found() {
    for (query, text) in [
        ("banana", "the deployments had a failure"),
        ("192.168.1.2", "router is 192.168.1.1"),
        ("ERR_QUOTA_4013", "got ERR_QUOTA_4012"),
        ("狗", "她养了一只猫"),
        ("v1.2.4", "released v1.2.3 today"),
    ] {
        assert!(!finds(query, text), "{query} in {text}");
    }
}

#[test]
fn kinds() {
    for (query, want) in [
        ("ERR_1234", TermKind::Name),
        ("fooBar", TermKind::Name),
        ("10.0.0.1", TermKind::Name),
        ("std::fs", TermKind::Name),
        ("ana@example.org", TermKind::Name),
        ("notes.md", TermKind::File),
        ("src/text/foo.rs", TermKind::File),
        ("2024", TermKind::Number),
        ("3.5", TermKind::Number),
        ("well-known", TermKind::Word),
        ("hammock", TermKind::Word),
        ("猫", TermKind::Word),
        ("the", TermKind::StopWord),
    ] {
        assert_eq!(plan(query).terms.first().map(|t| t.kind), Some(want), "{query}");
    }
    assert!(plan("why ERR_1234").is_exact() && plan("\"the who\"").is_exact() && !plan("hammock").is_exact());
}

#[test]
fn quoted_phrases() {
    for (query, want) in [
        ("\"The Who\" concert", &["the who"][..]),
        ("“Ação  Direta” e «o resto»", &["acao direta", "o resto"]),
        ("「青い鳥」を読んだ", &["青い鳥"]),
        ("the `foo bar` flag", &["foo bar"]),
        ("5\" pipe", &[]),
        ("\"\" \" \"", &[]),
    ] {
        assert_eq!(plan(query).phrases, want, "{query}");
    }
    assert!(holds_phrase("We saw THE\n who live", "the who"));
    assert!(!holds_phrase("the man who", "the who"));
}

#[test]
fn only_function_words() {
    let plan = plan("what is it about");
    assert!(plan.stop_words_only);
    assert!(plan.terms.iter().all(|t| t.kind == TermKind::StopWord));
    assert!(!super::understand("what is love", NOW, "UTC").stop_words_only);
}

// The lists of two languages hold names, verbs, months and coins: "where do I live" and the name Habib found nothing.
#[test]
fn what_a_question_can_be_about_is_no_function_word() {
    for query in ["أين أسكن؟", "حبيب", "أين الذهب؟", "متى غادر حبيب؟", "ذهب", "نوفمبر", "az új cikk", "a nagy ház"]
    {
        let plan = plan(query);
        assert!(!plan.stop_words_only, "{query}");
    }
    for query in ["ما هذا؟", "لماذا كان هنا؟"] {
        assert!(plan(query).stop_words_only, "{query}");
    }
}

// "té" found nothing, because without its accent it is the Spanish "te".
#[test]
fn a_word_that_is_a_stop_word_without_its_accent_only_is_none() {
    for query in ["té", "Té", "¿dónde compré el té?", "né", "hår", "hvor er mit hår", "où est né mon père ?"]
    {
        let plan = plan(query);
        assert!(!plan.stop_words_only, "{query}");
    }
    let words = |query: &str| plan(query).terms.iter().map(|t| t.surface.clone()).collect::<Vec<_>>();
    assert_eq!(words("¿dónde compré el té?"), ["compré", "té"]);
    assert_eq!(words("¿dónde te compré el libro?"), ["compré", "libro"]);
    for query in ["te", "él", "más", "là", "è", "é", "à"] {
        assert!(plan(query).stop_words_only, "{query}");
    }
}

#[test]
fn time_words_are_marked() {
    let plan = plan("restaurants in March 2023");
    let in_time: Vec<(&str, bool)> = plan.terms.iter().map(|t| (t.surface.as_str(), t.in_time)).collect();
    assert_eq!(in_time, [("restaurants", false), ("March", true), ("2023", true)]);
    assert!(plan.time.range.is_some());
    let plan = super::understand("昨天的会议", NOW, "UTC");
    assert!(plan.terms.iter().any(|t| t.surface == "会议" && !t.in_time));
    assert!(plan.terms.iter().filter(|t| t.surface.contains('昨')).all(|t| t.in_time));
}

#[test]
fn small_talk_is_marked() {
    assert!(plan("thanks!").small_talk && plan("what's 2+2").small_talk && plan("谢谢").small_talk);
    assert!(
        !plan("\"hello\"").small_talk && !plan("yesterday").small_talk && !plan("thanks for the recipe").small_talk
    );
}

#[test]
fn long_and_hostile_queries_are_capped() {
    let words: String = (0..10_000).map(|i| format!("word{i} ")).collect();
    let plan = plan(&words);
    assert_eq!(plan.terms.len(), MAX_TERMS);
    assert_eq!(plan.text.chars().count(), MAX_CHARS);
    assert!(super::understand("", NOW, "UTC").terms.is_empty());
    assert!(super::understand(&"\"".repeat(5000), NOW, "UTC").phrases.is_empty());
}

proptest! {
    #[test]
    fn any_query_is_understood(query in "[\\PC\"'`#@._/-]{0,60}", now: i64) {
        let plan = understand(&query, now, "Asia/Kolkata");
        for term in &plan.terms {
            prop_assert!(!term.alternatives.is_empty() && term.alternatives.len() <= MAX_ALTERNATIVES);
            prop_assert!(term.weight > 0.0 && term.weight <= 1.0);
            for a in &term.alternatives {
                prop_assert_eq!(a.hash, term_hash(&a.term));
                prop_assert!(a.term.chars().all(|c| c == '_' || crate::script::script(c) != Script::None), "{}", a.term);
            }
        }
    }

    /// What is asked in the words of a note finds the note.
    #[test]
    fn a_line_finds_itself(words in proptest::collection::vec("[a-zà-ÿ]{3,9}|[A-Z][a-z]{2,6}[A-Z][a-z]{2,6}|[a-z]{2,4}[._/-][a-z0-9]{2,5}|[0-9]{1,5}|[ก-ฮ]{2,5}|[가-힣]{2,5}|[一-十]{1,4}", 1..6)) {
        let text = words.join(" ");
        let plan = understand(&text, NOW, "UTC");
        let chunk = Analyzer::new().chunk("memory/n.md", &Outline::default(), &[(1, &text)]);
        let stored: HashSet<&str> = chunk.fts.split(' ').collect();
        for term in plan.terms {
            prop_assert!(term.alternatives.iter().any(|a| stored.contains(a.term.as_str())), "{:?} not in {}", term, chunk.fts);
        }
    }
}

#[test]
fn the_language_of_a_question_is_told() {
    for query in [
        "where is the spare key?",
        "spare key shed",
        "Falcon Kubernetes",
        "ERR_QUOTA_4012",
        "Zürich hotel booking",
        "what did Zoë say about the café?",
        "who is 李伟 and where does he live?",
        "1984",
    ] {
        assert!(plan(query).is_in(Language::English), "{query}");
    }
    for query in [
        "quanto custou o meu relógio?",
        "¿qué talla de zapatos usa Hugo?",
        "¿en qué banco abrimos el plan de pensiones?",
        "¿cuánto mide Martina?",
        "Welches Passwort hat das Tablet?",
        "Kaution Wohnung Augsburg",
        "Какая у меня группа крови?",
        "我上次体检的血脂是多少？",
        "妹の引っ越し先の住所は？",
        "내 혈액형이 뭐라고 했지?",
        "Falcon 项目用什么数据库来保存数据？",
    ] {
        assert!(!plan(query).is_in(Language::English), "{query}");
    }
    assert!(plan("onde está a chave da garagem?").is_in(Language::Portuguese));
    assert!(!plan("where is the spare key?").is_in(Language::Portuguese));
}

// "Was kostet das Kernöl?" asked for "das", which is Portuguese, too, and no note on Kernöl held enough of the question.
#[test]
fn words_that_shape_questions_tell_the_language() {
    for (query, language, words) in [
        ("Was kostet das Kernöl?", Language::German, &["kostet", "Kernöl"][..]),
        ("cómo se llamaba el hotel de Lisboa", Language::Spanish, &["llamaba", "hotel", "Lisboa"]),
    ] {
        let plan = plan(query);
        assert_eq!(plan.language, Some(language), "{query}");
        let surfaces: Vec<&str> = plan.terms.iter().map(|term| term.surface.as_str()).collect();
        assert_eq!(surfaces, words, "{query}");
    }
    assert!(plan("stand mixer warranty").is_in(Language::English));
    assert!(plan("llama tag name").is_in(Language::English));
}
