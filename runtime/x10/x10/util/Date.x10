package x10.util;

/** A moment, in milliseconds since the start of 1970 (UTC). */
public class Date implements Comparable[Date] {
    private var millis:Long;

    /** Now. */
    public def this() { this(Timer.milliTime()); }
    /** millis milliseconds after the start of 1970. */
    public def this(millis:Long) { this.millis = millis; }

    /** Milliseconds since the start of 1970. */
    public def getTime():Long = millis;
    /** Makes it another moment. */
    public def setTime(millis:Long):void { this.millis = millis; }
    /** Negative if this comes before x, positive if after it. */
    public def compareTo(x:Date):Int = millis.compareTo(x.millis);
    /** Whether x is the same moment. */
    public def equals(x:Any):Boolean = x instanceof Date && (x as Date).millis == millis;
    /** Whether x is the same moment. */
    public def equals(x:Date):Boolean = x != null && x.millis == millis;
    /** A hash of the moment. */
    public def hashCode():Int = millis.hashCode();
    /** Whether this comes before x. */
    public def before(x:Date):Boolean = millis < x.millis;
    /** Whether this comes after x. */
    public def after(x:Date):Boolean = millis > x.millis;

    /** As "Thu Jan 01 00:00:00 UTC 1970". */
    public def toString():String {
        val day = floorDiv(millis, 86400000);
        val second = floorDiv(millis, 1000) - day * 86400;
        // The calendar of 400 years repeats. Years are taken to begin in March, so that the leap day is the last.
        val since = day + 719468;
        val era = floorDiv(since, 146097);
        val inEra = since - era * 146097;
        val yearOfEra = (inEra - inEra / 1460 + inEra / 36524 - inEra / 146096) / 365;
        val inYear = inEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100);
        val marchMonth = (5 * inYear + 2) / 153;
        val inMonth = inYear - (153 * marchMonth + 2) / 5 + 1;
        val month = marchMonth < 10 ? marchMonth + 2 : marchMonth - 10;
        val year = yearOfEra + era * 400 + (month < 2 ? 1 : 0);
        val weekday = ((day + 4) % 7 + 7) % 7;
        return name("SunMonTueWedThuFriSat", weekday) + " " + name("JanFebMarAprMayJunJulAugSepOctNovDec", month) + " " + two(inMonth) + " " +
            two(second / 3600) + ":" + two(second / 60 % 60) + ":" + two(second % 60) + " UTC " + year;
    }
    private static def floorDiv(a:Long, b:Long):Long = a >= 0 ? a / b : -((b - 1 - a) / b);
    private static def name(names:String, index:Long):String = names.substring((3 * index) as Int, (3 * index + 3) as Int);
    private static def two(number:Long):String = (number < 10 ? "0" : "") + number;
}
