//! Words that say of a sentence that it states something to remember: a pattern a language, most telling kind first (M5).

use super::Category;

/// Patterns are matched on one sentence, without regard to case.
pub(super) const SIGNS: &[(Category, &str)] = &[
    (
        Category::Decision,
        concat!(
            r"\b(we|i|they|team)( have|'ve|'ll)?( all)? (just |finally |already )?(decided|agreed|settled on|chose|opted|will (use|go with|switch|move|stick)|are going (with|to use)|'re going with)\b",
            r"|\bthe (decision|plan) is\b|\bdecision:|\blet'?s (go with|use|stick (to|with))\b|\bfrom now on,? we\b",
            r"|\b(decidimos|decidi|ficou decidido|combin[aá]mos|concordamos|acordamos|acord[ée]|hemos decidido|optamos|vamos (usar|adotar|ficar com|a usar)|a partir de agora (usamos|vamos))\b",
            r"|\b(wir (haben (uns )?(beschlossen|entschieden|vereinbart|geeinigt)|nehmen (jetzt|ab sofort)|bleiben bei)|beschlossen:|haben (uns )?(dafür )?(entschieden|geeinigt)|entschieden (uns|haben))",
            r"|\b(on a décidé|nous avons (décidé|convenu|choisi)|j'ai décidé|abbiamo deciso|ho deciso|we hebben (besloten|afgesproken)|rozhodli jsme|rozhodl jsem|dohodli jsme)\b",
            r"|(мы|я) решил|договорились|决定(了|用|采用|要|把|不)?|決定(了|要|用)|说好了|商量好|就用|決めた|決まった|ことにし(た|ました)|で合意|결정했|정했(어|다|습니다)|하기로 (했|결정|합의)",
        ),
    ),
    (
        Category::Preference,
        concat!(
            r"\bi('d| would| really| usually| always| generally| absolutely| just)* ?(prefer|like|love|enjoy|hate|dislike|adore|can'?t stand|don'?t (like|want|eat|drink|enjoy))\b",
            r"|\bmy (favou?rite|preferred)\b|\b(he|she|my (wife|husband|son|daughter|mother|father|partner|boss|dog|cat)) (prefers|likes|loves|hates|dislikes)\b",
            r"|\b(never|always|please (always|never|don'?t)|don'?t ever|stop) (\w+ ){0,2}(call|book|use|send|schedule|write|answer|reply|put|wake|order|add|ask|mention|remind|give|keep|format|translate|explain|deploy|commit|push)",
            r"|\bkeep (it|your answers|answers|replies) (short|brief|simple|formal)",
            r"|\b(eu )?(prefiro|adoro|odeio|detesto|gosto (muito |mais )?de|não gosto|nao gosto|não suporto|(o |a )?m(eu|inha) \w+ (favorit|preferid)|prefere|(yo )?prefiero|me (gusta|encanta|molesta)|no me gusta|odio|mi \w+ (favorit|preferid))",
            r"|\bich (mag|liebe|hasse|bevorzuge|trinke (nur|keinen)|esse (nur|kein)|möchte (lieber|nie|immer|keine?)|will (lieber|nie|immer|keine?)|kann \w+ nicht (leiden|ausstehen))|\bmein\w* lieblings|\bam liebsten\b|\blieber (als|nicht|ohne|mit)\b|\bmir (gefällt|schmeckt)",
            r"|\b(je (préfère|déteste|n'aime pas|adore)|j'(aime|adore)|mon \w+ préféré|ma \w+ préférée|preferisco|mi piace|non mi piace|adoro|ik (hou van|haat|wil liever|vind .{1,30} (lekker|fijn|leuk|vervelend)|heb liever)|mám rád|nemám rád|nesnáším|preferuji|radši|nechci)\b",
            r"|\b(أحب|أكره)\b|(я|мне|мой|моя) (люблю|не люблю|предпочитаю|ненавижу|нравится|не нравится|любим)|предпочитаю|我(最|很|更|比较|比較|也|真的|特别|不太|不)?(喜欢|喜歡|讨厌|討厭|爱|愛|偏好|想要|习惯|習慣|吃不了|不吃|不喝)|(が|は)(大)?(好き|嫌い|苦手)|のほうが(いい|好き)|(좋아(해|합|하)|싫어(해|합|하)|선호|못 먹)",
        ),
    ),
    (
        Category::Entity,
        concat!(
            r"\+\d[\d \-().]{7,}\d|\b[\w.+-]+@[\w-]+\.[\w.]{2,}\b",
            r"|\b(my|our|his|her|\w+'s) ((new|old|home|work|mobile|cell|current) )?(name|phone( number)?|number|address|e-?mail|birthday|passport|licen[cs]e plate|account|username|surname|employer|doctor|dentist|landlord|boss|flat|pin|gate code|wifi|nickname)\b.{0,30}\b(is|=|are|was|:)",
            r"|\b(my|our) (\w+ )?(wife|husband|son|daughter|mother|father|brother|sister|partner|dog|cat|boss|colleague|neighbou?r|friend|kids?|children)('s name)? (is (called|named)|is [A-Z]|are [A-Z]|, )|\bis called [A-Z]|\b(i live|i work|i was born|we live|i'm from|i am from|i study) (in|at|on|for|as|near)\b",
            r"|\b(o |a |el |la )?(meu|minha|nosso|nossa|mi|nuestr[oa]) (\w+ )?(nome|telefone|número|morada|endereço|aniversário|e-?mail|nombre|teléfono|dirección|cumpleaños|mulher|marido|filh[oa]|mãe|pai|irmão|irmã|namorad[oa]|noiv[oa]|amig[oa]|vizinh[oa]|avó|avô|esposa|hij[oa]|madre|padre|herman[oa]|novi[oa]|vecin[oa]|abuel[oa]|cão|cachorr[oa]|gat[oa]|perr[oa]|chefe|jef[ea]|médic[oa]|dentista)\b.{0,30}(é|chama|es|se llama|:)",
            r"|\b(moro|vivo|trabalho|nasci|trabajo|nací) (em|en|na|no|para)\b|\bchamo-me\b|\bme chamo\b|\bme llamo\b|\b(ich heiße|ich wohne|ich arbeite (bei|als|in)|je m'appelle|j'habite|je travaille|mi chiamo|abito a|lavoro (a|per|come)|ik heet|ik woon|ik werk bij|jmenuji se|bydlím|pracuji)\b",
            r"|\b(mein|meine|unser|unsere) (\w+ )?(name|telefonnummer|nummer|adresse|geburtstag|frau|mann|sohn|tochter|mutter|vater|bruder|schwester|freund(in)?|partner(in)?|nachbar(in)?|oma|opa|hund|katze|kater|chef\w*|arzt|ärztin|vermieter\w*|zahnarzt|zahnärztin)\b.{0,30}(ist|heißt|heisst|:)",
            r"|\b(mon|ma|notre) (\w+ )?(nom|numéro|adresse|anniversaire|femme|mari|fils|fille|mère|père|frère|sœur|soeur|copine|copain|compagne|compagnon|amie?|voisine?|chien|chat|médecin|dentiste|patronne?)\b.{0,30}(est|s'appelle|:)|\b(mio|mia) (\w+ )?(nome|numero|indirizzo|compleanno|moglie|marito|figli[oa]|fratello|sorella|madre|padre|fidanzat[oa]|amic[oa]|cane|gatto|medico|capo)\b.{0,20}(è|si chiama|:)",
            r"|(меня зовут|я живу|я работаю|мой (телефон|адрес|номер|сын|муж|брат|отец|папа|друг|начальник|врач)|моя (жена|дочь|сестра|мать|мама|подруга|начальница))|\bмо(ю|его|их|ему|ей) \w+ зовут\b|\b(اسمي|اسم (أختي|أخي|زوجتي|زوجي|ابني|ابنتي|أمي|أبي|صديقي|صديقتي|مديري|طبيبي|كلبي|قطتي)|أعيش في|أسكن في|أعمل (في|لدى)|ولدت في)\b|我(叫|的名字|住在|在.{1,12}工作|的(电话|電話|手机|地址|生日|妻子|太太|老婆|丈夫|儿子|兒子|女儿|女兒|医生|老板|狗|猫|邮箱))|(私|僕)の(名前|電話|住所|誕生日|妻|夫|息子|娘|上司|犬|猫)|に住んで(い|る)|で働いて|と申します|(제|내) (이름|전화|주소|생일|아내|남편|아들|딸|상사)|에 살(아|고|아요)|에서 일(해|하)",
        ),
    ),
    (
        Category::Other,
        concat!(
            r"\b(remember|don'?t forget|keep in mind|note (to self|that|down)|make a note|for (the record|future reference)|fyi|remind me|take note|memori[sz]e|write (this |that |it )?down)\b",
            r"|\b(lembra(-te|-se)?|lembre(-se)?|não (te )?esque[çc]as?|nao esquece|anota|toma nota|recuerda|no (te )?olvides|apunta|ten en cuenta|tem em conta|guarda (isto|isso|que))\b",
            r"|\b(merk(e)? dir|vergiss nicht|denk(e)? (daran|dran)|notier|behalte|schreib (dir )?(das )?auf|souviens-toi|rappelle-toi|n'oublie pas|note (que|bien)|retiens|ricorda(ti)?|non dimenticare|annota|onthoud|vergeet niet|noteer|pamatuj|zapamatuj|nezapomeň|zapiš)\b",
            r"|تذكر أن|لا تنس|запомни|не забудь|учти|记住|記住|记得|記得|别忘了|別忘了|记一下|記一下|覚えて(おいて|ね|て)|忘れないで|メモして|기억해|잊지 ?마|메모해",
        ),
    ),
    (
        Category::Fact,
        concat!(
            r"\b(is|are) (always|never|important|allergic|vegan|vegetarian|diabetic)\b|\bimportant:|\b(i'm|i am|he'?s|she'?s|he is|she is|\w+ is) (allergic|vegan|vegetarian|diabetic|intolerant|pregnant|left-handed|colou?r-?blind|retired)\b",
            r"|\bi (always|never|usually|need|want|can'?t|cannot|have to|must)\b|\bi'?ve (got|been)\b.{0,40}\b(allerg|diabet|since)\b|\b(expires|is due|renews|closes|opens|starts|ends) (on|at|every)\b|\bour? (\w+ ){0,3}(runs|lives|is stored|is kept|is hosted|is located) (on|in|at|under)\b",
            r"|\b(sou|soy|é|es) (alérgic|vegan|vegetarian|diabétic)|\b(eu )?(sempre|nunca|preciso|necesito|siempre) \w+|\bimportante:|\bich (bin (allergisch|vegan|vegetarier|diabetiker)|brauche|muss (immer|jeden)|vertrage)|\bwichtig:|\bje suis (allergique|végétarien|végan)|\bj'ai (toujours )?besoin|\bsono (allergic|vegan|vegetarian)|\bik ben (allergisch|vegetari)|\bjsem (alergick|vegan|vegetari)",
            r"|у меня аллергия|важно:|я (всегда|никогда)|我对.{1,10}过敏|我對.{1,10}過敏|过敏|重要的是|アレルギー|重要[:：]|알레르기|중요한",
        ),
    ),
];
