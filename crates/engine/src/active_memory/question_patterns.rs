//! What a question looks like in which somebody may ask for something of their own without a word of the past: "how fast do
//! I listen to podcasts?". Word boundaries are those of ASCII: a word that begins or ends in another letter stands without.

/// The form of a question.
pub(super) const ASKS: &[&str] = &[
    r"[?？؟]",
    // A thing that is wanted, and one that nobody can find or remember.
    r"\b(number|password|address|code|e-?mail|phone|date|nummer|adresse|passwort|telefon|mail|n[uú]mero|direcci[oó]n|contraseña|clave|tel[eé]fono|senha|endereço|telefone|numéro|adresse|mot de passe|numero|indirizzo|wachtwoord|adres|numer|hasł[oa]|kod)\b.{0,40}\b(pls|plz|please|again|bitte|nochmal|porfa(vor)?|por favor|stp|svp|s'il te plaît|per favore|graag|aub)\b|(numer|adres|hasł[oa]|kod|telefon|mail)( .{0,40})? prosz[eę]",
    r"\bi( have|'ve)? (forgot(ten)?|can'?t (find|remember|recall)|do ?n'?t (remember|recall|know)|lost) (what|when|where|who|which|how|the|his|her|their|my|our)\b|\bno idea (what|when|where|who|which|how)\b|\b(ich )?(weiß|weiss|find|finde|hab|habe) .{0,40}(nicht mehr|vergessen)|\b(komm|komme) nicht (mehr )?(drauf|auf)\b",
    r"(se me (ha )?olvid|\bno (me acuerdo|recuerdo|encuentro|s[eé] (si|las?|los?|el|d[óo]nde|cu[áa]ndo|qui[eé]n|cu[áa]l|qu[eé]|c[óo]mo)))\b|\b(esqueci|não (me )?(lembro|acho|encontro|sei (mais|onde|quando|quem|qual)))\b|(j'ai oublié|je (ne |n')?(sais|trouve|retrouve|me (souviens|rappelle)) (plus|pas))|\b(ho dimenticato|non (mi )?(ricordo|trovo)|non so (più|dove|quando|chi))\b",
    r"\b(weet|vind|herinner) .{0,30}niet meer\b|\b(ben|heb) .{0,30}(vergeten|kwijt)\b|(zapomniał[ae]m|nie (pamiętam|mogę znaleźć)|nie wiem (gdzie|kiedy|kto|jak|ile))|(забыла?|не (помню|могу найти)|не знаю (где|когда|кто|как))( |$)|(忘了|忘记了|忘記了|想不起|找不到|不记得|不記得)|(忘れ(た|ちゃ|まし)|覚えてない|思い出せ|見つからない)|(잊어버|까먹|기억(이)? ?안|못 찾)",
    r"(^|[.,!:;] |[-–] )(ok(ay)? |so |and |but |then |hey |oh |wait |hm+ |um |also |(in|on|at|by|to|for|with|from|of|until|till|since) )*(what|which|who|whom|whose|where|when|why|how)(s|'s|'re|'d|'ll)? ",
    r"^(ok(ay)? |so |and |but |then |hey )*(is|are|am|was|were|do|does|did|can|could|should|shall|may|will|would|have|has|had) \w+ \w+",
    r" (why|when|where|who|how|how (much|many|long|often)|which( one)?|what (time|day|for))$|\b(is|are|was|were|do|does|did|have|has|had|would|will|ca|could|should)n'?t (it|he|she|they|we|i|you)$",
    r"(^|[.,!:;] )(und |aber |also |dann |ach |na |sag mal |für |in |an |auf |bei |zu |von |mit |um |aus )*(wer|wem|wen|wessen|was|wann|wo|wohin|woher|wie|wieviel|warum|wieso|welche[nrsm]?|wofür|womit|woran|worauf|wozu|wovon|(bis|seit|ab|von|zu|bei|mit|um) (wann|wem|wie viel)|darf ich|kann ich|muss ich|soll ich|haben wir|hatten wir)\b",
    r"(^|[.,!:;] )(y |e |et |ma |mas |pero |mais |então |allora |alors )*(qué|cuál(es)?|quién(es)?|cuándo|dónde|cómo|cuánt[oa]s?|quem|qual|quais|quando|qdo|onde|como|quant[oa]s?|o que|qui|quel(le)?s?|quand|où|comment|combien|pourquoi|est-ce que|qu'est-ce|chi|quale|quali|dove|cosa|quant[oaie]|perché) ",
    r"(^|[.,!:;] )(y |e |et |ma |mas |pero |mais )*((a|de|con|para|hasta|desde|en|por) )*(qué|cuándo|quién|dónde|cuál|cuánto) |^(¿?y )?(cuando|donde|quien|cual|cuanto|qu[eé] (hora|d[ií]a|n[uú]mero|talla)) (es|era|fue|son|me|te|le|nos|toca|empieza|tengo|tenemos|llega|sale|vence|est[aá])\b",
    r"(^|[.,!:;] )(e |mas |então )*((a|de|do|com|para|pra|até|desde|em|por|no|na) )*(quem|qual|quais|quando|qdo|onde|que (horas?|dia|data|n[uú]mero|tamanho)|quant[oa]s?|cadê|pq) ",
    r"(^|[.,!:;] )(et |mais |alors |au fait )*(c'est|c'était|ça (coûte|commence|finit)|il y a|on (part|va|arrive|est)) (quand|où|qui|quoi|combien|quel(le)?s?|à quelle)\b|(^|[.,!:;] )(et |mais )*(à|de|avec|pour|chez|depuis|jusqu'à|dans|en|sur) (quel(le)?s?|qui|quand|où|combien) |\b(combien|quand|où|pourquoi|laquelle|lequel)$",
    r"(^|[.,!:;] )(e |ma |allora )*((a|di|da|con|per|in|su|fino a) )*(chi|quando|dove|quale?i?|quant[oaie]|che (ora|giorno|data|numero|taglia|anno)|dov'[eè]|cos'[eè]|com'[eè]|quand'[eè]|qual è)\b",
    r"(^|[.,!:;] )(а |и |но |так |ну )*((в|на|с|до|от|у|к|для|по|из|за|о) )*(кто|кого|кому|кем|что|чего|чем|когда|где|куда|откуда|как|какой|какая|какое|какие|какую|каком|какого|сколько|скольки|почему|зачем|чей|чья|можно ли)( |$)",
    r"^(en |maar |dus |oh )*((met|voor|van|tot|vanaf|in|op|bij|aan) )*(wie|wat|waar|wanneer|welke?|hoe|hoeveel|waarom) ",
    r"(^|[.,!:;] |[-–] )(a |i |ale |no |to |więc |czyli )*((w|we|na|do|od|z|ze|za|po|przy|o|u|dla|przed) )*(kto|kogo|komu|kim|co|czego|czemu|czym|kiedy|gdzie|dokąd|skąd|jak|jaki|jaka|jakie|jaką|jakiego|jakiej|jakim|który|która|które|którego|której|którą|którym|ile|ilu|dlaczego|czyj|czyja|czy) ",
    r"(^| )(ne zaman|nerede|nereye|nereden|kim(in|e|le)?|kaç(ta)?|hangi(si)?|neden|nasıl|ne kadar|m[ıiuü](yd[ıiuü]|y[ıiuü]m|y[ıiuü]z)?)( |$)|(^|[.,!:;] )ne ",
    r"(^|[ ،])(متى|أين|اين|من هو|من هي|كم|كيف|ماذا|لماذا|أي|هل|ما (هو|هي|اسم|رقم))( |$)|(कब|कहाँ|कहां|कौन|किस|कितन|क्या|कैसे|क्यों)",
    r"(什么|什麼|哪|谁|誰|几(点|點|号|號|天|月|个|個|時|岁|歲)|多少|多久|怎么|怎麼|为什么|為什麼|吗|嗎|还是.{0,8}$)",
    r"(何|どこ|いつ|誰|だれ|どの|どれ|どう|いくら|いくつ|なぜ|ですか|ますか|でしたか|いいかな|んだっけ|っけ$|の？)|(番号|パスワード|暗証|コード|住所|電話|名前|時間|日時|日程|予定|予約|値段|場所)(は|を|って)?(教えて|わかる|分かる)",
    r"(뭐|뭘|무엇|어디|언제|누구|누가|몇|얼마|어느|어떤|어떻게|왜|(니|까|지|나|해|어|야)\?)|(번호|비밀번호|주소|이름|시간|날짜|일정|가격|예약)(을|를|이|가|은|는)? ?(알려|말해)",
];

/// Words for whoever asks, and for what is theirs.
pub(super) const OWN: &[&str] = &[
    r"\b(i|i'm|i've|i'd|me|my|mine|we|we're|we've|us|our|ours)\b",
    r"\b(ich|mir|mich|mein(e|en|em|er|es)?|wir|uns|unser(e|en|em|er|es)?)\b",
    r"\b(yo|me|mí|mi|mis|nos|nuestr[oa]s?|tengo|tenemos|debo|debemos|puedo|podemos|prefiero|suelo|\w{3,}(amos|emos|imos))\b",
    r"\b(eu|meu|minha|meus|minhas|nós|noss[oa]s?|tenho|temos|gosto|prefiro|costumo|posso|podemos|devo|deixei|pus|\w{3,}(amos|ámos|emos|imos))\b",
    r"\b(je|moi|mon|ma|mes|nous|notre|nos)\b|\b[jm]'\w|\bon (a|va|loue|prend|retourne|doit|peut|avait|est)\b",
    r"\b(io|mi|mio|mia|miei|mie|noi|nostr[oaie]|devo|posso|prendo|mando|ho|\w{3,}iamo)\b",
    r"(^|[ ,.!])(я|мне|меня|мой|моя|моё|мое|мои|моего|моей|моём|мою|мы|нам|нас|наш|наша|наше|наши|нашего|нашей)([ ,.!?]|$)",
    r"\b(ik|mij|mijn|wij|we|ons|onze)\b",
    r"(^|[ ,.])(ja|mnie|mi|mną|mój|moja|moje|mojego|mojej|moją|moich|my|nas|nam|nami|nasz|nasza|nasze|naszego|naszej)([ ,.!?]|$)|\w{2,}(liśmy|łyśmy|łam|łem|ujemy|amy)\b|\b\w{2,}(uję|aję|iję)([ ,.!?]|$)",
    r"(^|[ ,.])(ben(im|i|de)?|biz(im|i)?|bana|bize)([ ,.!?]|$)|(मेर|मुझ|हमार|हमें)|(عندي|لدي|لدينا|أنا|نحن)",
    r"我|咱|私|僕|俺|うち|(^|[ ,])(나|내|내가|제|저|제가|우리|저희)(는|은|도|의|가|를)?[ ,]",
];

/// Questions about the world, and work on words that are given: no memory helps there.
pub(super) const WORLD: &[&str] = &[
    r"\b(explain|define|translate|summari[sz]e|rephrase|proofread|convert|calculate)\b",
    r"\bwhat('?s| is| are| was| were)? (a|an|the (capital|difference|weather|meaning|population|speed|distance|plural|past tense|formula|best way|point of|height of|temperature|time in)|some|good|common|typical)\b|\bwhat('?s| is) [\w-]+( in \w+)?\??$|\bwhat does ['\x22“‘«]|\bwhat do(es)? ([\w-]+( [\w-]+)?|.{0,20} word .{1,24}) (mean|stand for)|\bwhat (happens|happened) (when|if|in the world|in \d)|\bwhat did [a-z]+ (say|think|write) about\b",
    r"\b(when|where|why|which( \w+)?|how( often| long| much| many| far| soon)?) (do|should|would|can|must) (you|people|one) \w+|\bhow (long|much|often) (do|does|did|can) (a|an) \w+|\bhow do i (know|tell) (when|if|whether)\b|\b(does|do) [\w ]{2,24} (really|actually) \w+|\bwhy (do|does|did) (your|people|[a-z]+s) |\bis (a|an) [\w ]{2,24} \w+er than\b|\b(bigger|older|heavier|faster|cheaper|healthier) than (a|an)\b",
    r"\bcu[áa]nt[oa]s? (es \d|son \d|\w+ (tiene|hay en|son) un[ao]?)\b|\bqu[ée] (opinas|piensas)\b|\bde qu[ée] est[áa] hech[oa]\b|\bpor ?q(u[ée])? (los|las) \w+ \w+|\b(quem|qui[ée]n|qui|chi) (ganhou|gan[óo]|a gagné|ha vinto|inventou|invent[óo]|escreveu|escribi[óo])|\bpor ?q(ue)? (os|as) \w+ \w+|\bo que (você |tu )?acha|\bpourquoi (un|une|les) |\bcombien de (décalage|ml|grammes|km|temps pour)|\b(tu|t'en) penses quoi\b|\bperch[ée] (i|le|gli) \w+|\bquanto ci vuole da\b|\bcosa ne pensi\b",
    r"\bwarum (sind|haben|machen|werden) [a-zäöü]+ |\bwas (reimt sich|hältst du)\b|\bwas heißt .{1,24} auf\b|\bwat (zijn (leuke|goede)|betekent|vind je)\b|\bhoe (spreek|schrijf|zeg|maak|kook|bak) je\b|\bis .{2,30}er dan\b|\bco tam\b|\bjak si[eę] (mówi|mowi|pisze|robi|odmienia|gotuje|czyta)|\bczy .{2,30} naprawd[eę]|dlaczego \w+ są|в среднем|почему (все|эти) |кто (выиграл|написал|изобрел|изобрёл)|чем отличается|和.{1,12}(一样|一樣)(吗|嗎)|どっちが(古い|大きい|早い|高い)|넣어도 ?(돼|되)",
    r"^(and |so |but |ok |then )*(do|does|did|is|are|will|can|would) (that|this|it|they) (also |always |really |still |even |usually )*(work|help|matter|happen|rain|snow|hurt|support|apply|run|scale|compile|freeze|melt|expire|normal|safe|legal|possible)\b|\b(grammar|spelling|typos?|wording)\b",
    r"^(what('s| is) |and |was (ist|sind) |cu[áa]nto (es|son) |quanto (é|fa) |combien font |ile (to )?(jest )?)*[\d.,]+ ?(times|plus|minus|divided by|over|percent of|% of|x|×|\*|\+|-|/|:|mal|durch|geteilt durch|prozent von|fois|por|per|más|mais|pi[uù]|meno|menos|moins|razy|keer|乘以|乘|加|减|減|除以|かける|たす|ひく|割る|곱하기|더하기) ?[\d.,]+( ?[=?？]| ?是多少| ?は)?",
    r"\bhow (do|does|did|can|could) (people|you|one|they|a|an|[\w ]{0,24}(work|function|happen|form|grow|fly|sleep))\b|\bhow (far|big|old|tall|heavy|deep|long|fast|hot|cold) (is|are) the (moon|sun|earth|universe|sea|sky|world)\b|\bhow many \w+ (are |is )?(there )?in (a|an|one|the)\b",
    r"\bwhy (do|does|is|are) (people|the sky|a|an|\w+) (\w+ ){1,2}\w+( (over|in|at|from) \w+)?\??$|\bdo \w+s \w+\??$|\bdo you (like|have|know|think|prefer|dream|feel)\b|\bhow are you\b",
    r"\bwho (is|was|are|were) (the|a) (current |first |last )?(president|king|queen|prime minister|chancellor|mayor|ceo|author|inventor|founder|pope)\b|\bwho (composed|wrote|invented|discovered|painted|directed|founded|won)\b|\bwhen (was|were|did) .{0,40}\b(built|invented|born|founded|discovered|published|released|die|died)\b",
    // Work on a screen, other languages, the kitchen and the laundry
    r"\b(git|npm|docker|javascript|python|sql|css|html|excel|word formula|sverweis|undefined|linux|wifi router reset)\b|\b(in|into) (english|german|french|spanish|italian|portuguese|dutch|polish|russian|japanese|chinese|korean)\b|\b(auf|ins) (englisch|deutsch|französisch|spanisch|italienisch)\w*\b|\ben (inglés|ingles|español|francés|alemán|anglais|espagnol|allemand|italien|français)\b|\bem (inglês|espanhol|francês)\b|\bin (inglese|spagnolo|francese|tedesco)\b|\bin het (engels|duits|frans)\b|\bpo (angielsku|niemiecku|polsku)\b|по-(английски|немецки|русски)",
    r"\b(freeze|reheat|microwave|einfrieren|congelar|congeler|congelare|surgeler|invriezen|zamrozi[ćc]|stain|flecken?|mancha|tache|macchia|vlek(ken)?|plama|пятно)\b|冷凍|冷冻|冻起来|냉동|\bhow (do|can|could|should) (i|you|we) (get .{2,30} out|say|make|fix|clean|remove|stop|center|convert|write|spell|pronounce|install|update|delete|undo|boil|peel|cut|cook|grow|learn)\b|\b(wie|womit) (krieg|bekomm|mach|reinig|koch|schreib)\w* (ich|man) .{2,40}$|\bcomment (j'|on |je )(enl|fai|retir|nettoi|di|écri)|\bcomo (eu )?(tiro|faço|limpo|escrevo|quito|limpio)\b|\bcome (faccio a|tolgo|pulisco)\b|\bhoe krijg ik .{2,40} uit\b|как (мне )?вывести|怎么(区分|去除|煮)",
    r"\bis (a|an|the) \w+ (a|an) \w+|\bwie lange (muss|müssen|brauch\w*|dauert|kocht|kochen) (ein|eine|[a-zäöü]+ (kochen|backen|ziehen))|\bwas kostet (ungefähr |so )?(ein|eine) |\bwarum ist (der|die) (himmel|erde|sonne|meer)|\b(qu[ée]|cu[áa]l) es mejor\b|\bqual (é|è) (melhor|meglio)\b|\bquanto tempo (leva|demora) (pra|para) \w+r\b|\bcu[áa]nto tarda en \w+se\b|\bhoe lang moet(en)? \w+ (koken|bakken)|\bwaarom \w+ mensen\b|\b(ile|jak długo) (gotować|gotowac|piec|smażyć)|сколько (варить|печь|жарить)|なんで空|为什么天",
    r"\bvs\.?\b|\w\(\w*\)|=>|==|</?\w+>|等于多少|って何分|\b(invented|erfunden|inventó|inventou|inventé|inwoners|inhabitants|einwohner|habitantes|habitants|abitanti|mieszkańców)\b|\bonde fica (o|a) \w+$|\b(on dit|se escribe|se dice|schreibt man|se escreve|is het \w+ of \w+)\b|\b(es|é|è|is (it|that|this)) (normal|grave|malo|bad|dangerous|legal|illegal)\??$|\b(j'ai le droit|me pueden despedir|als mieter|can they fire)\b|\bis it (ok|okay|safe|bad) (if|to)\b",
    r"\bare you sure\b|\bwhat you said\b|\b(instead|though)\??$|\b(stimmt das|bist du (dir )?sicher|est[áa]s segur[oa]|t'es sûr|sei sicur[oa]|tem certeza|tens a certeza|weet je (dat )?zeker|jesteś pewien|ты уверен)",
    r"\bwhich is (better|faster|bigger|best)\b|\b(this error|exception|traceback|stack trace|null pointer|segfault|this code|this function|regex)\b",
    r"\b(erklär\w*|übersetz\w*|definier\w*|vergleiche)\b|\bwie (funktioniert|funktionieren|macht man|kocht man|schreibt man|sagt man|heißt .{1,24} auf|geht's)\b|\bwas (ist|sind|bedeutet|heißt) (ein|eine|die hauptstadt|der (unterschied|plural)|[\w-]+\??$)|\b(wann|wie|wo|was|womit|warum|wie (lange|oft|viel|heiß)) \w+ man\b|\b(grammatik|rechtschreibung)\b",
    r"\b(expl[ií]ca(me|lo|-me)?|traduce|traduz|define)\b|\bc[óo]mo (funciona|se (dice|diz|hace|faz|escribe|escreve)|est[áa]s)|\b(qué|que|cu[áa]l|qual)( es| é)? (un|una|um|uma|la capital|a capital|la diferencia|a diferença|el plural|o plural)\b|\b(cu[áa]ndo|cu[áa]nto( tiempo)?|quando|quanto( tempo)?) se \w+|\bqu[ée] diferencia hay|\bquantas? \w+ de (fuso|diferen[çc]a)|\bpara que serve|\b(qué|o que) (significa|quer dizer)\b|qué tal|tudo bem",
    r"\b(explique\w*|traduis|traduisez|définis)\b|\bc'est quoi\b|\bqu'est-ce qu(e c'est|'un|e signifie)|\bcomment (fonctionne|ça marche|fait-on|dit-on|on dit|faire)\b|\bquel(le)? est (la (capitale|différence|recette)|le (pluriel|féminin|masculin|sens))\b|\bcombien de temps (faut-il|il faut|cuit)|\bça va\b",
    r"\b(spiega\w*|traduci|definisci)\b|\bcome (funziona|si (dice|fa|scrive)|stai)\b|\bche cos'è\b|\bcosa (significa|vuol dire)\b|\bqual è (la (capitale|differenza)|il plurale)\b|\b(quando|quanto) si \w+",
    r"(объясни|переведи|что такое|что значит|как (работает|сделать|написать|сказать|дела))",
    r"(wyjaśnij|przetłumacz|wytłumacz|co to (jest|znaczy|są)|co oznacza|stolic[aą]|różnica między|liczba mnoga)|\bjak (działa|zrobić|napisać|powiedzieć|się (mówi|pisze|robi))|\b(jak długo|ile|kiedy|gdzie) (zwykle |zazwyczaj )?\w+ się\b|co słychać|jak leci",
    r"(açıkla|çevir|ne demek|nedir\b|nasıl (çalışır|yapılır|denir)|başkenti)|(ما معنى|اشرح|ترجم|ما الفرق|عاصمة)|(समझाओ|अनुवाद|क्या होता है|का मतलब|राजधानी)",
    r"\b(leg uit|vertaal)\b|\bhoe (werkt|werken|maak je|zeg je|gaat het)\b|\bwat (is|zijn|betekent) (een|het verschil|de hoofdstad)\b",
    r"\bis it (normal|common|healthy) (that|to|for|when|if)\b|\bwhat helps\b|\bist es (normal|üblich|gesund),? (dass|wenn|zu)\b|\bwas hilft\b|\b(es|é) normal (que|tener|ter)\b|\b(est-ce|c'est) normal (que|de)\b|\bè normale (che|avere)\b|\b(qué ayuda|o que ajuda|cosa aiuta|wat helpt)\b|\bis het normaal\b|нормально ли|что помогает",
    r"(正常吗|正常嗎|有什么办法|普通ですか|に効く|정상인가요|정상이야)",
    r"(解释|解釋|翻译|翻譯|什么是|什麼是|是什么意思|怎么(写|说|做|用)|的首都|你好吗|(有|的)(什么|什麼|何)?(区别|區別|不同)|区别是)|(説明して|訳して|とは|という意味|英語で|の首都|の違い(は|って|を))|(설명해|번역|무슨 뜻|영어로|한국어로|이란|의 수도|차이(가|는|점))",
];

/// Orders to make something: what is needed for it, the search finds or the order says.
pub(super) const WORK: &[&str] = &[
    r"^(please |now |can you |could you |would you |will you |ok(ay)?,? )*(write|draft|compose|list|create|generate|tell me (a|about)|give me|name (a|one|two|three|four|five|six|\d)|make (it|this|that|them|these|those|me a|a)|turn (this|it|that)|put (a|an|it|this|that|them)|use (it|that|this|a)|keep (it|that|this)|change (it|that|this)|do (it|that|this|the same)|redo|reformat|format|try (again|it|that)|suggest|recommend|plan|correct|fix|help me|say|add|continue|go on|shorten|describe|imagine|show me how|compare|rewrite|implement|refactor|debug|book)\b|\bhow (do|can|could|should) i \w+ (a|an|the|my|this)? ?\w+( \w+)?\??$",
    r"^(bitte |kannst du |könntest du )*(schreib\w*|erstelle|nenne|gib mir|erzähl\w*|korrigiere|mach(e)? (das|es|mir)|fass|den text)\b|\bzusammenfassen\b",
    r"\b(template|vorlage|musterschreiben|generic|gen[eé]ric[oa]|générique|modelo de|standard)\b",
    r"^(por favor,? |puedes |podes |¿puedes )*(escribe|escreve|cria|crea|faz|haz|corrige|dame|dá-me|cuéntame|conta-me|nombra|resume|resumir|compara)\b",
    r"^(s'il te plaît,? |peux-tu |puoi |per favore,? )*(écris|rédige|donne-moi|raconte|fais|résume\w*|compare|corrige|scrivi|crea|dammi|racconta\w*|elenca|fai|riassum\w+|confronta|correggi)\b",
    r"^(proszę |możesz )*(napisz|wymyśl|stwórz|podaj|opowiedz|popraw|skróć|streść|porównaj|zrób (to|z tego)|dodaj)\b|^(lütfen )?(yaz|kısalt|düzelt|özetle|anlat)",
    r"^(пожалуйста,? )?(напиши|расскажи|сравни|исправь)|^(schrijf|vergelijk|geef me)\b|(帮我(写|做|画|翻)|写(一|首|个))|(書いて|作って|教えてください$)|(써 ?줘|만들어)",
];
