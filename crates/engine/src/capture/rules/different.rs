//! What is different now: a new home, dose, name, day or weight, and what is off. Who captures the old value and passes over the
//! sentence that changes it remembers what is no longer true. A pattern a language.

use super::Category;

/// Patterns are matched on one sentence, without regard to case; a capital letter that is asked for is meant as such.
pub(super) const DIFFERENT: &[(Category, &str)] = &[
    // Where somebody lives and works now.
    (
        Category::Entity,
        concat!(
            r"\b(i|we) now (live|reside|work|study) (in|at|on|near|for|with) |\b(i|we)('m|'re| am| are)? ?(live|living|work|working|reside) (in|at|on|near|for) (the )?(?-i:\p{Lu})[^,;]{0,40}\b(now|these days|again)[.!]?$",
            r"|\b(wir|ich) (wohnen?|leben?|arbeiten?) (jetzt|nun|inzwischen|mittlerweile) (in|im|bei|auf|am|an) |\b(jetzt|nun|inzwischen|mittlerweile) (wohnen?|leben?|arbeiten?) (wir|ich) (in|im|bei|auf|am|an) ",
            r"|\b(j'habite|nous habitons|on habite|je vis|nous vivons|je travaille|nous travaillons) (maintenant|désormais|à présent) |\b(maintenant|désormais),? (j'habite|nous habitons|on habite|je vis|nous vivons|je travaille) ",
            r"|\bahora (vivo|vivimos|trabajo|trabajamos) (en|con|para)\b|\b(vivo|vivimos|trabajo|trabajamos) ahora (en|con|para)\b|\bagora (moro|moramos|vivo|vivemos|trabalho|trabalhamos) (em|no|na|nos|nas|com|para)\b|\b(moro|moramos|vivo|vivemos|trabalho|trabalhamos) agora (em|no|na|nos|nas|com|para)\b",
            r"|\b(adesso|ora) (abito|abitiamo|vivo|viviamo|lavoro|lavoriamo) (a|in|da|per|con)\b|\b(abito|abitiamo|vivo|viviamo|lavoro|lavoriamo) (adesso|ora) (a|in|da|per|con)\b|\b(we|wij|ik) (wonen|woon|werken|werk) (nu|inmiddels|tegenwoordig) (in|op|bij|aan) |\b(nu|inmiddels|tegenwoordig) (wonen|woon|werken|werk) (we|wij|ik) (in|op|bij|aan) ",
            r"|\b(nyní|teď) (bydlíme|bydlím|žijeme|žiju|pracuji|pracuju|pracujeme) (v|ve|na|u) |\b(bydlíme|bydlím|žijeme|žiju|pracuji|pracuju|pracujeme) (nyní|teď) (v|ve|na|u) |\b(teraz|obecnie) (mieszkamy|mieszkam|pracuję|pracujemy) (w|we|na|u|przy) |\b(mieszkamy|mieszkam|pracuję|pracujemy) (teraz|obecnie) (w|we|na|u|przy) ",
            r"|(теперь|сейчас) (мы |я )?(живём|живем|живу|работаю|работаем) (в|на|у) |(живём|живем|живу|работаю|работаем) (теперь|сейчас) (в|на|у) |(现在|現在)(我|我们|我們)?(住|搬)(在|到|进|進)|今は.{1,15}(に住|で働|に勤め)|(지금은?|이제는?) .{1,15}에 (살|근무)",
            r"|(अब (हम|मैं)|(हम|मैं) अब) .{1,25}(में|पर) (रहत|काम करत)|\b(artık|şimdi) .{1,25}(da|de|ta|te) (yaşıyor|oturuyor|çalışıyor)(um|uz)\b|(نسكن|أسكن|نعيش|أعيش|أعمل|نعمل) (الآن|حاليا|حاليًا) (في|ب|لدى)|الآن (نسكن|أسكن|نعيش|أعيش|أعمل) (في|لدى)",
        ),
    ),
    // What is taken, called, weighed, moved and called off.
    (
        Category::Fact,
        concat!(
            r"\b(i|we|she|he|my \w+)('m|'s| am| is)? ?now (take|takes|taking|on|use|uses|inject|injects) .{0,30}\d+ ?(mg|ml|mcg|µg|g|units?|drops|tablets?|pills?|puffs)\b|\b(doctor|gp|consultant|cardiologist|psychiatrist|dr\.? \w+|vet)('s| has)? ?(just |now )?(changed|switched|swapped|lowered|reduced|raised|increased|upped|halved|doubled|stopped|adjusted) (my|me|his|her|the (dose|dosage|pills?|tablets?|medication)) |\b(my|the|her|his) (\w+ )?(dose|dosage)( of \w+)? (is now|was|has been|went) (\d|changed|increased|reduced|lowered|raised|doubled|halved|up|down)",
            r"|\b(we|i|they)('ve| have)? ?(just )?(renamed|rebranded) (the |our |my )?(project |company |team |app |product |boat |band |shop |club |group |firm |startup |dog |cat )?(?-i:\p{Lu}).{0,40} (to|as|into) (?-i:\p{Lu})|\b(?-i:\p{Lu})[\w-]+ (is|are) now (called|named|known as) (?-i:\p{Lu})|\b(project|company|team|boat|band|shop|club|street|school|firm|department|charity) .{0,30}\b(is now called|was renamed|has been renamed|is now named) (to )?(?-i:\p{Lu})",
            r"|\b(my|our|the) (\w+ ){0,3}(appointment|meeting|trip|flight|holiday|vacation|wedding|party|concert|lesson|course|interview|exam|surgery|operation|visit|booking|reservation|viewing|check-?up|conference)( (to|with|at|in|for|on) .{1,30})? (is|was|has been|got|'s been) (now )?(cancelled|canceled|called off|postponed|rescheduled|brought forward|pushed back|put off)\b|\bi('m| am)? ?(now )?(weigh|down to|up to) \d+([.,]\d+)? ?(kg|kilos?|lbs?|pounds|stone)\b",
            r"|\b(arzt|ärztin|hausarzt|hausärztin|kardiolog\w+) hat .{0,60}(geändert|umgestellt|erhöht|verringert|reduziert|gesenkt|halbiert|verdoppelt|abgesetzt|angepasst)|\bich (nehme|spritze) (jetzt|nun|nur noch|inzwischen) .{0,30}\d+ ?(mg|ml|µg|g|tropfen|tabletten?|einheiten)\b|\b(haben|hat|habe) .{0,40} (in|zu) (?-i:\p{Lu})[\w-]+ umbenannt\b|\bheißt (jetzt|nun|inzwischen|ab jetzt) (?-i:\p{Lu})|\bich wiege (jetzt|nun|inzwischen|nur noch) \d",
            r"|(termin|treffen|reise|flug|urlaub|hochzeit|feier|konzert|kurs|prüfung|operation|besuch|buchung|reservierung|besprechung|untersuchung|vorstellungsgespräch)( \p{L}+){0,4} (ist|wurde|wird) .{0,30}(abgesagt|verschoben|verlegt|storniert|vorverlegt)\b",
            r"|\b(médecin|docteur|cardiologue) (a|m'a) .{0,20}(changé|modifié|augmenté|diminué|réduit|baissé|doublé|arrêté) (la|ma|mon|le|mes|les) |\bprends (maintenant|désormais) .{0,20}\d|\bs'appelle (maintenant|désormais) (?-i:\p{Lu})|\b(avons|a|ai) renommé .{0,40}(?-i:\p{Lu})|\bje pèse (maintenant|désormais) \d|\b(rendez-vous|rdv|réunion|voyage|vol|mariage|fête|concert|cours|examen|opération|visite|réservation|entretien)( \S+){0,4} (est|a été) (\w+ )?(annulée?|reportée?|décalée?|déplacée?|repoussée?|avancée?)",
            r"|\b(médic[oa]|doctora?|cardiólog[oa]) (me )?(ha )?(cambió|cambiado|subió|subido|bajó|bajado|redujo|reducido|aumentó|aumentado|quitó|quitado) (la|el|mi|las|los) |\bahora tomo .{0,20}\d|\bahora se llama (?-i:\p{Lu})|\bse llama ahora (?-i:\p{Lu})|\b(renombr|rebautiz)(amos|ado|aron) .{0,40}(?-i:\p{Lu})|\bahora peso \d|\b(cita|reunión|viaje|vuelo|boda|fiesta|concierto|clase|curso|examen|operación|visita|reserva|entrevista)( \S+){0,4} (está|fue|ha sido|se ha|se|queda|quedó) (cancelad[oa]|anulad[oa]|suspendid[oa]|aplazad[oa]|pospuest[oa]|canceló|aplazó|pospuso|suspendió)",
            r"|\b(médic[oa]|doutora?|cardiologista) (me )?(mudou|trocou|alterou|aumentou|baixou|reduziu|diminuiu|tirou)(-me)? (a|o|minha|meu|os|as) |\bagora tomo .{0,20}\d|\bagora (chama-se|se chama) (?-i:\p{Lu})|\b(chama-se|se chama) agora (?-i:\p{Lu})|\bmud(ámos|amos|ei|aram) o nome d[oae] |\bagora peso \d|\b(consulta|reunião|viagem|voo|casamento|festa|concerto|show|aula|curso|exame|operação|cirurgia|visita|reserva|entrevista)( \S+){0,4} (foi|está|ficou) (cancelad[oa]|desmarcad[oa]|adiad[oa]|remarcad[oa]|antecipad[oa])",
            r"|\b(medico|dottore|dottoressa|cardiolog[oa]) (mi )?ha (cambiato|aumentato|ridotto|abbassato|tolto|modificato|sospeso|raddoppiato|dimezzato) |\b(ora|adesso) prendo .{0,20}\d|\b(ora|adesso) si chiama (?-i:\p{Lu})|\bsi chiama (ora|adesso) (?-i:\p{Lu})|\b(abbiamo|ho|hanno) (rinominato|ribattezzato) .{0,40}(?-i:\p{Lu})|\b(ora|adesso) peso \d|\b(appuntamento|riunione|viaggio|volo|matrimonio|festa|concerto|lezione|corso|esame|operazione|visita|prenotazione|colloquio)( \S+){0,4} è (stat[oa] )?(annullat[oa]|cancellat[oa]|disdett[oa]|rimandat[oa]|spostat[oa]|rinviat[oa]|anticipat[oa])",
            r"|\b(dokter|huisarts|arts|cardioloog) heeft .{0,30}(veranderd|aangepast|verhoogd|verlaagd|gehalveerd|verdubbeld)|\bik (slik|neem|gebruik) nu .{0,20}\d|\bheet (nu|tegenwoordig|voortaan) (?-i:\p{Lu})|\b(hebben|heb) .{0,40}\bomgedoopt (tot|in) |\bik weeg (nu|inmiddels) \d|(afspraak|vergadering|reis|vlucht|bruiloft|feest|concert|les|cursus|examen|operatie|bezoek|boeking|reservering)( \S+){0,4} (is|werd|wordt) (\w+ ){0,3}(afgezegd|geannuleerd|verzet|verplaatst|uitgesteld|afgelast|verschoven)\b",
            r"|\b(lékař|doktor)(ka)? .{0,20}(změnil|zvýšil|snížil|upravil|vysadil)a? |\b(teď|nyní) (beru|užívám) .{0,20}\d|\bse (teď|nyní) jmenuje (?-i:\p{Lu})|\b(teď|nyní) vážím \d|\bvážím (teď|nyní) \d|(termín|schůzka|cesta|svatba|oslava|koncert|kurz|zkouška|operace|návštěva|rezervace|pohovor)( \S+){0,4} (je|byl[ao]?) (zrušen|přesunut|odložen)",
            r"|\b(lekarz|lekarka|kardiolog) .{0,20}(zmienił|zwiększył|zmniejszył|odstawił)a? |\b(teraz|obecnie) (biorę|przyjmuję) .{0,20}\d|\bnazywa się (teraz|obecnie) (?-i:\p{Lu})|\b(teraz|obecnie) nazywa się (?-i:\p{Lu})|\b(teraz|obecnie) ważę \d|\bważę (teraz|obecnie) \d|(wizyta|termin|spotkanie|podróż|lot|ślub|wesele|impreza|koncert|kurs|egzamin|operacja|rezerwacja)( \S+){0,4} (jest|został[ao]?) (odwołan|przełożon|przesunięt)",
            r"|(врач|доктор|терапевт|кардиолог)\w* .{0,20}(изменил|поменял|увеличил|уменьшил|снизил|повысил|отменил)а? |(теперь|сейчас) (я )?(принимаю|пью) .{0,20}\d|(теперь|сейчас) (называется|зовётся) (?-i:\p{Lu})|переименовал[аи]? .{0,40}(?-i:\p{Lu})|(теперь|сейчас) (я )?вешу \d|(при[её]м|встреча|поездка|рейс|свадьба|концерт|занятие|экзамен|операция|визит|бронь|запись|собеседование)( \S+){0,4} (отмен[её]н|перенес[её]н|отложен)",
            r"|(医生|醫生|大夫).{0,6}(改|换|換|调|調|加|减|減|停)(了|成|到).{0,6}(药|藥|剂量|劑量|\d)|现在(我)?(每天)?(吃|服用).{0,6}\d+ ?(毫克|mg|片|粒)|(现在|現在)(改)?叫(?-i:[A-Z「“])|改名(为|為|叫|成)|(预约|預約|会议|會議|旅行|航班|婚礼|婚禮|考试|考試|手术|手術|预订|預訂|面试|面試).{0,4}(取消|改到|改期|推迟|推遲|延期|提前)(了|到|至)|(现在|現在)体重.{0,2}\d",
            r"|(医者|医師|先生)が.{1,12}(変え|増や|減ら|変更)|今は.{0,12}\d+ ?(ミリ|mg|錠).{0,6}(飲|服用)|今は.{1,20}(という名前|に改名)|(に|へ)(改名|名称変更)|(予約|会議|打ち合わせ|旅行|出張|フライト|結婚式|試験|手術|面接)(は|が).{0,10}(キャンセル|中止|延期|変更)|今は体重.{0,3}\d|의사(가|께서) .{0,15}(바꿔|바꾸|바꿨|늘려|늘렸|줄여|줄였)|이제 .{0,10}\d+ ?(mg|밀리그램|알)|이름을 .{1,20}(으로|로) 바꿨|(예약|회의|여행|항공편|결혼식|시험|수술|면접)(이|가|은|는)? .{0,10}(취소|연기|변경)(됐|되었|했)|(지금|이제) (몸무게|체중)(는|은|가)? ?\d",
            r"|डॉक्टर ने .{0,25}(बदल|बढ़ा|घटा|कम कर|बंद कर)|अब (मैं )?.{0,10}\d+ ?(मिलीग्राम|mg|गोली)|नाम अब .{1,20}है|(अपॉइंटमेंट|मीटिंग|यात्रा|उड़ान|शादी|परीक्षा|ऑपरेशन|बुकिंग|इंटरव्यू) .{0,15}(रद्द|टल|स्थगित|कैंसल)|अब मेरा (वज़न|वजन) .{0,4}\d",
            r"|doktor\w* .{0,25}(değiştirdi|artırdı|azalttı|düşürdü|kesti)|\b(artık|şimdi) .{0,15}\d+ ?(mg|tablet|hap) .{0,10}alıyor|adı artık (?-i:\p{Lu})|adını .{1,20}olarak değiştirdik|(randevu|toplantı|gezi|uçuş|düğün|konser|sınav|ameliyat|rezervasyon|mülakat)\p{L}* .{0,15}(iptal|ertelendi)|\b(artık|şimdi) \d+ kilo",
            r"|(غيّ?ر|زاد|خفض|قلل|أوقف) (لي )?(الطبيب|الدكتور)|(الطبيب|الدكتور)\w* (غيّ?ر|زاد|خفض|قلل|أوقف)|الآن (آخذ|أتناول) .{0,10}\d|اسمها? الآن |اسمه الآن |(موعد|اجتماع|رحلة|سفر|زفاف|امتحان|عملية|حجز|مقابلة)\w*( \S+){0,4} (ألغي|ألغيت|تأجل|تأجلت)|وزني الآن \d",
        ),
    ),
];

#[cfg(test)]
mod tests {
    use super::super::find;

    // The old dose, home and name stayed in memory, and the sentence that changed them was passed over.
    #[test]
    fn what_changes_a_fact_is_kept() {
        let texts = [
            "Actually the doctor changed it: I now take 10 mg of lisinopril instead of 20.",
            "Der Arzt hat die Dosis geändert: jetzt 25 mg Metoprolol.",
            "We have moved again: we live in Portobello now.",
            "We renamed project Kestrel to Merlin.",
            "Der Zahnarzttermin ist abgesagt.",
            "I weigh 68 kg now.",
            "We now live in Portobello.",
            "Project Kestrel is now called Merlin.",
            "The doctor changed my lisinopril to 10 mg.",
            "The trip to Oslo is cancelled.",
            "The deadline of Merlin moved to 20 January.",
            "Marta isn't coming on Thursday after all, she comes on Saturday.",
            "My dentist appointment was moved to Friday.",
            "The meeting got postponed to 3 March.",
            "Der Termin beim Zahnarzt wurde auf Freitag verschoben.",
            "Ich nehme jetzt 25 mg Metoprolol statt 50.",
            "Wir wohnen jetzt in Basel.",
            "Das Projekt Kestrel heißt jetzt Merlin.",
            "Ich wiege jetzt 68 kg.",
            "Vivimos ahora en Sevilla.",
            "Ahora vivimos en Sevilla.",
            "La cita con el dentista está cancelada.",
            "El médico me cambió la dosis: ahora tomo 10 mg de lisinopril.",
            "El proyecto Kestrel ahora se llama Merlin.",
            "Ahora peso 68 kg.",
            "Agora moramos no Porto.",
            "A consulta do dentista foi cancelada.",
            "O médico mudou a dose: agora tomo 10 mg de lisinopril.",
            "O projeto Kestrel agora chama-se Merlin.",
            "Agora peso 68 kg.",
            "Nous habitons maintenant à Nantes.",
            "Le rendez-vous chez le dentiste est annulé.",
            "Le médecin a changé la dose : je prends maintenant 10 mg de lisinopril.",
            "Le projet Kestrel s'appelle désormais Merlin.",
            "Je pèse maintenant 68 kg.",
            "Adesso abitiamo a Torino.",
            "L'appuntamento dal dentista è annullato.",
            "Il medico ha cambiato la dose: ora prendo 10 mg di lisinopril.",
            "Il progetto Kestrel ora si chiama Merlin.",
            "Ora peso 68 kg.",
            "We wonen nu in Gent.",
            "De afspraak bij de tandarts is afgezegd.",
            "De dokter heeft de dosis veranderd: nu 25 mg metoprolol.",
            "Project Kestrel heet nu Merlin.",
            "Ik weeg nu 68 kg.",
            "Nyní bydlíme v Brně.",
            "Termín u zubaře je zrušený.",
            "Lékař změnil dávku: teď beru 10 mg lisinoprilu.",
            "Projekt Kestrel se teď jmenuje Merlin.",
            "Teraz mieszkamy w Gdańsku.",
            "Wizyta u dentysty jest odwołana.",
            "Lekarz zmienił dawkę: teraz biorę 10 mg lisinoprilu.",
            "Projekt Kestrel nazywa się teraz Merlin.",
            "Теперь мы живём в Казани.",
            "Приём у стоматолога отменён.",
            "Врач изменил дозу: теперь я принимаю 10 мг лизиноприла.",
            "Проект Кестрел теперь называется Мерлин.",
            "Теперь я вешу 68 кг.",
            "我们现在住在杭州。",
            "牙医的预约取消了。",
            "医生改了剂量：现在我吃10毫克的赖诺普利。",
            "Kestrel项目现在叫Merlin。",
            "我现在体重68公斤。",
            "今は横浜に住んでいます。",
            "歯医者の予約はキャンセルになりました。",
            "医者が薬の量を変えて、今は10ミリ飲んでいます。",
            "プロジェクトKestrelは今はMerlinという名前です。",
            "今は体重68キロです。",
            "지금은 인천에 살아요.",
            "치과 예약이 취소됐어요.",
            "의사가 용량을 바꿔서 이제 10mg을 먹어요.",
            "프로젝트 Kestrel은 이제 Merlin이라고 불러요.",
            "지금 몸무게는 68kg이에요.",
            "अब हम पुणे में रहते हैं।",
            "डेंटिस्ट का अपॉइंटमेंट रद्द हो गया है।",
            "डॉक्टर ने खुराक बदल दी: अब मैं 10 मिलीग्राम लेता हूँ।",
            "प्रोजेक्ट Kestrel का नाम अब Merlin है।",
            "अब मेरा वज़न 68 किलो है।",
            "Artık İzmir'de yaşıyoruz.",
            "Diş randevum iptal oldu.",
            "Doktor dozu değiştirdi: artık 10 mg alıyorum.",
            "Kestrel projesinin adı artık Merlin.",
            "Şimdi 68 kiloyum.",
            "نحن نسكن الآن في الإسكندرية.",
            "موعد طبيب الأسنان ألغي.",
            "غيّر الطبيب الجرعة: الآن آخذ 10 ملغ.",
            "مشروع Kestrel اسمه الآن Merlin.",
            "وزني الآن 68 كيلو.",
        ];
        let missed: Vec<&str> = texts.into_iter().filter(|text| find(text).is_err()).collect();
        assert!(missed.is_empty(), "{missed:#?}");
    }

    #[test]
    fn work_at_hand_and_questions_are_no_change_of_a_life() {
        let texts = [
            "We renamed the variable to total_count.",
            "I'm working on it now.",
            "The build is now called by the script.",
            "Is the trip to Oslo cancelled?",
            "Where do we live now?",
            "Ich arbeite jetzt daran.",
            "Ich bin jetzt müde.",
            "Ahora voy a la cama.",
            "Je mange maintenant.",
            "我现在很累。",
            "今は忙しいです。",
            "지금 바빠요.",
        ];
        let kept: Vec<&str> = texts.into_iter().filter(|text| find(text).is_ok()).collect();
        assert!(kept.is_empty(), "{kept:#?}");
    }
}
