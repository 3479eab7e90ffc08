//! What questions to memory look like, by language. Word boundaries are those of ASCII: a word that begins or ends in
//! another letter stands without.

use super::intent::Intent;

/// Patterns by what they ask for; the first that matches tells.
pub(super) const PATTERNS: &[(Intent, &[&str])] = &[
    (
        Intent::Decision,
        &[
            r"\b(we|you|i|they) (discussed|decided|agreed|chose|settled on)\b|\b(previous|earlier|past) (decision|conversation|chat|discussion)\b",
            r"\b(what|which|when|where|why|how) (did|have|had|was|were) (we|you|i|they)( all)? (decided?|choos?e|chosen|discuss(ed)?|agreed?|said|say|mention(ed)?|talk(ed)?|used?|do|done|settled?)\b",
            r"\b(did|have|had) (we|you|i) (decided?|choose|chosen|discuss(ed)?|agreed?|said|say|mention(ed)?|talk(ed)?)\b|\b(what|which) .{0,40}\b(was|were) (decided|agreed|chosen)\b",
            r"\b(haben wir|hatten wir|habe ich|hatte ich|wir haben|wurde) .{0,60}(beschlossen|entschieden|vereinbart|abgemacht|geeinigt|besprochen|ausgemacht|festgelegt|gesagt)|\bhatten wir uns\b",
            r"qu[ée] (decidimos|hablamos|acordamos|dijimos|hab[ií]amos|elegimos)|\b(decidimos|acordamos|quedamos en)\b.{0,60}\?|\bhemos (decidido|acordado|hablado)\b",
            r"\b(qu'est-ce qu'on a|qu'avons-nous|on avait|nous avions|avons-nous|a-t-on) .{0,30}(décidé|dit|convenu|choisi|discuté)|\bon a (décidé|convenu|dit quoi|choisi)",
            r"\b(abbiamo|avevamo) (deciso|detto|concordato|scelto|discusso|parlato)\b",
            r"\bo que (é que )?(decidimos|combin[aá]mos|dissemos|fal[aá]mos|acord[aá]mos|escolhemos)|\b(decidimos|combin[aá]mos|ficou decidido)\b.{0,60}\?",
            r"(что|о чём|о чем|как|когда|почему|какую?|какой) .{0,12}(мы|я) .{0,20}(реши|договор|говори|обсужд|выбра|сказа)|(мы|я) .{0,6}решили.{0,60}\?",
            r"\b(hebben we|hadden we|heb ik) .{0,60}(besloten|afgesproken|gezegd|gekozen|besproken)\b",
            r"(我们|我們|咱们|咱).{0,12}(决定|決定|商量|约定|約定|说好|說好|讨论|討論|选|選)(了|过|過|好|的).{0,12}(什么|什麼|吗|嗎|哪|谁|誰|怎么|怎麼|几|\?)",
            r"(何|どう|どれ|どの|いつ|なぜ|どこ).{0,16}(決め(た|まし)|決ま(った|りまし)|話し(た|まし)|言(った|いまし)|選ん(だ|でい)|合意し)",
            r"(뭘|뭐|무엇|어떻게|언제|왜|어느|어디).{0,16}(결정했|정했|하기로 했|얘기했|이야기했|말했|골랐|합의했)|(결정했|정했|하기로 했).{0,4}(지|나|니|었|더라)",
        ],
    ),
    (
        Intent::Past,
        &[
            r"\b(previously|earlier|last time|used to)\b|\b(do|can|could|would|did) you (still )?(remember|recall)\b|\b(remember|recall) (when|what|which|who|where|why|how)\b|\bremember\b.{0,60}\?",
            r"\b(we|you|i) (said|talked about|told you|mentioned)\b|\bwhat did (we|you|i)\b|\b(where|when|how|why|who|which \w+) did (we|i)\b|\bwhat (do|did) i usually\b|\bhave i (ever )?(told|mentioned|said)\b|\bdid i (ever )?(tell|mention|say)\b",
            r"\b(yesterday|the other day|last (week|month|year|night|summer|winter|spring|autumn|monday|tuesday|wednesday|thursday|friday|saturday|sunday)|(\d+|one|two|three|four|five|six|seven|eight|nine|ten) (days?|weeks?|months?|years?) ago)\b",
            r"\b(conversation|chat|discussion)s? (from|in|during) (january|february|march|april|may|june|july|august|september|october|november|december|\d{4})\b|\b(summari[sz]e|review|find|search)\s+(my|our|the)?\s*(past|previous|earlier)?\s*(conversation|chat|discussion)s?\b|\bremind\s+(me|us)\s+(what|which|who|where|why|how|when)\b",
            r"\b(weißt du noch|weisst du noch|erinnerst du dich|kannst du dich (noch )?erinnern|wissen sie noch|erinnern sie sich|damals|letztes mal|neulich|vorhin|letzte[rns]? (woche|monat|jahr|sommer|winter|montag|dienstag|mittwoch|donnerstag|freitag))\b|\bgestern\b|\bvor (\d+|zwei|drei|vier|einem|einer) (tag|woche|monat|jahr)",
            r"\b(wo|wann|was|wie|warum|wem|welche[nrsm]?) .{0,24}(habe|hatte|hab|hast|hatten|haben) (ich|du|wir)\b|\bhabe ich (dir )?(schon|mal|je)\b",
            r"\b(te acuerdas|recuerdas|recordar|se acuerda|anteriormente|ayer|anoche|el otro d[ií]a|la semana pasada|el (mes|año) pasado|(hace|hac[ií]a) (\d+|un|una|dos|tres|unos|unas|poco) ?(d[ií]as?|semanas?|mes|meses|años?|tiempo)?)\b|última vez|\bd[óo]nde (dej[ée]|puse|guard[ée]|lo puse)|\bqu[ée] (te|le) (dije|cont[ée])",
            r"\b(tu te souviens|te souviens-tu|vous souvenez|tu te rappelles|la dernière fois|la semaine dernière|le mois dernier|l'an dernier|l'autre jour|précédemment|hier|il y a (\d+|un|une|deux|trois|quelques) (jours?|semaines?|mois|ans?))\b|\bqu'est-ce que je (t'ai|vous ai|t'avais)|\boù (ai-je|j'ai|est-ce que j'ai) (mis|rangé|laissé|garé|noté)",
            r"\b(ti ricordi|si ricorda|ricordi (cosa|che|dove|quando|chi|quale|come)|l'ultima volta|la settimana scorsa|il mese scorso|l'anno scorso|l'altro giorno|in precedenza|ieri|(\d+|un|una|due|tre|qualche) (giorn[oi]|settiman[ae]|mes[ei]|ann[oi]) fa)\b|\bdove ho (messo|lasciato|parcheggiato|salvato)|\bcosa ti (ho|avevo) (detto|raccontato)",
            r"\b(lembras-te|lembra-se|voc[êe] (se )?lembra|você lembra|te lembras|se lembra|recordas-te|recordas|da última vez|na última vez|última vez|na semana passada|semana passada|no mês passado|mês passado|ano passado|no outro dia|anteriormente|ontem|h[áa] (\d+|um|uma|dois|duas|tr[êe]s|uns|umas) (dias?|semanas?|m[êe]s|meses|anos?))\b|\bonde (é que )?(eu )?(pus|deixei|guardei|estacionei|meti|coloquei)|\bo que (é que )?(eu )?(te|lhe) (disse|contei)",
            r"помн(ишь|ите)|в прошл(ый|ую|ом|ой)|ранее|вчера|позавчера|недавно|(день|дня|дней|недел[юиь]|месяц|месяца|месяцев|год|года|лет) (тому )?назад|напомни.{0,12}(что|как|где|когда|кто|какой|какую|какая)|где я (положил|оставил|припарковал|записал)|что я (тебе|вам) (говорил|сказал)|я (тебе )?(говорил|рассказывал).{0,40}\?",
            r"\b(weet je nog|herinner je je|vorige (keer|week|maand)|gisteren|laatst|(\d+|twee|drie|een) (dag|dagen|week|weken|maand|maanden|jaar) geleden|waar heb ik)\b",
            r"[还還][记記]得|[记記]得.{0,24}[吗嗎?？]|([之以]前|上(次|回)|曾[经經])[\s,，、:：]{0,3}((我们|我們|我|你|您)?(([聊说說谈談提]|[讨討][论論])([过過]([了的这這那什吗嗎么麼?？。，、\s]|$)|[了的])|[决決]定([过過]([了的这這那什吗嗎么麼?？。，、\s]|$)|了)|[记記][录錄]([过過]([了的这這那什吗嗎么麼?？。，、\s]|$)|了))|(的)?([聊对對][天话話])[记記][录錄]|的[资資]料)",
            r"(上次|上回|之前|以前|昨天|前天|上周|上週|上个月|上個月|去年|刚才|剛才).{0,24}(什么|什麼|吗|嗎|哪|谁|誰|怎么|怎麼|几|幾|多少|\?)|我.{0,10}(放|存|停|写|寫|说|說|告诉|告訴).{0,6}(哪|什么|什麼|过|過).{0,8}",
            r"覚えて(る|ます|い(る|ます))|(前回|この前|この間|以前|先週|先月|昨日|去年|さっき|先日).{0,24}(話|言|伝え|相談|決め|何|どこ|いつ|誰|どう|っけ|か$|\?)|(どこに|何を|いつ).{0,12}(置いた|置きました|しまった|言いましたっけ|っけ)",
            r"기억나|기억해\?|기억하(니|세요|고 있|나)|(지난\s*번|저번|예전|지난\s*주|지난\s*달|어제|작년|전에|아까|며칠 전).{0,24}(논의했|이야기했|얘기했|대화했|말했|언급했|결정했|뭐|뭘|어디|누구|언제|무엇|지\?|었지|였지|더라)|어디(에|다)? .{0,8}(뒀|두었|놨|놓았|주차했)",
        ],
    ),
    (
        Intent::Preference,
        &[
            r"\b(what|which|who|where|how)('s| is| are| was| were|'re)? .{0,30}\b(my|our|his|her|their|\w+'s) .{0,24}(favou?rites?|preferred|usual|preferences?|taste|habits?|routine)\b|\b(what|which|how|when|where) .{0,30}\b(do|does|did|would) (i|we|he|she|they|\w+) (usually |always |normally |typically |like |prefer|rather |want |hate|dislike|love|enjoy)|\bmy (usual|favou?rite|go-to|preferred|standard)\b|\b(do|does|did|would) (i|my \w+) (like|prefer|drink|eat|take|want|enjoy|hate)\b|\b(the way|how|as|what) i (always |usually |normally )?(like|want|prefer|do)( (it|them|to \w+|\w+))?[.:!?]?( |$)",
            r"\b(was|welche[nrsm]?|wie|wo|wann) .{0,30}\b(mag|trinke|esse|bevorzuge|nehme|liebe|mache|hasse) ich\b|\b(mein|meine|meinen|meiner|unser|unsere) ?\w* ?lieblings|\bam liebsten\b.{0,40}\?|\bich normalerweise\b.{0,40}\?|\bmag ich\b",
            r"\b(cu[áa]l|qu[ée]|qui[ée]n|c[óo]mo|d[óo]nde) .{0,30}\b(mi|mis|nuestr[oa]s?|su) .{0,24}(favorit|preferid|habitual|de siempre)|\b(qu[ée]|cu[áa]l) .{0,20}(me gusta|prefiero|suelo|me gustan|le gusta)",
            r"\b(quel|quelle|quels|quelles|qu'est-ce que|que|comment|où) .{0,30}\b(mon|ma|mes|notre|nos|son|sa) .{0,24}(préféré|habituel|favori)|\b(qu'est-ce que|que|quel\w*) .{0,24}(j'aime|je préfère|j'adore|je prends|je bois|j'ai l'habitude)",
            r"\b(qual|quale|quali|cosa|che|come|dove) .{0,30}\b(mio|mia|miei|mie|nostr[oa]) .{0,24}(preferit|solit|favorit)|\b(cosa|che|quale) .{0,20}(mi piace|preferisco|prendo di solito|bevo|mi piacciono)",
            r"\b(qual|quais|que|como|onde) .{0,30}\b(meu|minha|meus|minhas|nosso|nossa|seu|sua) .{0,24}(favorit|preferid|habitual|do costume)|\b(o que|que|qual) .{0,24}(eu gosto|gosto mais|prefiro|costumo|me apetece)",
            r"(что|какой|какую|какая|какое|какие|где|как) .{0,30}(я (люблю|предпочитаю|обычно|пью|ем)|мне (нравится|нравятся)|любим)|(мой|моя|моё|мои) любим.{0,40}\?",
            r"(我|我们|我們|他|她).{0,8}(最|比较|比較|平时|平時|通常|一般)?(喜欢|喜歡|爱|愛|偏好|习惯|習慣|讨厌|討厭)(吃|喝|用|看|的)?.{0,10}(什么|什麼|哪|吗|嗎|谁|誰|怎么|怎麼|几|\?)|(什么|什麼|哪).{0,10}我.{0,6}(喜欢|喜歡|最爱|最愛|偏好)",
            r"(私|僕|俺|わたし|うち|彼|彼女)の?.{0,10}(好き|お気に入り|苦手|嫌い|好み|いつも).{0,24}(何|どれ|どの|どこ|誰|か$|か\?|\?|っけ)|(何|どれ|どの).{0,16}(が好き|を好んで)",
            r"(내|제|우리|나|저)(가|는|의)? ?.{0,8}(좋아하는|선호하는|즐겨|싫어하는|평소|보통).{0,24}(뭐|무엇|어디|누구|어느|언제|지\?|니\?|까\?|\?)|(뭐|뭘|무엇).{0,10}(좋아하|선호하)",
        ],
    ),
    (
        Intent::Person,
        &[
            r"\b(what|which|who|whose|where|when|how)('s| is| are| was| were| does| did| do| much| many| old| long)? .{0,30}\b(my|our)\b|\b(who|what|where|when|how)('s| is| are| was| were| does| did)? (my|our) \w+|\b(who|whose) .{0,40}\?|\b(is|are|was|does|did|has|do i have) (my|our|any of my) \w+.{0,60}\?",
            r"\b(birthday|anniversary|phone number|address|nickname|surname|allerg(y|ies|ic)|wi-?fi|gate code|door code|licen[cs]e plate|passport|dentist|landlord)\b.{0,60}\?|\b(what|when|where|which|how|who)('s| is| are| was| does| did)? [a-z]\w*'s \w+",
            r"\b(wer|wem|wen|wessen|wie|wo|wann|was|welche[nrsm]?) .{0,40}\b(mein|meine|meinen|meinem|meiner|meines|unser|unsere|unserem|unseren|unserer)\b|\b(ist|sind|war|hat|haben) (mein|meine|unser|unsere|meiner) \w+.{0,60}\?|\b(geburtstag|telefonnummer|adresse|allergi\w*|vermieter|zahnarzt)\b.{0,60}\?|\bwer (ist|war|hat) \w+",
            r"\b(qui[ée]n(es)?|cu[áa]l|c[óo]mo|d[óo]nde|cu[áa]ndo|qu[ée]) .{0,40}\b(mi|mis|nuestro|nuestra|nuestros|nuestras)\b|(cumpleaños|n[úu]mero de tel[ée]fono|direcci[óo]n|al[ée]rgic\w|alergi\w*|dentista|casero|contraseña)\b.{0,60}\?",
            r"\b(qui|quel|quelle|comment|où|quand|que|qu'est-ce|combien|quels|quelles) .{0,40}\b(mon|ma|mes|notre|nos)\b|\b(anniversaire|numéro de téléphone|adresse|allergi\w*|dentiste|propriétaire|mot de passe)\b.{0,60}\?",
            r"\b(chi|come|dove|quando|qual|quale|quali|cosa|che|quanto) .{0,40}\b(mio|mia|miei|mie|nostro|nostra|nostri|nostre)\b|\b(compleanno|numero di telefono|indirizzo|allergi\w*|dentista|padrone di casa)\b.{0,60}\?",
            r"\b(quem|qual|quais|como|onde|quando|que|quanto) .{0,40}\b(meu|minha|meus|minhas|nosso|nossa|nossos|nossas)\b|(anivers[áa]rio|n[úu]mero de telefone|telem[óo]vel|morada|endereço|al[ée]rgic\w|alergia|dentista|senhorio|palavra-passe|senha)\b.{0,60}\?|\blembras-te d[oa]s?\b",
            r"(кто|как|где|когда|какой|какая|какое|какие|чей|сколько|что) .{0,40}(мой|моя|моё|мое|мои|моего|моей|моему|моих|мою|наш|наша|наше|наши|нашего|нашей)|(день рождения|номер телефона|адрес|аллерги|пароль).{0,60}\?",
            r"\b(wie|wat|waar|wanneer|welke|hoe) .{0,40}\b(mijn|onze|ons)\b|\b(verjaardag|telefoonnummer|adres|allergi\w*|tandarts|huisbaas)\b.{0,60}\?",
            r"(我|我们|我們|咱们)(的|家|妈|媽|爸|老婆|老公|太太|妻子|丈夫|儿子|兒子|女儿|女兒|姐|妹|哥|弟|朋友|同事|老板|老闆).{0,24}(什么|什麼|哪|谁|誰|几|幾|多少|吗|嗎|怎么|怎麼|何时|何時|\?)|(生日|电话|電話|地址|密码|密碼|过敏|過敏|名字).{0,16}(什么|什麼|哪|几|幾|多少|吗|嗎|谁|誰|\?)|谁是|誰是|是谁|是誰",
            r"(私|僕|俺|わたし|うち|我が家|母|父|妻|夫|息子|娘|兄|姉|弟|妹|上司|友人|友達)(の|は|が).{0,24}(何|どこ|いつ|誰|だれ|どの|どれ|いくつ|いくら|どう|か$|か\?|\?|っけ)|(誕生日|電話番号|住所|パスワード|アレルギー|名前).{0,16}(何|どこ|いつ|誰|どの|か$|か\?|\?|っけ)|(誰|だれ)(です|だ|\?|が|か)",
            r"(내|제|우리|저희) ?(엄마|아빠|어머니|아버지|아내|남편|아들|딸|형|누나|오빠|언니|동생|친구|상사|집|의사|강아지|고양이|[가-힣]{1,8}).{0,24}(뭐|무엇|어디|언제|누구|몇|얼마|어느|지\?|까\?|야\?|니\?|\?)|(생일|전화번호|주소|비밀번호|알레르기|이름).{0,16}(뭐|무엇|언제|어디|몇|누구|\?)",
        ],
    ),
    (
        Intent::Time,
        &[
            r"\b(when|what (time|day|date)|how long|how often|since when|until when) .{0,40}\b(is|was|are|were|does|did|do|have|has|had|will) (the|my|our|we|i|he|she|they|it|this|that|\w+'s)\b.{0,60}\?",
            r"\b(wann|seit wann|bis wann|um wie viel uhr|wie lange|wie oft|an welchem tag) (ist|sind|war|hat|haben|muss|fängt|beginnt|endet|geht|kommt|wird|habe) (der|die|das|dein|unser|mein|ich|wir|er|sie|es|\w+).{0,60}\?",
            r"\b(cu[áa]ndo|a qu[ée] hora|qu[ée] d[ií]a|desde cu[áa]ndo) (es|fue|era|empieza|termina|tengo|tenemos|vence|viene|llega|sale|hay|hab[ií]a)\b|\b(quand|à quelle heure|quel jour|depuis quand) (est|était|commence|finit|a lieu|dois|avons|ai|arrive|expire|part)\b",
            r"\b(quando|a che ora|che giorno|da quando) (è|era|inizia|comincia|finisce|devo|abbiamo|ho|scade|arriva|parte)|\b(quando|a que horas|que dia|desde quando|em que dia) (é|foi|era|começa|acaba|termina|tenho|temos|vence|expira|chega|parte|fecha|abre)",
            r"(когда|во сколько|в какой день|с каких пор|до какого) .{0,24}(был|была|было|будет|начин|заканч|должен|истек|приезжа|у (нас|меня))|(什么时候|什麼時候|几点|幾點|哪天|何时|何時).{0,20}(开会|開會|到期|开始|開始|结束|結束|截止|来|來|走|见|見|去)|(开会|開會|到期|截止|会议|會議|预约|預約).{0,10}(什么时候|什麼時候|几点|幾點|哪天)",
            r"(いつ|何時|何日|何曜日)(から|まで|に)?.{0,16}(です|でした|だった|だっけ|始ま|終わ|ます|か)|(언제|몇 시|며칠|무슨 요일).{0,16}(이|였|시작|끝|만나|예약|마감|까|지|야|니|해|하)",
        ],
    ),
];

/// Words of what is still to come: orders for later sound like questions about before.
pub(super) const FUTURE: &[&str] = &[
    r"\b(remind me|remind us|remember|don'?t forget|make sure) to\b|\bset a reminder\b",
    r"\berinner(e|st|n sie)? (du )?(mich|uns)\b|\b(denk|denke) (bitte )?daran\b|\bmerk(e)? dir\b|\bvergiss nicht\b",
    r"\b(recu[ée]rdame|recu[ée]rdanos|acu[ée]rdate de|no olvides)\b|\b(rappelle|rappelez)-(moi|nous) (de|d'|demain|ce soir|lundi)|\bn'oublie pas de\b",
    r"\b(ricordami|ricordaci|non dimenticare di)\b|\b(lembra-me|lembre-me|lembra-nos|me lembra|me lembre|não te esqueças de|não esqueça de)\b|\bherinner me\b",
    r"напомни (мне|нам).{0,24}(завтра|вечером|утром|через|в \d)|не забудь|запомни",
    r"提醒(我|我们|我們|一下)|(リマインド|思い出させて|起こして)|(내일|모레|이따|나중에|저녁에|아침에).{0,24}(알려|깨워|상기)",
];

/// Times that are still to come, in scripts whose orders are not known by their words. Whoever asks for such a time asks for
/// something that was settled.
pub(super) const TO_COME: &[&str] = &[
    r"明(天|日|晚|年|早)|今(晚|夜|后|後)|[后後](天|日)|下(周|週|星期|(个|個)?月|次|回|礼拜|禮拜)|以(后|後)|之(后|後)|将来|將來|未来|未來|稍(后|後|晚)|待(会|會)|等(会|會|下)",
    r"明(日|晩)|今(晩|夜)|明後日|来(週|月|年)|次(回|の)|あとで|後で|後ほど|後日|あした|あす|今後|これから|将来",
    r"내(일|년)|오늘\s*(밤|저녁|오후)|모레|글피|차주|다음|나중|앞으로|미래|이따|곧",
];

/// What asks for the past although it speaks of what is to come.
pub(super) const RETROSPECTIVE: &[&str] = &[
    r"\b(did|have|had) (we|you|i)\b|\b(we|i) (said|decided|agreed|discussed)\b|\b(do|can|could) you (remember|recall)\b|\bremind\s+(me|us)\s+(what|which|who|where|why|how|when)\b|\b(yesterday|last (time|week|month|year)|ago|previously|earlier)\b|\b(remember|recall) (when|what|which|who|where|why|how)\b|\bused to\b|\bwhat do i usually\b|\b(previous|earlier|past) (decision|conversation|chat|discussion)\b|\b(summari[sz]e|review|find|search)\s+(my|our|the)?\s*(past|previous|earlier)?\s*(conversation|chat|discussion)s?\b|\b(conversation|chat|discussion)s? (from|in|during)\b|\byou (discussed|decided|agreed|said|talked about|chose)\b|\bi (talked about|chose)\b|\bwe (talked about|chose)\b",
    r"\b(haben wir|hatten wir|habe ich|weißt du noch|gestern|letzte[rns]?)\b|\b(decidimos|hablamos|ayer|recuerdas|recordar|anteriormente|hemos)\b|qu[ée] (decidimos|hablamos)|última vez|\b(hier|la dernière fois|avons-nous|on a)\b|\b(ieri|abbiamo|l'ultima volta)\b|\b(ontem|lembras-te|dissemos|decidimos|combin[aá]mos)\b",
    r"помн(ишь|ите)|вчера|(мы|я) .{0,12}(реши|договор|говори)|прошл",
    r"(上(次|回|周|週|星期|(个|個)?月)|曾[经經]|昨(天|日))[\s,，、:：]{0,3}(我们|我們|我|你|您)?[\s,，、:：]{0,3}([聊说說谈談提]|[讨討][论論]|[决決]定|[记記][录錄])",
    r"(前回|この前|この間|以前|先週|先月|昨日).{0,24}(話(した|していた|してた)|言った|伝えた|相談した|決めた)",
    r"(지난\s*(번|주|달)|저번|예전|어제).{0,24}(논의했|(이야기|얘기|대화)했|말했|언급했|결정했)",
];

/// Orders that hold a word of the past: "remember that …" tells, and so does "I used to" without a question.
pub(super) const HABIT_OR_ORDER: &str = r"(?i)^(please |hey,? )?(remember|note|keep in mind|write down|save)( that|:| this)\b|^覚えておいて|^记住|^記住|^기억해 ?(둬|줘)";
