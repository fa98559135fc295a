"""The words that carry grammar rather than a subject, and those too general to be anybody's keyword."""


def words(text: str) -> frozenset[str]:
    """The words of a list that is written as a text."""
    return frozenset(text.split())


ENGLISH = words(
    """
    a about above across after again against ago all almost along already also although always am among an
    and another any anybody anyone anything anyway anywhere are aren't around as at away back be became
    because become becomes been before behind being below beneath beside besides best better between
    beyond both but by can can't cannot could couldn't despite did didn't do does doesn't doing don't done
    down due during each either else enough especially etc even ever every everybody everyone everything
    everywhere except few fewer for from further furthermore get gets getting give given gives go goes
    going gone got had hadn't hardly has hasn't have haven't having he he's hence her here hers herself
    him himself his how however i i'm if in indeed instead into is isn't it it's its itself just keep
    keeps kept least less let lets like likely likes lot made mainly make makes making many may maybe me
    might mine more moreover most mostly much must my myself near nearly neither never nevertheless no
    nobody none nor not nothing now nowhere of off often on once one ones only onto or other others
    otherwise our ours ourselves out over own per perhaps please put quite rather really said same say
    saying says see seem seemed seems seen several shall she should shouldn't since so some somebody
    someone something sometimes somewhat somewhere soon still such take taken takes than that that's the
    their theirs them themselves then there there's thereby therefore these they they're this those though
    through throughout thus to together too took toward towards twice under unless until up upon us use
    used uses using usually very via was wasn't we well were weren't what whatever when whenever where
    whereas whereby wherever whether which while who whoever whole whom whose why will with within without
    won't would wouldn't yes yet you your yours yourself yourselves
    """
)

GERMAN = words(
    """
    ab aber abermals alle allein allem allen aller allerdings alles als also alte am an andere anderem
    anderen anderer anderes anders auch auf aus außer außerdem bald bei beide beiden beim bereits
    besonders besser bevor bin bis bisher bislang bist bleiben bleibt bloß da dabei dadurch dafür dagegen
    daher dahin damals damit danach daneben dann daran darauf daraus darf darin darum darunter darüber das
    dass daß davon davor dazu dein deine dem demnach den denen denn dennoch der deren derselbe des deshalb
    dessen desto deswegen dich die dies diese dieselbe diesem diesen dieser dieses dir doch dort du durch
    durfte dürfen ebenfalls ebenso eher eigentlich ein eine einem einen einer eines einige einigem einigen
    einiger einiges einmal einst er erst erste ersten erster es etwa etwas euch euer eure fast ferner
    freilich früher für ganz ganze ganzen gar gegen gegenüber gemäß genau genug gern gerne geworden gibt
    ging gut guten habe haben hast hat hatte hatten hätte hätten her heraus heute hier hin hinaus hinter
    hinzu ich ihm ihn ihnen ihr ihre ihrem ihren ihrer ihres im immer in indem infolge inmitten innerhalb
    ins inzwischen irgend ist ja je jede jedem jeden jeder jedes jedoch jemals jemand jene jenem jenen
    jener jenes jetzt jährlich kam kann kaum kein keine keinem keinen keiner keines knapp kommen kommt
    konnte konnten können könnte könnten künftig lange lassen lässt ließ letzte letzten letztlich lieber
    liegen liegt macht machen man manche manchem manchen mancher manches manchmal mancherorts mehr mehrere
    mehreren mein meine meist meiste meisten mich mir mit mittlerweile mochte muss musste mussten muß
    müssen möchte mögen möglich nach nachdem nahe nahezu neben nein nicht nichts nie niemals niemand nimmt
    nirgendwo noch nun nur ob oben oberhalb obwohl oder oft ohne rund samt schon sehr sei seien sein seine
    seinem seinen seiner seines seit seitdem selbst sich sie sind so sobald sodass sofort sogar solange
    solche solchem solchen solcher soll sollen sollte sollten somit sondern sonst soviel soweit sowie
    sowohl statt stets tatsächlich teils trotz trotzdem tun tut um und ungefähr uns unser unsere unseren
    unserer unter unterhalb usw viel viele vielem vielen vieler vielleicht vom von vor vorher vorüber
    wahrscheinlich wann war waren warum was weder wegen weil weit weiter weitere weiteren weiterer
    weiteres weiterhin welche welchem welchen welcher welches wem wen wenig wenige wenigen weniger
    wenigstens wenn wer werde werden wessen weshalb wie wieder wieso wieviel will wir wird wirklich wo
    wobei wodurch wofür woher wohin wohl wollen wollte womit woran worden worin wurde wurden während
    währenddessen wäre wären würde würden zu zudem zugleich zuletzt zum zumal zunächst zur zurück zusammen
    zuvor zwar zwischen
    """
)

ENGLISH_GENERAL = words(
    """
    able add adding allow amount answer appear area ask asked aspect average bad basis become begin
    beginning begins big billion bring brings brought call called came case cause certain chance change
    choice clear close come comes coming common complete condition consider contain cost costs couple
    course current daily date day days deal decade decades degree degrees describe described detail
    develop difference different difficult direct doubt early easily easy effect eight eighty end ends
    entire equal equivalent euro euros example exist expect expected experience explain extent extreme
    face fact factor fall falls far fast feature feel felt fifteen fifth fifty figure figures final find
    finds first five follow following form forty forget forgotten former found four fourth free frequent
    full gain general gave go good grand great greater greatest group grow grows half hand happen happened
    hard harder held help helped helps hence high higher highest hold hour hours huge hundred hundreds
    idea important improvement include including increase issue item keeping kept key kilometre kilometres
    kind knew know known knows lack large larger largest last late later latter lead leads learn leave led
    left length less level levels lie lies life line list little live lives local long longer look looks
    lose lost low lower lowest main major man manner matter matters mean means measure measured meet
    member metre metres middle million millions minute minutes modern moment month months morning move
    moved name named need needed needs new next night nights nine noon normal note number numbers obvious
    offer old older open opened order ordinary original overall paid pair part particular parts past pay
    people percent perfect period person persons place places plain plan plans point points poor possible
    present probably problem problems process produce provide provided question quick quickly quiet quote
    raise range rare rarely reach reached real reason recent regular relative remain remains report
    reports require required respect rest result results return right rise rises role run runs second
    seconds seldom send sense serious serve set seven seventy shape short show shown shows side similar
    simple simply single sit situation six sixty size slightly slow slowly small smaller sort square stand
    start started state stay stays step stop story strong subject success sudden suggest sum sure
    surprising tell ten tend tenth tenths term test tests thing things think third thirty thousand
    thousands three times time today told tomorrow tonight total tried try turn turned twelve twenty two
    type unit usual value various view want way ways week weeks went wide widely word words work worked
    works world worse worst worth write wrong year years yesterday young zero afternoon evening summer
    winter spring autumn january february march april june july august september october november december
    monday tuesday wednesday thursday friday saturday sunday article study studies author research
    """
)

GERMAN_GENERAL = words(
    """
    abend abschnitt ahnung anfang angabe anteil antwort anzahl art artikel aufgabe auge augen ausdruck
    ausnahme autor bedarf bedeutung beginn beispiel bereich bericht betrag blick cent ding dinge drittel
    eindruck ende ergebnis euro fall form frage folge freitag gebiet gefühl gegensatz gegenteil grad grund
    gruppe größe hand hälfte hektar hundert idee jahr jahre jahren jahrhundert jahrtausend jahrzehnt
    januar februar märz april mai juni juli august september oktober november dezember kilometer leben
    leute liter lösung mal mann mark menge mensch menschen meter million millionen milliarde milliarden
    minute mitte mittag moment monat montag morgen möglichkeit name nacht neuen neue neues nummer objekt
    ort paar person personen platz problem prozent punkt quadratmeter rahmen raum reihe richtung rolle
    sache samstag schritt seite sekunde sinn situation sommer sonntag stelle stunde stück stufe tag tage
    tagen tausend teil tonne tonnen typ uhr umstand unterschied ursache viertel vergleich verfahren weg
    weile weise welt wert winter woche wort worte zahl zehntel zeit zeitpunkt ziel zimmer zustand zweck
    zweifel zehntausend jahrtausende jahrhunderte jahrzehnte menge blick frau männer frauen fachleute
    zentimeter millimeter dezimeter
    """
)
