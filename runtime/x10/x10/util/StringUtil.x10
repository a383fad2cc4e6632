package x10.util;

/** What can be done with the text of numbers and lists. */
public class StringUtil {
    private static def isNegative(s:String):Boolean = s.length() > 0n && s(0n) == '-';
    private static def withoutSign(s:String):String =
        s.length() > 0n && (s(0n) == '-' || s(0n) == '+') ? s.substring(1n) : s;
    /** The radix of a number that is written as in a program: 16 after 0x, 8 after another 0, else 10. */
    public static def radix(v:String):Int {
        val digits = withoutSign(v);
        if (digits.length() < 2n || digits(0n) != '0') return 10n;
        return digits(1n) == 'x' || digits(1n) == 'X' ? 16n : 8n;
    }
    /** The digits after the sign and what says the radix, after a minus if there is one. */
    private static def plain(v:String):String {
        val digits = withoutSign(v);
        val radix = radix(v);
        return (isNegative(v) ? "-" : "") + (radix == 16n ? digits.substring(2n) : radix == 8n ? digits.substring(1n) : digits);
    }
    /** A number in upper case, and the letters of its type: those at its end, or "I" or "D" as it looks. */
    public static def stripNumericType(s:String):Pair[String,String] {
        val upper = s.toUpperCase();
        val hexadecimal = upper.indexOf('X') >= 0n;
        var end:Int = upper.length();
        while (end > 0n && !isDigit(upper(end - 1n), hexadecimal) && upper(end - 1n) != '.') end--;
        val number = upper.substring(0n, end);
        if (end < upper.length()) return Pair[String,String](number, upper.substring(end));
        val floating = !hexadecimal && (number.indexOf('.') >= 0n || number.indexOf('E') > 0n);
        return Pair[String,String](number, floating ? "D" : "I");
    }
    private static def isDigit(c:Char, hexadecimal:Boolean):Boolean = c >= '0' && c <= '9' || hexadecimal && c >= 'A' && c <= 'F';

    /** Reads a Byte as a program writes it: decimal, 0x and hexadecimal, or 0 and octal. Raises a NumberFormatException. */
    public static def parseByte(s:String):Byte = Byte.parse(plain(s), radix(s));
    /** Reads a Short as a program writes it: decimal, 0x and hexadecimal, or 0 and octal. Raises a NumberFormatException. */
    public static def parseShort(s:String):Short = Short.parse(plain(s), radix(s));
    /** Reads a Int as a program writes it: decimal, 0x and hexadecimal, or 0 and octal. Raises a NumberFormatException. */
    public static def parseInt(s:String):Int = Int.parse(plain(s), radix(s));
    /** Reads a Long as a program writes it: decimal, 0x and hexadecimal, or 0 and octal. Raises a NumberFormatException. */
    public static def parseLong(s:String):Long = Long.parse(plain(s), radix(s));
    /** Reads a UByte as a program writes it: decimal, 0x and hexadecimal, or 0 and octal. Raises a NumberFormatException. */
    public static def parseUByte(s:String):UByte = UByte.parse(plain(s), radix(s));
    /** Reads a UShort as a program writes it: decimal, 0x and hexadecimal, or 0 and octal. Raises a NumberFormatException. */
    public static def parseUShort(s:String):UShort = UShort.parse(plain(s), radix(s));
    /** Reads a UInt as a program writes it: decimal, 0x and hexadecimal, or 0 and octal. Raises a NumberFormatException. */
    public static def parseUInt(s:String):UInt = UInt.parse(plain(s), radix(s));
    /** Reads a ULong as a program writes it: decimal, 0x and hexadecimal, or 0 and octal. Raises a NumberFormatException. */
    public static def parseULong(s:String):ULong = ULong.parse(plain(s), radix(s));

    /** The elements with commas between them, in lines of about 80 characters. */
    public static def formatArray[T](a:Rail[T]):String = formatArray[T](a, ", ", "    ", 80n);
    /** The elements with separator between them, in lines that begin with leftPad and end after maxLength characters. */
    public static def formatArray[T](a:Rail[T], separator:String, leftPad:String, maxLength:Int):String {
        val text = new StringBuilder();
        var lineStart:Int = 0n;
        for (i in 0..(a.size - 1)) {
            if (i == 0) text.add(leftPad);
            else if (text.length() - lineStart >= maxLength) {
                text.add('\n');
                lineStart = text.length();
                text.add(leftPad);
            }
            text.addString("" + a(i));
            if (i < a.size - 1) text.add(separator);
        }
        return text.result();
    }

    private static def setOf(words:Rail[String]):HashSet[String] {
        val set = new HashSet[String]();
        for (word in words) set.add(word);
        return set;
    }
    /** The words that mean yes. */
    public static trueStrings:HashSet[String] = setOf(["1", "yea", "yes", "si", "sim", "oui", "ja", "ok", "okay", "true", "t", "on"]);
    /** The words that mean no. */
    public static falseStrings:HashSet[String] = setOf(["0", "no", "non", "nao", "nay", "nein", "false", "f", "off"]);
    /** Whether v means yes, in any case of its letters; raises an IllegalArgumentException if it means neither yes nor no. */
    public static def checkBoolean(v:String):Boolean {
        val word = v.toLowerCase();
        if (trueStrings.contains(word)) return true;
        if (falseStrings.contains(word)) return false;
        throw new IllegalArgumentException("\"" + v + "\" means neither true nor false");
    }
}
