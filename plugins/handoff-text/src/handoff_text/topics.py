"""Words by which common topics are known, for categories of which nothing but a name is given.

Each topic: the names it goes by in English and German, words that speak for it in English, and in German. A word
is here if a text that uses it several times is probably about the topic; words of many meanings are left out.
"""

from dataclasses import dataclass

from handoff_text.stopwords import words


@dataclass(frozen=True, slots=True)
class Topic:
    """`names`: what a category may be called; `seeds`: evidence for it, by language."""

    names: frozenset[str]
    seeds: dict[str, frozenset[str]]


def _topic(names: str, english: str, german: str) -> Topic:
    return Topic(words(names), {"en": words(english), "de": words(german)})


TOPICS = (
    _topic(
        "technology tech it software computing computer computers internet digital technik technologie "
        "edv informatik digitales digitalisierung programming programmierung ai ki gadgets",
        "algorithm android app apps artificial browser bug chip chips cloud code computer cpu cyber data "
        "database debugging developer developers device digital download encryption gadget google hacker "
        "hardware internet iphone javascript keyboard laptop linux microsoft network neural online "
        "password platform processor query release programmer programming python robot robots robotics "
        "semiconductor server servers smartphone software startup tech technology upload website wifi "
        "wireless",
        "algorithmus anwendung app apps browser chip chips cloud code computer cyberangriff daten "
        "datenbank digital digitalisierung entwickler download festplatte gerät hacker hardware "
        "halbleiter internet intelligenz künstlich laptop netzwerk online passwort plattform programm "
        "programmierer programmieren prozessor rechner roboter server smartphone software speicher "
        "technik technologie verschlüsselung webseite website",
    ),
    _topic(
        "science research wissenschaft forschung naturwissenschaft naturwissenschaften physics physik "
        "chemistry chemie biology biologie astronomy astronomie space raumfahrt weltraum",
        "asteroid astronomer astronomers astronomy atom atoms bacteria biologist biology cell cells "
        "chemical chemist chemistry dna electron evolution experiment experiments fossil galaxy gene "
        "genes genetic genome hypothesis laboratory microscope molecule molecules nasa nobel orbit "
        "particle particles photon physicist physicists physics planet protein quantum researcher "
        "researchers rocket satellite science scientific scientist scientists species spacecraft "
        "telescope theory universe",
        "asteroid astronom astronomie atom atome bakterien biologe biologie chemie chemiker dna elektron "
        "erbgut evolution experiment experimente forscher forscherin forscherinnen forschung fossil "
        "galaxie gen gene hypothese labor laboratorium messung messungen mikroskop molekül moleküle "
        "nobelpreis physik physiker planet protein quanten rakete raumsonde satellit satelliten species "
        "studie teilchen teleskop theorie universum weltraum wissenschaft wissenschaftler "
        "wissenschaftlerin wissenschaftlich zelle zellen",
    ),
    _topic(
        "health medicine medical healthcare wellness fitness gesundheit medizin pflege ernährung "
        "psychology psychologie",
        "allergy ambulance antibiotic antibiotics blood cancer clinic clinical cure depression diabetes "
        "diagnosis diagnosed disease diseases doctor doctors dose drug drugs epidemic health healthcare "
        "healthy heart hospital hospitals illness immune infection infections medical medication medicine "
        "medicines nurse nurses pain pandemic patient patients pharmacy physician pregnant psychiatric "
        "stroke surgeon surgery symptom symptoms therapy treatment tumor vaccination vaccine vaccines "
        "virus vitamin wound",
        "allergie antibiotika apotheke arznei arzneimittel arzt ärzte ärztin behandlung blut blutdruck "
        "chirurg diabetes diagnose epidemie erkrankung fieber gesund gesundheit grippe herz herzinfarkt "
        "hausarzt impfstoff impfung infektion klinik kliniken krank krankenhaus krankenhäuser "
        "krankenkasse krankheit krankheiten krebs medikament medikamente medizin mediziner operation "
        "patient patienten patientin pflege pfleger pandemie psyche schlaganfall schmerz schmerzen "
        "schwanger symptom symptome therapie tumor vitamin virus wunde",
    ),
    _topic(
        "politics political government policy politik regierung innenpolitik außenpolitik international "
        "world ausland inland elections wahlen",
        "ambassador ballot cabinet campaign candidate candidates chancellor coalition congress "
        "congressman conservative constituency constitution democracy democrat democratic democrats "
        "diplomacy diplomat diplomatic election elections electoral embassy government governments "
        "governor legislation legislature lawmaker lawmakers liberal mayor minister ministers ministry "
        "nato opposition parliament parliamentary party policy political politician politicians politics "
        "poll populist premier president presidential referendum republican republicans sanctions senate "
        "senator socialist treaty vote voted voter voters voting",
        "abgeordnete abgeordneter abstimmung afd außenminister außenpolitik botschafter bundeskanzler "
        "bundeskanzlerin bundespräsident bundesrat bundesregierung bundestag bürgermeister cdu csu "
        "demokratie demokratisch diplomat diplomatie fdp fraktion gesetzentwurf grünen innenminister "
        "kabinett kandidat kandidatin kanzler kanzlerin koalition kommunalwahl konservative landtag "
        "minister ministerin ministerium ministerpräsident nato opposition parlament partei parteien "
        "parteitag politik politiker politikerin politisch präsident präsidentin referendum regierung "
        "regierungen sanktionen senat spd staatschef stimmen umfrage verfassung vertrag volksabstimmung "
        "wahl wahlen wahlkampf wähler",
    ),
    _topic(
        "business economy economics finance finances financial markets money banking investing wirtschaft "
        "finanzen börse handel unternehmen geld ökonomie konjunktur companies industry industrie",
        "acquisition bank banker bankers banking bankrupt bankruptcy bond bonds brand budget ceo "
        "commodity company companies consumer consumers corporate corporation credit currency customer "
        "customers debt dividend dollar earnings economic economist economists economy employer employers "
        "entrepreneur export exports finance financial firm firms fiscal fund funds gdp income industry "
        "inflation invest investment investor investors lender loan loans manufacturer market markets "
        "merger mortgage profit profits recession retail retailer revenue revenues salary sales "
        "shareholder shareholders shares stock stocks supplier tariff tariffs tax taxes trade trader "
        "trading wage wages",
        "aktie aktien aktienmarkt aktionär anleger anleihe arbeitgeber arbeitslosigkeit bank banken "
        "betrieb betriebe bilanz börse budget dividende dollar einkommen ertrag export exporte fabrik "
        "filiale finanzen finanziell finanzminister firma firmen fonds gehalt geschäft gewinn gewinne "
        "haushalt hersteller import inflation insolvenz investition investitionen investor investoren "
        "kapital kaufkraft konjunktur konzern kredit kredite kunde kunden leitzins lieferkette lohn löhne "
        "markt märkte marke notenbank ökonom ökonomen preis preise rezession schulden steuer steuern "
        "tarif umsatz umsätze unternehmen unternehmer verbraucher verlust währung wachstum wirtschaft "
        "zentralbank zins zinsen zölle",
    ),
    _topic(
        "sport sports athletics football soccer fußball basketball tennis olympics olympia leichtathletik",
        "athlete athletes athletics ball baseball basketball bundesliga champion champions championship "
        "coach cricket cup cyclist defeat defender derby fans fifa final football footballer goal "
        "goalkeeper goals golf halftime hockey innings league marathon match matches medal medals "
        "midfielder olympic olympics penalty pitch player players quarterfinal quarterback racket referee "
        "rugby runner season semifinal ski soccer sport sports sprint stadium striker swimmer team teams "
        "teammate tennis tournament trophy wicket winger",
        "abpfiff athlet athletin auswärtsspiel ball bundesliga championsleague elfmeter endspiel fans "
        "finale fußball fußballer gegner halbfinale halbzeit handball heimspiel kader kicker "
        "leichtathletik liga mannschaft marathon medaille medaillen meister meisterschaft mittelfeld "
        "nationalmannschaft niederlage olympia olympisch pokal profi rennen saison schiedsrichter sieg "
        "siege spiel spieler spielerin spieltag sport sportler sportlerin stadion stürmer tabelle team "
        "tennis tor tore torwart trainer trainerin training turnier verein weltmeister weltmeisterschaft "
        "wettkampf wm",
    ),
    _topic(
        "culture arts art entertainment music film movies literature books theatre theater kultur kunst "
        "unterhaltung musik kino literatur bücher feuilleton medien media celebrity",
        "actor actors actress album architecture art artist artists audience author ballet band "
        "bestseller book books celebrity cinema composer concert culture cultural dancer director drama "
        "exhibition fashion festival fiction film filmmaker films gallery genre guitar hollywood literary "
        "literature lyrics melody movie movies museum museums music musical musician musicians novel "
        "novelist novels opera orchestra painter painting paintings photographer poem poet poetry pop "
        "sculpture singer song songs sculptor soundtrack stage theater theatre writer",
        "album architektur aufführung ausstellung ausstellungen autorin ballett band bestseller bild "
        "bilder buch bücher bühne dichter dirigent drama festival film filme filmfestival fotograf "
        "galerie gedicht gedichte gemälde gitarre inszenierung kino komponist konzert konzerte kultur "
        "kulturell kunst künstler künstlerin künstlerinnen kunstwerk leser lied lieder literatur lyrik "
        "maler malerei melodie mode museum museen musik musiker musikerin oper orchester premiere "
        "publikum regisseur regisseurin roman romane sänger sängerin schauspieler schauspielerin "
        "schriftsteller schriftstellerin skulptur theater verlag",
    ),
    _topic(
        "environment environmental climate nature ecology sustainability conservation weather umwelt "
        "klima klimaschutz klimawandel umweltschutz natur naturschutz ökologie nachhaltigkeit wetter "
        "biodiversity",
        "adaptation biodiversity carbon climate conservation deforestation drought droughts ecological "
        "ecology ecosystem ecosystems emission emissions endangered environment environmental flood "
        "floods forest forests fossil glacier greenhouse habitat habitats heat heatwave heatwaves "
        "hurricane landfill nature ocean oceans ozone plastic pollution rainfall rainforest recycling "
        "reef renewable river rivers soil species storm sustainability sustainable temperature "
        "temperatures tree trees vegetation warming waste wetland wetlands wildfire wildfires wildlife",
        "abgase abfall artenschutz artenvielfalt biodiversität co2 dürre emission emissionen erderwärmung "
        "erwärmung fluss flüsse gewässer gletscher hitzewelle hochmoor hochwasser klima klimaschutz "
        "klimawandel kohlendioxid kohlenstoff lebensraum luftverschmutzung meer meere methan moor moore "
        "müll nachhaltig nachhaltigkeit naturschutz ökologie ökologisch ökosystem ökosysteme ozean "
        "plastik recycling renaturierung schadstoffe starkregen sturm temperatur temperaturen torf "
        "treibhausgas treibhausgase tierarten überschwemmung umwelt umweltschutz vegetation verschmutzung "
        "wald wälder wasserstand wiedervernässung wildnis",
    ),
    _topic(
        "education school schools university learning teaching bildung schule schulen universität "
        "hochschule studium ausbildung lernen academia",
        "academic campus classroom classrooms college curriculum degree diploma education educational "
        "educator essay exam examination examinations exams faculty graduate graduates homework "
        "kindergarten learn learning lecture lecturer lesson lessons literacy preschool professor pupil "
        "pupils scholarship school schools schooling seminar student students syllabus teach teacher "
        "teachers teaching textbook tuition tutor undergraduate university universities",
        "abitur abiturient absolvent akademisch ausbildung azubi bildung bildungspolitik dozent fakultät "
        "gymnasium grundschule hausaufgaben hochschule hochschulen hörsaal klassenzimmer kindergarten "
        "kita kitas klausur lehrer lehrerin lehrerinnen lehrkraft lehrkräfte lehrling lehrplan lernen "
        "noten pädagoge pädagogik prüfung prüfungen referendar schule schulen schüler schülerin "
        "schülerinnen schulleiter semester seminar stipendium student studenten studentin studierende "
        "studium universität universitäten unterricht vorlesung zeugnis",
    ),
    _topic(
        "travel tourism holidays vacation reisen reise tourismus urlaub destinations",
        "airline airlines airport backpack backpacker beach beaches booking cruise destination "
        "destinations excursion flight flights guesthouse guidebook hike hiking holiday holidays hostel "
        "hotel hotels island itinerary journey landmark luggage passport resort resorts sightseeing "
        "souvenir suitcase tour tourism tourist tourists travel traveler travelers traveller travellers "
        "traveling trip trips vacation visa",
        "abreise airline anreise ausflug ausflüge buchung campingplatz ferien ferienwohnung fernreise "
        "flug flüge flughafen gepäck hotel hotels insel inseln jugendherberge koffer kreuzfahrt "
        "pauschalreise pension reise reisebüro reisen reiseführer reisende reiseziel rucksack "
        "sehenswürdigkeit sehenswürdigkeiten strand strände tourismus tourist touristen übernachtung "
        "unterkunft urlaub urlauber urlaubsziel visum wandern wanderung wanderweg",
    ),
    _topic(
        "law legal justice crime court recht justiz kriminalität gericht jura strafrecht police polizei "
        "rechtliches",
        "acquitted appeal arrest arrested attorney attorneys contract convicted conviction copyright "
        "court courts crime crimes criminal defendant defendants detective evidence felony fraud guilty "
        "illegal indictment inmate judge judges judicial jury justice law laws lawsuit lawyer lawyers "
        "legal liability litigation murder offence offense plaintiff plaintiffs police prison prosecution "
        "prosecutor prosecutors robbery sentenced statute sued suspect suspects testimony theft trial "
        "tribunal verdict victim witness witnesses",
        "angeklagte angeklagter anklage anwalt anwälte anwältin berufung beschuldigte beweis beweise "
        "betrug bundesgerichtshof bundesverfassungsgericht diebstahl einbruch ermittler ermittlung "
        "ermittlungen festnahme festgenommen freispruch gefängnis gericht gerichte gerichtshof gesetz "
        "gesetze haft haftbefehl haftstrafe justiz klage kläger klägerin kriminalität kriminalpolizei "
        "landgericht mord paragraf paragraph polizei polizisten prozess recht rechtsanwalt rechtlich "
        "revision richter richterin richterinnen staatsanwalt staatsanwaltschaft strafe straftat "
        "straftaten täter tatverdächtige urteil verbrechen verdächtige verhandlung verteidiger verurteilt "
        "zeuge zeugen",
    ),
    _topic(
        "food cooking recipes cuisine restaurants essen kochen rezepte küche genuss gastronomie drinks",
        "appetizer bake baked baking beer bread breakfast broth butter cake cheese chef chefs chocolate "
        "chopped cook cooked cooking cuisine culinary delicious dessert diner dinner dish dishes dough "
        "flavor flavour flour garlic gourmet grill grilled ingredient ingredients kitchen lunch meal "
        "meals menu oven pasta pepper recipe recipes restaurant restaurants roast salad salt sauce simmer "
        "snack soup spice spices spicy sugar taste tasty vegan vegetable vegetables vegetarian wine",
        "backen backofen bäcker bier braten brot brühe butter essen esslöffel fleisch frühstück gang "
        "gebäck gemüse gericht gerichte geschmack gewürz gewürze grillen käse knoblauch koch köche kochen "
        "köchin köstlich kuchen küche lebensmittel lecker mahlzeit mahlzeiten mehl menü mittagessen "
        "nachtisch nudeln ofen öl pfanne pfeffer rezept rezepte restaurant restaurants salat salz "
        "schokolade soße speise speisekarte speisen suppe teelöffel teig vegan vegetarisch wein weine "
        "zubereitung zucker zutat zutaten zwiebel zwiebeln",
    ),
    _topic(
        "energy energie power electricity strom energiewende renewables",
        "battery batteries biomass blackout coal electric electricity energy gas gasoline generator "
        "geothermal gigawatt grid hydrogen hydropower kilowatt megawatt nuclear oil photovoltaic pipeline "
        "reactor refinery renewable renewables solar turbine turbines utility voltage watt wind",
        "akku atomkraft atomkraftwerk batterie batterien biogas blackout braunkohle brennstoff "
        "elektrizität energie energiewende erdgas erdöl erneuerbar gaspreis gigawatt kernkraft "
        "kilowattstunde kohle kohlekraftwerk kraftwerk kraftwerke megawatt netzbetreiber photovoltaik "
        "reaktor solaranlage solarenergie strom stromnetz strompreis stromspeicher turbine wärmepumpe "
        "wärmepumpen wasserkraft wasserstoff watt windenergie windkraft windpark windrad windräder",
    ),
    _topic(
        "transport transportation traffic mobility cars automotive verkehr mobilität auto autos bahn "
        "automobil",
        "aircraft bicycle bicycles bike bikes bus buses car cars commuter commuters congestion cyclists "
        "driver drivers driving engine ferry freight highway lane lorry metro motorcycle motorist "
        "motorists motorway passenger passengers pedestrian pedestrians railway railways ride "
        "road roads shipping subway taxi traffic train trains tram tramway transit transport "
        "transportation truck trucks vehicle vehicles",
        "auto autobahn autos autofahrer bahn bahnhof bahnhöfe bus busse elektroauto elektroautos fähre "
        "fahrer fahrgast fahrgäste fahrplan fahrrad fahrräder fahrzeug fahrzeuge führerschein fußgänger "
        "güterverkehr haltestelle kraftfahrzeug lastwagen lkw mobilität motor motorrad nahverkehr "
        "parkplatz pendler pkw radfahrer radweg radwege schiene schienen stau staus straße straßen "
        "straßenbahn tempolimit ticket u-bahn verkehr verkehrsmittel wagen zug züge",
    ),
    _topic(
        "city cities urban planning housing architecture construction real estate realestate property "
        "stadt städte stadtplanung städtebau bauen wohnen immobilien architektur",
        "apartment apartments architect architects asphalt block boulevard building buildings city cities "
        "concrete construction developer district districts downtown dwelling façade flats homes house "
        "houses housing infrastructure landlord municipal municipality neighborhood neighborhoods "
        "neighbourhood neighbourhoods pavement pavements pedestrian pedestrians plaza property rent rents "
        "roof roofs sewer shade skyscraper street streets suburb suburbs tenant tenants tower town towns "
        "urban zoning",
        "altbau architekt architektin architekten bauherr baustelle bebauung bezirk bürgersteig dach "
        "dächer eigentümer fassade gebäude gehweg grundstück haus häuser hochhaus immobilie immobilien "
        "infrastruktur innenstadt kommune kommunen miete mieten mieter mieterin neubau neubauten quartier "
        "rathaus sanierung siedlung stadt städte städtebau städtisch stadtplanung stadtteil stadtviertel "
        "vermieter vorort wohnhaus wohnraum wohnung wohnungen wohnungsbau",
    ),
    _topic(
        "agriculture farming farm landwirtschaft agrar bauern agrarpolitik",
        "acre acres agricultural agriculture barley barn cattle cow cows crop crops dairy farm farmer "
        "farmers farming farmland fertiliser fertilizer grain harvest harvested harvests hay hectare "
        "hectares herd irrigation livestock maize orchard organic pasture pesticide pesticides pig pigs "
        "plough poultry rice seed seeds sheep soy soybean tractor tractors wheat",
        "acker ackerbau äcker agrar bauer bauern bauernhof bewässerung bio dünger ernte felder feld "
        "futter getreide gülle hektar heu hof kartoffel kartoffeln kuh kühe landwirt landwirte landwirtin "
        "landwirtschaft landwirtschaftlich mais maisfeld mähdrescher milch milchkuh pestizid pestizide "
        "pflug rind rinder saatgut schafe schweine stall tierhaltung traktor traktoren vieh viehzucht "
        "weide weiden weizen wiese wiesen",
    ),
    _topic(
        "security military defence defense war conflict sicherheit militär verteidigung krieg bundeswehr",
        "airstrike ammunition armed army artillery attack attacks battalion battle bomb bombs casualties "
        "ceasefire combat commander conflict defence defense drone drones enemy explosion fighters "
        "frontline general hostage invasion militant militants military militia missile missiles navy "
        "offensive peacekeeping rebel rebels refugee refugees shelling siege soldier soldiers tank terror "
        "terrorism terrorist troops war warfare weapon weapons",
        "angriff angriffe armee artillerie attentat bomben bombe bundeswehr drohne drohnen einmarsch "
        "explosion feind flüchtling flüchtlinge front geisel general gefecht invasion kampf kämpfer "
        "kämpfe kaserne krieg kriege kriegsschiff luftangriff marine militär militärisch miliz munition "
        "offensive panzer rakete raketen rebellen rüstung soldat soldaten soldatin streitkräfte terror "
        "terrorismus terrorist truppe truppen verteidigung waffe waffen waffenruhe",
    ),
    _topic(
        "history historical archaeology geschichte historisch archäologie vergangenheit",
        "ancient antiquity archaeologist archaeologists archaeology archive archives aristocracy castle "
        "century centuries civilization colonial colony conquest crusade dynasty emperor empire feudal "
        "historian historians historic historical history kingdom medieval monarch monarchy monastery "
        "pharaoh renaissance revolution roman romans settlers slavery tomb viking",
        "altertum antike archäologe archäologen archäologie archiv ausgrabung bronzezeit burg dynastie "
        "epoche fürst fürsten geschichte herrscher historiker historikerin historisch jahrhundert kaiser "
        "kaiserreich kloster könig könige königin königreich kolonie kolonien mittelalter mittelalterlich "
        "monarchie nachkriegszeit reformation reich renaissance revolution ritter römer römisch siedler "
        "steinzeit weltkrieg",
    ),
    _topic(
        "religion faith church religious glaube kirche spirituality",
        "bible bishop bishops buddhist cathedral catholic christian christians church churches clergy "
        "faith god gospel hindu imam islam islamic jesus jewish mosque muslim muslims parish pastor "
        "pilgrim pilgrimage pope prayer prayers preacher priest priests prophet protestant rabbi religion "
        "religions religious sermon synagogue temple theology vatican worship",
        "andacht bibel bischof bischöfe christ christen christlich dom evangelisch evangelium gebet "
        "gebete gemeinde glaube gläubige gott gottesdienst imam islam islamisch jesus jüdisch kardinal "
        "katholik katholiken katholisch kirche kirchen kirchlich kloster moschee muslim muslime papst "
        "pastor pfarrer pfarrerin pilger predigt priester prophet protestantisch rabbiner religion "
        "religionen religiös seelsorge synagoge theologe theologie vatikan",
    ),
    _topic(
        "billing payment payments invoice invoices rechnung rechnungen zahlung zahlungen abrechnung "
        "buchhaltung",
        "balance bill billed billing card charge charged charges credit debit discount fee fees "
        "invoice invoiced invoices overcharged payment payments paypal price receipt refund "
        "refunded subscription transaction vat",
        "abbuchung abgebucht abo abonnement abrechnung bankverbindung beleg betrag "
        "buchung erstattung gebühr gebühren gutschrift iban konto kreditkarte kündigung lastschrift "
        "mahnung mehrwertsteuer quittung rabatt rechnung rechnungen rechnungsbetrag rückerstattung "
        "überweisung überwiesen zahlung zahlungen",
    ),
    _topic(
        "shipping delivery order orders logistics versand lieferung bestellung lieferungen logistik "
        "retoure returns",
        "arrived carrier courier customs damaged delayed deliver delivered delivery dispatched freight "
        "order ordered orders package packages packaging parcel parcels return returned ship shipped "
        "shipment shipping tracking undelivered warehouse",
        "abholung angekommen ausgeliefert beschädigt bestellt bestellnummer bestellung bestellungen dhl "
        "geliefert karton lager liefertermin lieferung lieferungen lieferzeit logistik paket pakete "
        "paketdienst retoure rücksendung sendung sendungsnummer sendungsverfolgung verpackung versand "
        "versandt verschickt verspätung zugestellt zustellung",
    ),
    _topic(
        "support technical helpdesk problem problems bug bugs troubleshooting störung störungen fehler",
        "broken bug bugs cannot crash crashed crashes crashing error errors fails failed failure fix "
        "freeze freezes frozen glitch install installation login logs malfunction outage password reboot "
        "reinstall reset restart screen stuck troubleshoot unresponsive update upgrade",
        "absturz abgestürzt abstürze anmelden anmeldung ausfall bildschirm defekt einloggen fehler "
        "fehlermeldung fehlermeldungen funktioniert funktionieren installation installieren kaputt "
        "neustart neustarten passwort reparatur startet störung update zurücksetzen zugang",
    ),
    _topic(
        "complaint complaints negative dissatisfaction beschwerde beschwerden reklamation reklamationen "
        "kritik negativ unzufrieden ärger",
        "angry annoyed annoying appalling awful bad broken complain complained complaint complaints "
        "damaged disappointed disappointing disappointment disgusted dissatisfied dreadful faulty "
        "frustrated frustrating horrible ignored inacceptable poor ridiculous rude terrible unacceptable "
        "unhappy unprofessional upset useless waste worst",
        "ärger ärgerlich beschädigt beschwerde beschweren dreist empört enttäuscht enttäuschend "
        "enttäuschung frech frechheit frustriert furchtbar inakzeptabel katastrophal katastrophe "
        "mangelhaft miserabel nutzlos reklamation reklamieren schlecht schlechte schlechter schlimm "
        "schrecklich unfreundlich unverschämt unverschämtheit unzufrieden unzumutbar wütend zumutung",
    ),
    _topic(
        "praise compliment compliments positive satisfaction lob positiv zufrieden dank",
        "amazing appreciate appreciated awesome beautiful best brilliant delighted delightful enjoyed "
        "excellent fantastic friendly glad great grateful happy helpful impressed impressive love loved "
        "lovely outstanding perfect pleased pleasant recommend recommended satisfied superb terrific "
        "thank thanks wonderful",
        "angenehm ausgezeichnet begeistert begeisterung bestens danke dankbar dankeschön empfehlen "
        "empfehlenswert erfreut exzellent fantastisch freundlich froh gefällt genial glücklich großartig "
        "herausragend herrlich hervorragend hilfreich liebe lob perfekt prima super toll tolle "
        "toller vielen wunderbar wunderschön zufrieden zuvorkommend",
    ),
)
