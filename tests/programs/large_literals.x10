// Literals of many elements: constants of each type, rails of rails, computed elements among constants, and exceptions in them.
import x10.util.ArrayList;

public class large_literals {
    static val LONGS = [
        -500, 356, 203, 50, -103, -256, -409, 447, 294, 141, -12, -165, -318, -471, 385, 232,
        79, -74, -227, -380, 476, 323, 170, 17, -136, -289, -442, 414, 261, 108, -45, -198,
        -351, 505, 352, 199, 46, -107, -260, -413, 443, 290, 137, -16, -169, -322, -475, 381,
        228, 75, -78, -231, -384, 472, 319, 166, 13, -140, -293, -446, 410, 257, 104, -49,
        -202, -355, 501, 348, 195, 42, -111, -264, -417, 439, 286, 133, -20, -173, 9223372036854775807, -9223372036854775808
    ];
    static val DOUBLES = [
        -15.0e-20, -8.25e-19, -1.50e-18, 6.75e-17, 13.0e-16, -11.25e-15, -4.50e-14, 3.75e-13,
        10.0e-12, -14.25e-11, -7.50e-10, 0.75e-9, 7.0e-8, 14.25e-7, -10.50e-6, -3.75e-5,
        4.0e-4, 11.25e-3, -13.50e-2, -6.75e-1, 1.0e0, 8.25e1, 15.50e2, -9.75e3,
        -2.0e4, 5.25e5, 12.50e6, -12.75e7, -5.0e8, 2.25e9, 9.50e10, -15.75e11,
        -8.0e12, -1.25e13, 6.50e14, 13.75e15, -11.0e16, -4.25e17, 3.50e18, 10.75e19,
        -14.0e20, -7.25e-20, 0.50e-19, 7.75e-18, 14.0e-17, -10.25e-16, -3.50e-15, 4.75e-14,
        11.0e-13, -13.25e-12, -6.50e-11, 1.75e-10, 8.0e-9, 15.25e-8, -9.50e-7, -2.75e-6,
        5.0e-5, 12.25e-4, -12.50e-3, -5.75e-2, 2.0e-1, 9.25e0, -15.50e1, -8.75e2,
        -1.0e3, 6.25e4, 13.50e5, -11.75e6, -4.0e7, 3.25e8, 10.50e9, -14.75e10,
        -7.0e11, 0.25e12, 7.50e13, 14.75e14, -10.0e15, -3.25e16, 4.50e17, 11.75e18
    ];
    static val STRINGS = [
        "w0", "w1", "w2", "w3", "w4", "w5", "w6", "w7", "w8", "w9", "w10", "w11", "w12", "w13", "w14", "w15",
        "w16", "w17", "w18", "w19", "w20", "w21", "w22", "w23", "w24", "w25", "w26", "w27", "w28", "w29", "w30", "w31",
        "w32", "w33", "w34", "w35", "w36", "w37", "w38", "w39", "w40", "w41", "w42", "w43", "w44", "w45", "w46", "w47",
        "w48", "w49", "w0", "w1", "w2", "w3", "w4", "w5", "w6", "w7", "w8", "w9", "w10", "w11", "w12", "w13",
        "w14", "w15", "w16", "w17", "w18", "w19", "w20", "w21", "w22", "w23", "w24", "w25", "w26", "", "\"q\"\n", "é∑"
    ];
    static val MATRIX = [
        [-7.5],
        [-7.5, -6.5],
        [-7.5, -5.5, -3.5],
        [-7.5, -4.5, -1.5, 2.5],
        [-7.5, -3.5, 1.5, 5.5, 9.5],
        [-7.5],
        [-7.5, -1.5],
        [-7.5, 0.5, 7.5],
        [-7.5, 1.5, 9.5, 17.5],
        [-7.5, 2.5, 11.5, 20.5, 29.5],
        [-7.5],
        [-7.5, 4.5],
        [-7.5, 5.5, 17.5],
        [-7.5, 6.5, 19.5, 32.5],
        [-7.5, 7.5, 21.5, 35.5, 49.5],
        [-7.5],
        [-7.5, 9.5],
        [-7.5, 10.5, 27.5],
        [-7.5, 11.5, 29.5, 47.5],
        [-7.5, 12.5, 31.5, 50.5, 69.5],
        [-7.5],
        [-7.5, 14.5],
        [-7.5, 15.5, 37.5],
        [-7.5, 16.5, 39.5, 62.5],
        [-7.5, 17.5, 41.5, 65.5, 89.5],
        [-7.5],
        [-7.5, 19.5],
        [-7.5, 20.5, 47.5],
        [-7.5, 21.5, 49.5, 77.5],
        [-7.5, 22.5, 51.5, 80.5, 109.5],
        [-7.5],
        [-7.5, 24.5],
        [-7.5, 25.5, 57.5],
        [-7.5, 26.5, 59.5, 92.5],
        [-7.5, 27.5, 61.5, 95.5, 129.5],
        [-7.5],
        [-7.5, 29.5],
        [-7.5, 30.5, 67.5],
        [-7.5, 31.5, 69.5, 107.5],
        [-7.5, 32.5, 71.5, 110.5, 149.5]
    ];
    static val WORDS:Rail[Rail[Rail[String]]] = [
        [["x1", "x2", "x3"], ["y0", "y0"]],
        [["x2", "x3", "x4"], ["y1", "y2"]],
        [["x3", "x4", "x5"], ["y2", "y4"]],
        [["x4", "x5", "x6"], ["y3", "y6"]],
        [["x5", "x6", "x7"], ["y4", "y8"]],
        [["x6", "x7", "x8"], ["y5", "y10"]],
        [["x7", "x8", "x9"], ["y6", "y12"]],
        [["x8", "x9", "x10"], ["y7", "y14"]],
        [["x9", "x10", "x11"], ["y8", "y16"]],
        [["x10", "x11", "x12"], ["y9", "y18"]],
        [["x11", "x12", "x13"], ["y10", "y20"]],
        [["x12", "x13", "x14"], ["y11", "y22"]],
        [["x13", "x14", "x15"], ["y12", "y24"]],
        [["x14", "x15", "x16"], ["y13", "y26"]],
        [["x15", "x16", "x17"], ["y14", "y28"]],
        [["x16", "x17", "x18"], ["y15", "y30"]]
    ];

    static def ints() = [
        -500n, 356n, 203n, 50n, -103n, -256n, -409n, 447n, 294n, 141n, -12n, -165n, -318n, -471n, 385n, 232n,
        79n, -74n, -227n, -380n, 476n, 323n, 170n, 17n, -136n, -289n, -442n, 414n, 261n, 108n, -45n, -198n,
        -351n, 505n, 352n, 199n, 46n, -107n, -260n, -413n, 443n, 290n, 137n, -16n, -169n, -322n, -475n, 381n,
        228n, 75n, -78n, -231n, -384n, 472n, 319n, 166n, 13n, -140n, -293n, -446n, 410n, 257n, 104n, -49n,
        -202n, -355n, 501n, 348n, 195n, 42n, -111n, -264n, -417n, 439n, 286n, 133n, -20n, -173n, 2147483647n, -2147483648n
    ];
    static def shorts():Rail[Short] = [
        -100s, -69s, -38s, -7s, 24s, 55s, 86s, -83s, -52s, -21s, 10s, 41s, 72s, -97s, -66s, -35s,
        -4s, 27s, 58s, 89s, -80s, -49s, -18s, 13s, 44s, 75s, -94s, -63s, -32s, -1s, 30s, 61s,
        92s, -77s, -46s, -15s, 16s, 47s, 78s, -91s, -60s, -29s, 2s, 33s, 64s, 95s, -74s, -43s,
        -12s, 19s, 50s, 81s, -88s, -57s, -26s, 5s, 36s, 67s, 98s, -71s, -40s, -9s, 22s, 53s,
        84s, -85s, -54s, -23s, 8s, 39s, 70s, -99s, -68s, -37s, -6s, 25s, 56s, 87s, -82s, -51s
    ];
    static def bytes():Rail[Byte] = [
        -100y, -69y, -38y, -7y, 24y, 55y, 86y, -83y, -52y, -21y, 10y, 41y, 72y, -97y, -66y, -35y,
        -4y, 27y, 58y, 89y, -80y, -49y, -18y, 13y, 44y, 75y, -94y, -63y, -32y, -1y, 30y, 61y,
        92y, -77y, -46y, -15y, 16y, 47y, 78y, -91y, -60y, -29y, 2y, 33y, 64y, 95y, -74y, -43y,
        -12y, 19y, 50y, 81y, -88y, -57y, -26y, 5y, 36y, 67y, 98y, -71y, -40y, -9y, 22y, 53y,
        84y, -85y, -54y, -23y, 8y, 39y, 70y, -99y, -68y, -37y, -6y, 25y, 56y, 87y, -82y, -51y
    ];
    static def ubytes():Rail[UByte] = [
        0uy, 37uy, 74uy, 111uy, 148uy, 185uy, 222uy, 3uy, 40uy, 77uy, 114uy, 151uy, 188uy, 225uy, 6uy, 43uy,
        80uy, 117uy, 154uy, 191uy, 228uy, 9uy, 46uy, 83uy, 120uy, 157uy, 194uy, 231uy, 12uy, 49uy, 86uy, 123uy,
        160uy, 197uy, 234uy, 15uy, 52uy, 89uy, 126uy, 163uy, 200uy, 237uy, 18uy, 55uy, 92uy, 129uy, 166uy, 203uy,
        240uy, 21uy, 58uy, 95uy, 132uy, 169uy, 206uy, 243uy, 24uy, 61uy, 98uy, 135uy, 172uy, 209uy, 246uy, 27uy,
        64uy, 101uy, 138uy, 175uy, 212uy, 249uy, 30uy, 67uy, 104uy, 141uy, 178uy, 215uy, 252uy, 33uy, 70uy, 107uy
    ];
    static def ushorts():Rail[UShort] = [
        0us, 911us, 1822us, 2733us, 3644us, 4555us, 5466us, 6377us, 7288us, 8199us, 9110us, 10021us, 10932us, 11843us, 12754us, 13665us,
        14576us, 15487us, 16398us, 17309us, 18220us, 19131us, 20042us, 20953us, 21864us, 22775us, 23686us, 24597us, 25508us, 26419us, 27330us, 28241us,
        29152us, 30063us, 30974us, 31885us, 32796us, 33707us, 34618us, 35529us, 36440us, 37351us, 38262us, 39173us, 40084us, 40995us, 41906us, 42817us,
        43728us, 44639us, 45550us, 46461us, 47372us, 48283us, 49194us, 50105us, 51016us, 51927us, 52838us, 53749us, 54660us, 55571us, 56482us, 57393us,
        58304us, 59215us, 60126us, 61037us, 61948us, 62859us, 63770us, 64681us, 56us, 967us, 1878us, 2789us, 3700us, 4611us, 5522us, 6433us
    ];
    static def uints():Rail[UInt] = [
        0un, 91100007un, 182200014un, 273300021un, 364400028un, 455500035un, 546600042un, 637700049un, 728800056un, 819900063un,
        911000070un, 1002100077un, 1093200084un, 1184300091un, 1275400098un, 1366500105un, 1457600112un, 1548700119un, 1639800126un, 1730900133un,
        1822000140un, 1913100147un, 2004200154un, 2095300161un, 2186400168un, 2277500175un, 2368600182un, 2459700189un, 2550800196un, 2641900203un,
        2733000210un, 2824100217un, 2915200224un, 3006300231un, 3097400238un, 3188500245un, 3279600252un, 3370700259un, 3461800266un, 3552900273un,
        3644000280un, 3735100287un, 3826200294un, 3917300301un, 4008400308un, 4099500315un, 4190600322un, 4281700329un, 77833040un, 168933047un,
        260033054un, 351133061un, 442233068un, 533333075un, 624433082un, 715533089un, 806633096un, 897733103un, 988833110un, 1079933117un,
        1171033124un, 1262133131un, 1353233138un, 1444333145un, 1535433152un, 1626533159un, 1717633166un, 1808733173un, 1899833180un, 1990933187un,
        2082033194un, 2173133201un, 2264233208un, 2355333215un, 2446433222un, 2537533229un, 2628633236un, 2719733243un, 2810833250un, 2901933257un
    ];
    static def ulongs():Rail[ULong] = [
        0ul, 9110000701234567ul, 18220001402469134ul, 27330002103703701ul, 36440002804938268ul, 45550003506172835ul,
        54660004207407402ul, 63770004908641969ul, 72880005609876536ul, 81990006311111103ul, 91100007012345670ul, 100210007713580237ul,
        109320008414814804ul, 118430009116049371ul, 127540009817283938ul, 136650010518518505ul, 145760011219753072ul, 154870011920987639ul,
        163980012622222206ul, 173090013323456773ul, 182200014024691340ul, 191310014725925907ul, 200420015427160474ul, 209530016128395041ul,
        218640016829629608ul, 227750017530864175ul, 236860018232098742ul, 245970018933333309ul, 255080019634567876ul, 264190020335802443ul,
        273300021037037010ul, 282410021738271577ul, 291520022439506144ul, 300630023140740711ul, 309740023841975278ul, 318850024543209845ul,
        327960025244444412ul, 337070025945678979ul, 346180026646913546ul, 355290027348148113ul, 364400028049382680ul, 373510028750617247ul,
        382620029451851814ul, 391730030153086381ul, 400840030854320948ul, 409950031555555515ul, 419060032256790082ul, 428170032958024649ul,
        437280033659259216ul, 446390034360493783ul, 455500035061728350ul, 464610035762962917ul, 473720036464197484ul, 482830037165432051ul,
        491940037866666618ul, 501050038567901185ul, 510160039269135752ul, 519270039970370319ul, 528380040671604886ul, 537490041372839453ul,
        546600042074074020ul, 555710042775308587ul, 564820043476543154ul, 573930044177777721ul, 583040044879012288ul, 592150045580246855ul,
        601260046281481422ul, 610370046982715989ul, 619480047683950556ul, 628590048385185123ul, 637700049086419690ul, 646810049787654257ul,
        655920050488888824ul, 665030051190123391ul, 674140051891357958ul, 683250052592592525ul, 692360053293827092ul, 701470053995061659ul,
        710580054696296226ul, 719690055397530793ul
    ];
    static def floats() = [
        -15.0f, -8.25f, -1.50f, 6.75f, 13.0f, -11.25f, -4.50f, 3.75f, 10.0f, -14.25f,
        -7.50f, 0.75f, 7.0f, 14.25f, -10.50f, -3.75f, 4.0f, 11.25f, -13.50f, -6.75f,
        1.0f, 8.25f, 15.50f, -9.75f, -2.0f, 5.25f, 12.50f, -12.75f, -5.0f, 2.25f,
        9.50f, -15.75f, -8.0f, -1.25f, 6.50f, 13.75f, -11.0f, -4.25f, 3.50f, 10.75f,
        -14.0f, -7.25f, 0.50f, 7.75f, 14.0f, -10.25f, -3.50f, 4.75f, 11.0f, -13.25f,
        -6.50f, 1.75f, 8.0f, 15.25f, -9.50f, -2.75f, 5.0f, 12.25f, -12.50f, -5.75f,
        2.0f, 9.25f, -15.50f, -8.75f, -1.0f, 6.25f, 13.50f, -11.75f, -4.0f, 3.25f,
        10.50f, -14.75f, -7.0f, 0.25f, 7.50f, 14.75f, -10.0f, -3.25f, 4.50f, 11.75f
    ];
    static def booleans() = [
        false, true, true, false, true, true, false, true, true, false, true, true, false, true, true, false,
        true, true, false, true, true, false, true, true, false, true, true, false, true, true, false, true,
        true, false, true, true, false, true, true, false, true, true, false, true, true, false, true, true,
        false, true, true, false, true, true, false, true, true, false, true, true, false, true, true, false,
        true, true, false, true, true, false, true, true, false, true, true, false, true, true, false, true
    ];
    static def chars() = [
        'a', 'b', 'c', 'd', 'e', 'f', 'g', 'h', 'i', 'j', 'k', 'l', 'm', 'n', 'o', 'p',
        'q', 'r', 's', 't', 'u', 'v', 'w', 'x', 'y', 'z', 'a', 'b', 'c', 'd', 'e', 'f',
        'g', 'h', 'i', 'j', 'k', 'l', 'm', 'n', 'o', 'p', 'q', 'r', 's', 't', 'u', 'v',
        'w', 'x', 'y', 'z', 'a', 'b', 'c', 'd', 'e', 'f', 'g', 'h', 'i', 'j', 'k', 'l',
        'm', 'n', 'o', 'p', 'q', 'r', 's', 't', 'u', 'v', 'w', 'x', 'y', 'z', '\n', 'é'
    ];
    /** Whole numbers as Doubles, and named ones. */
    static def converted():Rail[Double] = [
        -40 as Double, -37 as Double, -34 as Double, -31 as Double, -28 as Double, -25 as Double, -22 as Double, -19 as Double,
        -16 as Double, -13 as Double, -10 as Double, -7 as Double, -4 as Double, -1 as Double, 2 as Double, 5 as Double,
        8 as Double, 11 as Double, 14 as Double, 17 as Double, 20 as Double, 23 as Double, 26 as Double, 29 as Double,
        32 as Double, 35 as Double, 38 as Double, 41 as Double, 44 as Double, 47 as Double, 50 as Double, 53 as Double,
        56 as Double, 59 as Double, 62 as Double, 65 as Double, 68 as Double, 71 as Double, 74 as Double, 77 as Double,
        80 as Double, 83 as Double, 86 as Double, 89 as Double, 92 as Double, 95 as Double, 98 as Double, 101 as Double,
        104 as Double, 107 as Double, 110 as Double, 113 as Double, 116 as Double, 119 as Double, 122 as Double, 125 as Double,
        128 as Double, 131 as Double, 134 as Double, 137 as Double, 140 as Double, 143 as Double, 146 as Double, 149 as Double,
        152 as Double, 155 as Double, 158 as Double, 161 as Double, 164 as Double, 167 as Double, Math.PI, -Math.E
    ];
    static def anything():Rail[Any] = [
        "a0", 1, 2.5, "a3", 4, 5.5, "a6", 7, 8.5, "a9", 10, 11.5, "a12", 13, 14.5, "a15",
        16, 17.5, "a18", 19, 20.5, "a21", 22, 23.5, "a24", 25, 26.5, "a27", 28, 29.5, "a30", 31,
        32.5, "a33", 34, 35.5, "a36", 37, 38.5, "a39", 40, 41.5, "a42", 43, 44.5, "a45", 46, 47.5,
        "a48", 49, 50.5, "a51", 52, 53.5, "a54", 55, 56.5, "a57", 58, 59.5, "a60", 61, 62.5, "a63",
        64, 65.5, "a66", 67, 68.5, "a69"
    ];

    var calls:Long = 0;
    def next():Long = calls++;
    /** Raises at one of its calls. */
    def next(b:Long):Long {
        if (calls == b) throw new IllegalArgumentException("call " + b);
        return calls++;
    }

    /** Constants with computed elements between them. */
    def mixed() = [
        0, -1, -2, next(), -4, -5, -6, -7, -8, -9, next(), -11, -12, -13, -14, -15,
        -16, next(), -18, -19, -20, -21, -22, -23, next(), -25, -26, -27, -28, -29, -30, next(),
        -32, -33, -34, -35, -36, -37, next(), -39, -40, -41, -42, -43, -44, next(), -46, -47,
        -48, -49, -50, -51, next(), -53, -54, -55, -56, -57, -58, next(), -60, -61, -62, -63,
        -64, -65, next(), -67, -68, -69, -70, -71, -72, next(), -74, -75, -76, -77, -78, -79,
        next(), -81, -82, -83, -84, -85, -86, next(), -88, -89, -90, -91, -92, -93, next(), -95,
        -96, -97, -98, -99
    ];
    /** Computed elements, so numerous that several functions store them: in order, and each once. */
    def computed(b:Long) = [
        next(b)+calls, next(b), next(b)+calls, next(b), next(b)+calls, next(b), next(b)+calls, next(b), next(b)+calls, next(b), next(b)+calls, next(b),
        next(b)+calls, next(b), next(b)+calls, next(b), next(b)+calls, next(b), next(b)+calls, next(b), next(b)+calls, next(b), next(b)+calls, next(b),
        next(b)+calls, next(b), next(b)+calls, next(b), next(b)+calls, next(b), next(b)+calls, next(b), next(b)+calls, next(b), next(b)+calls, next(b),
        next(b)+calls, next(b), next(b)+calls, next(b), next(b)+calls, next(b), next(b)+calls, next(b), next(b)+calls, next(b), next(b)+calls, next(b),
        next(b)+calls, next(b), next(b)+calls, next(b), next(b)+calls, next(b), next(b)+calls, next(b), next(b)+calls, next(b), next(b)+calls, next(b),
        next(b)+calls, next(b), next(b)+calls, next(b), next(b)+calls, next(b), next(b)+calls, next(b), next(b)+calls, next(b), next(b)+calls, next(b),
        next(b)+calls, next(b), next(b)+calls, next(b), next(b)+calls, next(b), next(b)+calls, next(b), next(b)+calls, next(b), next(b)+calls, next(b),
        next(b)+calls, next(b), next(b)+calls, next(b), next(b)+calls, next(b), next(b)+calls, next(b), next(b)+calls, next(b), next(b)+calls, next(b),
        next(b)+calls, next(b), next(b)+calls, next(b), next(b)+calls, next(b), next(b)+calls, next(b), next(b)+calls, next(b), next(b)+calls, next(b),
        next(b)+calls, next(b), next(b)+calls, next(b), next(b)+calls, next(b), next(b)+calls, next(b), next(b)+calls, next(b), next(b)+calls, next(b),
        next(b)+calls, next(b), next(b)+calls, next(b), next(b)+calls, next(b), next(b)+calls, next(b), next(b)+calls, next(b), next(b)+calls, next(b),
        next(b)+calls, next(b), next(b)+calls, next(b), next(b)+calls, next(b), next(b)+calls, next(b), next(b)+calls, next(b), next(b)+calls, next(b),
        next(b)+calls, next(b), next(b)+calls, next(b), next(b)+calls, next(b), next(b)+calls, next(b), next(b)+calls, next(b), next(b)+calls, next(b),
        next(b)+calls, next(b), next(b)+calls, next(b), next(b)+calls, next(b), next(b)+calls, next(b), next(b)+calls, next(b), next(b)+calls, next(b),
        next(b)+calls, next(b), next(b)+calls, next(b), next(b)+calls, next(b), next(b)+calls, next(b), next(b)+calls, next(b), next(b)+calls, next(b),
        next(b)+calls, next(b), next(b)+calls, next(b), next(b)+calls, next(b), next(b)+calls, next(b), next(b)+calls, next(b), next(b)+calls, next(b),
        next(b)+calls, next(b), next(b)+calls, next(b), next(b)+calls, next(b), next(b)+calls, next(b), next(b)+calls, next(b), next(b)+calls, next(b),
        next(b)+calls, next(b), next(b)+calls, next(b), next(b)+calls, next(b), next(b)+calls, next(b), next(b)+calls, next(b), next(b)+calls, next(b),
        next(b)+calls, next(b), next(b)+calls, next(b), next(b)+calls, next(b), next(b)+calls, next(b), next(b)+calls, next(b), next(b)+calls, next(b),
        next(b)+calls, next(b), next(b)+calls, next(b), next(b)+calls, next(b), next(b)+calls, next(b), next(b)+calls, next(b), next(b)+calls, next(b),
        next(b)+calls, next(b), next(b)+calls, next(b), next(b)+calls, next(b), next(b)+calls, next(b), next(b)+calls, next(b), next(b)+calls, next(b),
        next(b)+calls, next(b), next(b)+calls, next(b), next(b)+calls, next(b), next(b)+calls, next(b), next(b)+calls, next(b), next(b)+calls, next(b),
        next(b)+calls, next(b), next(b)+calls, next(b), next(b)+calls, next(b), next(b)+calls, next(b), next(b)+calls, next(b), next(b)+calls, next(b),
        next(b)+calls, next(b), next(b)+calls, next(b), next(b)+calls, next(b), next(b)+calls, next(b), next(b)+calls, next(b), next(b)+calls, next(b),
        next(b)+calls, next(b), next(b)+calls, next(b), next(b)+calls, next(b), next(b)+calls, next(b), next(b)+calls, next(b), next(b)+calls, next(b),
        next(b)+calls, next(b), next(b)+calls, next(b), next(b)+calls, next(b), next(b)+calls, next(b), next(b)+calls, next(b), next(b)+calls, next(b),
        next(b)+calls, next(b), next(b)+calls, next(b), next(b)+calls, next(b), next(b)+calls, next(b), next(b)+calls, next(b), next(b)+calls, next(b),
        next(b)+calls, next(b), next(b)+calls, next(b), next(b)+calls, next(b), next(b)+calls, next(b), next(b)+calls, next(b), next(b)+calls, next(b),
        next(b)+calls, next(b), next(b)+calls, next(b), next(b)+calls, next(b), next(b)+calls, next(b), next(b)+calls, next(b), next(b)+calls, next(b),
        next(b)+calls, next(b), next(b)+calls, next(b), next(b)+calls, next(b), next(b)+calls, next(b), next(b)+calls, next(b), next(b)+calls, next(b),
        next(b)+calls, next(b), next(b)+calls, next(b), next(b)+calls, next(b), next(b)+calls, next(b), next(b)+calls, next(b), next(b)+calls, next(b),
        next(b)+calls, next(b), next(b)+calls, next(b), next(b)+calls, next(b), next(b)+calls, next(b), next(b)+calls, next(b), next(b)+calls, next(b),
        next(b)+calls, next(b), next(b)+calls, next(b), next(b)+calls, next(b), next(b)+calls, next(b), next(b)+calls, next(b), next(b)+calls, next(b),
        next(b)+calls, next(b), next(b)+calls, next(b), next(b)+calls, next(b), next(b)+calls, next(b), next(b)+calls, next(b), next(b)+calls, next(b),
        next(b)+calls, next(b), next(b)+calls, next(b), next(b)+calls, next(b), next(b)+calls, next(b), next(b)+calls, next(b), next(b)+calls, next(b),
        next(b)+calls, next(b), next(b)+calls, next(b), next(b)+calls, next(b), next(b)+calls, next(b), next(b)+calls, next(b), next(b)+calls, next(b),
        next(b)+calls, next(b), next(b)+calls, next(b), next(b)+calls, next(b), next(b)+calls, next(b), next(b)+calls, next(b), next(b)+calls, next(b),
        next(b)+calls, next(b), next(b)+calls, next(b), next(b)+calls, next(b), next(b)+calls, next(b), next(b)+calls, next(b), next(b)+calls, next(b),
        next(b)+calls, next(b), next(b)+calls, next(b), next(b)+calls, next(b), next(b)+calls, next(b), next(b)+calls, next(b), next(b)+calls, next(b),
        next(b)+calls, next(b), next(b)+calls, next(b), next(b)+calls, next(b), next(b)+calls, next(b), next(b)+calls, next(b), next(b)+calls, next(b),
        next(b)+calls, next(b), next(b)+calls, next(b), next(b)+calls, next(b), next(b)+calls, next(b), next(b)+calls, next(b), next(b)+calls, next(b),
        next(b)+calls, next(b), next(b)+calls, next(b), next(b)+calls, next(b), next(b)+calls, next(b), next(b)+calls, next(b), next(b)+calls, next(b),
        next(b)+calls, next(b), next(b)+calls, next(b), next(b)+calls, next(b), next(b)+calls, next(b), next(b)+calls, next(b), next(b)+calls, next(b),
        next(b)+calls, next(b), next(b)+calls, next(b), next(b)+calls, next(b), next(b)+calls, next(b), next(b)+calls, next(b), next(b)+calls, next(b),
        next(b)+calls, next(b), next(b)+calls, next(b), next(b)+calls, next(b), next(b)+calls, next(b), next(b)+calls, next(b), next(b)+calls, next(b),
        next(b)+calls, next(b), next(b)+calls, next(b), next(b)+calls, next(b), next(b)+calls, next(b), next(b)+calls, next(b), next(b)+calls, next(b),
        next(b)+calls, next(b), next(b)+calls, next(b), next(b)+calls, next(b), next(b)+calls, next(b), next(b)+calls, next(b), next(b)+calls, next(b),
        next(b)+calls, next(b), next(b)+calls, next(b), next(b)+calls, next(b), next(b)+calls, next(b), next(b)+calls, next(b), next(b)+calls, next(b),
        next(b)+calls, next(b), next(b)+calls, next(b), next(b)+calls, next(b), next(b)+calls, next(b), next(b)+calls, next(b), next(b)+calls, next(b),
        next(b)+calls, next(b), next(b)+calls, next(b), next(b)+calls, next(b), next(b)+calls, next(b), next(b)+calls, next(b), next(b)+calls, next(b),
        next(b)+calls, next(b), next(b)+calls, next(b), next(b)+calls, next(b), next(b)+calls, next(b), next(b)+calls, next(b), next(b)+calls, next(b),
        next(b)+calls, next(b), next(b)+calls, next(b), next(b)+calls, next(b), next(b)+calls, next(b), next(b)+calls, next(b), next(b)+calls, next(b),
        next(b)+calls, next(b), next(b)+calls, next(b), next(b)+calls, next(b), next(b)+calls, next(b), next(b)+calls, next(b), next(b)+calls, next(b),
        next(b)+calls, next(b), next(b)+calls, next(b), next(b)+calls, next(b), next(b)+calls, next(b), next(b)+calls, next(b), next(b)+calls, next(b),
        next(b)+calls, next(b), next(b)+calls, next(b), next(b)+calls, next(b), next(b)+calls, next(b), next(b)+calls, next(b), next(b)+calls, next(b),
        next(b)+calls, next(b), next(b)+calls, next(b), next(b)+calls, next(b), next(b)+calls, next(b), next(b)+calls, next(b), next(b)+calls, next(b),
        next(b)+calls, next(b), next(b)+calls, next(b), next(b)+calls, next(b), next(b)+calls, next(b), next(b)+calls, next(b), next(b)+calls, next(b),
        next(b)+calls, next(b), next(b)+calls, next(b), next(b)+calls, next(b), next(b)+calls, next(b), next(b)+calls, next(b), next(b)+calls, next(b),
        next(b)+calls, next(b), next(b)+calls, next(b), next(b)+calls, next(b), next(b)+calls, next(b), next(b)+calls, next(b), next(b)+calls, next(b),
        next(b)+calls, next(b), next(b)+calls, next(b), next(b)+calls, next(b), next(b)+calls, next(b), next(b)+calls, next(b), next(b)+calls, next(b),
        next(b)+calls, next(b), next(b)+calls, next(b), next(b)+calls, next(b), next(b)+calls, next(b), next(b)+calls, next(b), next(b)+calls, next(b),
        next(b)+calls, next(b), next(b)+calls, next(b), next(b)+calls, next(b), next(b)+calls, next(b), next(b)+calls, next(b), next(b)+calls, next(b),
        next(b)+calls, next(b), next(b)+calls, next(b), next(b)+calls, next(b), next(b)+calls, next(b), next(b)+calls, next(b), next(b)+calls, next(b),
        next(b)+calls, next(b), next(b)+calls, next(b), next(b)+calls, next(b), next(b)+calls, next(b), next(b)+calls, next(b), next(b)+calls, next(b),
        next(b)+calls, next(b), next(b)+calls, next(b), next(b)+calls, next(b), next(b)+calls, next(b), next(b)+calls, next(b), next(b)+calls, next(b),
        next(b)+calls, next(b), next(b)+calls, next(b), next(b)+calls, next(b), next(b)+calls, next(b), next(b)+calls, next(b), next(b)+calls, next(b),
        next(b)+calls, next(b), next(b)+calls, next(b), next(b)+calls, next(b), next(b)+calls, next(b), next(b)+calls, next(b), next(b)+calls, next(b),
        next(b)+calls, next(b), next(b)+calls, next(b), next(b)+calls, next(b), next(b)+calls, next(b), next(b)+calls, next(b), next(b)+calls, next(b),
        next(b)+calls, next(b), next(b)+calls, next(b), next(b)+calls, next(b), next(b)+calls, next(b), next(b)+calls, next(b), next(b)+calls, next(b),
        next(b)+calls, next(b), next(b)+calls, next(b), next(b)+calls, next(b), next(b)+calls, next(b), next(b)+calls, next(b), next(b)+calls, next(b),
        next(b)+calls, next(b), next(b)+calls, next(b), next(b)+calls, next(b), next(b)+calls, next(b), next(b)+calls, next(b), next(b)+calls, next(b),
        next(b)+calls, next(b), next(b)+calls, next(b), next(b)+calls, next(b), next(b)+calls, next(b), next(b)+calls, next(b), next(b)+calls, next(b),
        next(b)+calls, next(b), next(b)+calls, next(b), next(b)+calls, next(b), next(b)+calls, next(b), next(b)+calls, next(b), next(b)+calls, next(b),
        next(b)+calls, next(b), next(b)+calls, next(b), next(b)+calls, next(b), next(b)+calls, next(b), next(b)+calls, next(b), next(b)+calls, next(b),
        next(b)+calls, next(b), next(b)+calls, next(b), next(b)+calls, next(b), next(b)+calls, next(b), next(b)+calls, next(b), next(b)+calls, next(b),
        next(b)+calls, next(b), next(b)+calls, next(b), next(b)+calls, next(b), next(b)+calls, next(b), next(b)+calls, next(b), next(b)+calls, next(b),
        next(b)+calls, next(b), next(b)+calls, next(b), next(b)+calls, next(b), next(b)+calls, next(b), next(b)+calls, next(b), next(b)+calls, next(b),
        next(b)+calls, next(b), next(b)+calls, next(b), next(b)+calls, next(b), next(b)+calls, next(b), next(b)+calls, next(b), next(b)+calls, next(b),
        next(b)+calls, next(b), next(b)+calls, next(b), next(b)+calls, next(b), next(b)+calls, next(b), next(b)+calls, next(b), next(b)+calls, next(b),
        next(b)+calls, next(b), next(b)+calls, next(b), next(b)+calls, next(b), next(b)+calls, next(b), next(b)+calls, next(b), next(b)+calls, next(b),
        next(b)+calls, next(b), next(b)+calls, next(b), next(b)+calls, next(b), next(b)+calls, next(b), next(b)+calls, next(b), next(b)+calls, next(b),
        next(b)+calls, next(b), next(b)+calls, next(b), next(b)+calls, next(b), next(b)+calls, next(b), next(b)+calls, next(b), next(b)+calls, next(b),
        next(b)+calls, next(b), next(b)+calls, next(b), next(b)+calls, next(b), next(b)+calls, next(b), next(b)+calls, next(b), next(b)+calls, next(b),
        next(b)+calls, next(b), next(b)+calls, next(b), next(b)+calls, next(b), next(b)+calls, next(b), next(b)+calls, next(b), next(b)+calls, next(b),
        next(b)+calls, next(b), next(b)+calls, next(b), next(b)+calls, next(b), next(b)+calls, next(b), next(b)+calls, next(b), next(b)+calls, next(b),
        next(b)+calls, next(b), next(b)+calls, next(b), next(b)+calls, next(b), next(b)+calls, next(b), next(b)+calls, next(b), next(b)+calls, next(b),
        next(b)+calls, next(b), next(b)+calls, next(b), next(b)+calls, next(b), next(b)+calls, next(b), next(b)+calls, next(b), next(b)+calls, next(b),
        next(b)+calls, next(b), next(b)+calls, next(b), next(b)+calls, next(b), next(b)+calls, next(b), next(b)+calls, next(b), next(b)+calls, next(b),
        next(b)+calls, next(b), next(b)+calls, next(b), next(b)+calls, next(b), next(b)+calls, next(b), next(b)+calls, next(b), next(b)+calls, next(b),
        next(b)+calls, next(b), next(b)+calls, next(b), next(b)+calls, next(b), next(b)+calls, next(b), next(b)+calls, next(b), next(b)+calls, next(b),
        next(b)+calls, next(b), next(b)+calls, next(b), next(b)+calls, next(b), next(b)+calls, next(b), next(b)+calls, next(b), next(b)+calls, next(b),
        next(b)+calls, next(b), next(b)+calls, next(b), next(b)+calls, next(b), next(b)+calls, next(b), next(b)+calls, next(b), next(b)+calls, next(b),
        next(b)+calls, next(b), next(b)+calls, next(b), next(b)+calls, next(b), next(b)+calls, next(b), next(b)+calls, next(b), next(b)+calls, next(b),
        next(b)+calls, next(b), next(b)+calls, next(b), next(b)+calls, next(b), next(b)+calls, next(b), next(b)+calls, next(b), next(b)+calls, next(b),
        next(b)+calls, next(b), next(b)+calls, next(b), next(b)+calls, next(b), next(b)+calls, next(b), next(b)+calls, next(b), next(b)+calls, next(b),
        next(b)+calls, next(b), next(b)+calls, next(b), next(b)+calls, next(b), next(b)+calls, next(b), next(b)+calls, next(b), next(b)+calls, next(b),
        next(b)+calls, next(b), next(b)+calls, next(b), next(b)+calls, next(b), next(b)+calls, next(b), next(b)+calls, next(b), next(b)+calls, next(b),
        next(b)+calls, next(b), next(b)+calls, next(b), next(b)+calls, next(b), next(b)+calls, next(b), next(b)+calls, next(b), next(b)+calls, next(b),
        next(b)+calls, next(b), next(b)+calls, next(b), next(b)+calls, next(b), next(b)+calls, next(b), next(b)+calls, next(b), next(b)+calls, next(b),
        next(b)+calls, next(b), next(b)+calls, next(b), next(b)+calls, next(b), next(b)+calls, next(b), next(b)+calls, next(b), next(b)+calls, next(b)
    ];

    static def sum(xs:Rail[Long]):Long { var s:Long = 0; for (i in xs.range()) s = s * 31 + xs(i); return s; }

    public static def main(Rail[String]) {
        Console.OUT.println(LONGS.size + " " + sum(LONGS) + " " + LONGS(79));
        var total:Double = 0.0;
        for (x in DOUBLES) total += Math.abs(x);
        Console.OUT.println(DOUBLES.size + " " + total + " " + DOUBLES(79));
        var text:String = "";
        for (x in STRINGS) text += x;
        Console.OUT.println(STRINGS.size + " " + text.hashCode() + " " + STRINGS(1) + STRINGS(51) + STRINGS(79) + " " + (STRINGS(1) == STRINGS(51)));
        var m:Double = 0.0;
        for (row in MATRIX) for (x in row) m = m * 0.5 + x;
        Console.OUT.println(MATRIX.size + " " + MATRIX(0).size + " " + MATRIX(39) + " " + m);
        Console.OUT.println(WORDS.size + " " + WORDS(3) + " " + WORDS(15)(1)(1));
        Console.OUT.println(ints().toString().hashCode() + " " + ints()(79) + " " + shorts().toString().hashCode() + " " + bytes().toString().hashCode());
        Console.OUT.println(ubytes()(7) + " " + ushorts()(79) + " " + uints()(79) + " " + ulongs()(79) + " " + ulongs().toString().hashCode());
        Console.OUT.println(floats()(3) + " " + booleans()(0) + booleans()(1) + " " + chars()(25) + chars()(79) + " " + chars().size);
        Console.OUT.println(converted()(0) + " " + converted()(70) + " " + converted()(71) + " " + anything()(3) + anything()(4) + anything()(5));
        // A literal makes a new rail each time.
        val first = ints();
        first(0) = 7n;
        val list = new ArrayList[Long]();
        for (x in LONGS) list.add(x);
        Console.OUT.println(first(0) + " " + ints()(0) + " " + list.size() + " " + list(5));
        val it = new large_literals();
        Console.OUT.println(it.mixed() + " " + it.calls);
        Console.OUT.println(sum(it.computed(-1)) + " " + it.calls);
        val last = Place.places()(Place.numPlaces() - 1);
        Console.OUT.println(at (last) (MATRIX(4)(3) + LONGS(78)) + " " + at (last) STRINGS(78));
        try {
            val none = new large_literals().computed(700);
            Console.OUT.println(none.size);
        } catch (e:IllegalArgumentException) {
            Console.OUT.println(e.getMessage());
            for (line in e.getStackTrace()) Console.OUT.println(line);
        }
    }
}
