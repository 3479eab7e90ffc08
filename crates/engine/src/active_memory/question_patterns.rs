//! What a question looks like in which somebody may ask for something of their own without a word of the past: "how fast do
//! I listen to podcasts?". Word boundaries are those of ASCII: a word that begins or ends in another letter stands without.

/// The form of a question.
pub(super) const ASKS: &[&str] = &[
    r"[?？]",
    r"(^|[.,!:;] |[-–] )(ok(ay)? |so |and |but |then |hey )*(what|which|who|whom|whose|where|when|why|how|until when|since when|at what|by what|in what|on what|in which|on which|from how)('s|'re)? ",
    r"^(ok(ay)? |so |and |but |then |hey )*(is|are|am|was|were|do|does|did|can|could|should|shall|may|will|would|have|has|had) \w+ \w+",
    r"(^|[.,!:;] )(und |aber |also |dann )*(wer|wem|wen|wessen|was|wann|wo|wohin|woher|wie|warum|wieso|welche[nrsm]?|(bis|seit|ab|von|zu|bei|mit|um) (wann|wem|wie viel)|darf ich|kann ich|muss ich|soll ich|haben wir|hatten wir)\b",
    r"(^|[.,!:;] )(y |e |et |ma |mas |pero |mais )*(qué|cuál|quién|cuándo|dónde|cómo|cuánto|quem|qual|quais|quando|onde|como|quanto|o que|qui|quel(le)?s?|quand|où|comment|combien|pourquoi|est-ce que|qu'est-ce|chi|quale|quali|dove|cosa|quanto|perché) ",
    r"^(а |и |так )*(кто|кому|что|когда|где|куда|откуда|как|какой|какая|какое|какие|какую|сколько|почему|зачем|чей|можно ли)( |$)",
    r"^(en |maar |dus )*(wie|wat|waar|wanneer|welke?|hoe|waarom|vanaf wanneer|tot wanneer) ",
    r"(什么|什麼|哪|谁|誰|几(点|號|号|天|月|个|時)|多少|怎么|怎麼|为什么|為什麼|吗|嗎|还是.{0,8}$)",
    r"(何|どこ|いつ|誰|だれ|どの|どれ|どう|いくら|いくつ|なぜ|ですか|ますか|でしたか|いいかな|んだっけ|の？)",
    r"(뭐|뭘|무엇|어디|언제|누구|누가|몇|얼마|어느|어떤|어떻게|왜|(니|까|지|나|해|어|야)\?)",
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
    r"我|咱|私|僕|俺|うち|(^|[ ,])(나|내|내가|제|저|제가|우리|저희)(는|은|도|의|가|를)?[ ,]",
];

/// Questions about the world, and work on words that are given: no memory helps there.
pub(super) const WORLD: &[&str] = &[
    r"\b(explain|define|translate|summari[sz]e|rephrase|proofread|convert|calculate)\b",
    r"\bwhat('s| is| are| was| were)? (a|an|the (capital|difference|weather|meaning|population|speed|distance|plural|past tense|formula|best way|point of|height of|temperature|time in)|some|good|common|typical)\b|\bwhat('s| is) [\w-]+( in \w+)?\??$|\bwhat does ['\x22“‘«]|\bwhat does ([\w-]+|.{0,20} word .{1,24}) (mean|stand for)|\bwhat (happens|happened) (when|if|in the world|in \d)|\bwhat did [a-z]+ (say|think|write) about\b",
    r"\bhow (do|does|did|can|could) (people|you|one|they|a|an|[\w ]{0,24}(work|function|happen|form|grow|fly|sleep))\b|\bhow (far|big|old|tall|heavy|deep|long|fast|hot|cold) (is|are) the (moon|sun|earth|universe|sea|sky|world)\b|\bhow many \w+ (are|is) (there )?in (a|an|one|the)\b",
    r"\bwhy (do|does|is|are) (people|the sky|a|an|\w+) (\w+ ){1,2}\w+( (over|in|at|from) \w+)?\??$|\bdo \w+s \w+\??$|\bdo you (like|have|know|think|prefer|dream|feel)\b|\bhow are you\b",
    r"\bwho (is|was|are|were) (the|a) (current |first |last )?(president|king|queen|prime minister|chancellor|mayor|ceo|author|inventor|founder|pope)\b|\bwho (composed|wrote|invented|discovered|painted|directed|founded|won)\b|\bwhen (was|were|did) .{0,40}\b(built|invented|born|founded|discovered|published|released|die|died)\b",
    r"\bwhich is (better|faster|bigger|best)\b|\b(this error|exception|traceback|stack trace|null pointer|segfault|this code|this function|regex)\b",
    r"\b(erklär\w*|übersetz\w*|definier\w*|vergleiche)\b|\bwie (funktioniert|funktionieren|macht man|kocht man|schreibt man|sagt man|heißt .{1,24} auf|geht's)\b|\bwas (ist|sind|bedeutet|heißt) (ein|eine|die hauptstadt|der unterschied|[\w-]+\??$)",
    r"\b(expl[ií]ca(me|lo|-me)?|traduce|traduz|define)\b|\bc[óo]mo (funciona|se (dice|diz|hace|faz|escribe|escreve|llama)|est[áa]s)|\b(qué|que|cu[áa]l|qual)( es| é)? (un|una|um|uma|la capital|a capital|la diferencia|a diferença)\b|\b(qué|o que) (significa|quer dizer)\b|qué tal|tudo bem",
    r"\b(explique\w*|traduis|traduisez|définis)\b|\bc'est quoi\b|\bqu'est-ce qu(e c'est|'un|e signifie)|\bcomment (fonctionne|ça marche|fait-on|dit-on|on dit|faire)\b|\bquelle est la (capitale|différence)|ça va",
    r"\b(spiega\w*|traduci|definisci)\b|\bcome (funziona|si (dice|fa|scrive|chiama)|stai)\b|\bche cos'è\b|\bcosa (significa|vuol dire)\b|\bqual è la (capitale|differenza)",
    r"(объясни|переведи|что такое|что значит|как (работает|сделать|написать|сказать|дела))",
    r"\b(leg uit|vertaal)\b|\bhoe (werkt|werken|maak je|zeg je|gaat het)\b|\bwat (is|zijn|betekent) (een|het verschil|de hoofdstad)\b",
    r"\bis it (normal|common|healthy) (that|to|for|when|if)\b|\bwhat helps\b|\bist es (normal|üblich|gesund),? (dass|wenn|zu)\b|\bwas hilft\b|\b(es|é) normal (que|tener|ter)\b|\b(est-ce|c'est) normal (que|de)\b|\bè normale (che|avere)\b|\b(qué ayuda|o que ajuda|cosa aiuta|wat helpt)\b|\bis het normaal\b|нормально ли|что помогает",
    r"(正常吗|正常嗎|有什么办法|普通ですか|に効く|정상인가요|정상이야)",
    r"(解释|解釋|翻译|翻譯|什么是|什麼是|是什么意思|怎么(写|说|做|用)|的首都|你好吗)|(説明して|訳して|とは|という意味|英語で|の首都)|(설명해|번역|무슨 뜻|영어로|한국어로|이란|의 수도)",
];

/// Orders to make something: what is needed for it, the search finds or the order says.
pub(super) const WORK: &[&str] = &[
    r"^(please |now |can you |could you |would you |will you |ok(ay)?,? )*(write|draft|compose|list|create|generate|tell me (a|about)|give me|name (a|one|two|three|four|five|six|\d)|make (it|this|me a|a)|turn (this|it)|suggest|recommend|plan|correct|fix|help me|say|add|continue|go on|shorten|describe|imagine|show me how|compare|rewrite|implement|refactor|debug|book)\b|\bhow (do|can|could|should) i \w+ (a|an|the|my|this)? ?\w+( \w+)?\??$",
    r"^(bitte |kannst du |könntest du )*(schreib\w*|erstelle|nenne|gib mir|erzähl\w*|korrigiere|mach(e)? (das|es|mir)|fass|den text)\b|\bzusammenfassen\b",
    r"^(por favor,? |puedes |podes |¿puedes )*(escribe|escreve|cria|crea|faz|haz|corrige|dame|dá-me|cuéntame|conta-me|nombra|resume|resumir|compara)\b",
    r"^(s'il te plaît,? |peux-tu |puoi |per favore,? )*(écris|rédige|donne-moi|raconte|fais|résume\w*|compare|corrige|scrivi|crea|dammi|racconta\w*|elenca|fai|riassum\w+|confronta|correggi)\b",
    r"^(пожалуйста,? )?(напиши|расскажи|сравни|исправь)|^(schrijf|vergelijk|geef me)\b|(帮我(写|做|画|翻)|写(一|首|个))|(書いて|作って|教えてください$)|(써 ?줘|만들어)",
];
