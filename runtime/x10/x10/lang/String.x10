package x10.lang;

import x10.compiler.Intrinsic;
import x10.compiler.Factory;
import x10.util.Ordered;

/**
 * An immutable text. Positions and lengths count bytes of its UTF-8 form, which for ASCII are characters, as in
 * X10's native implementation.
 */
public final class String implements Comparable[String], CharSequence, Ordered[String], (Int)=>Char {
    /** The empty string. */
    @Factory("make") public native def this();
    /** The same text. */
    @Factory("make") public native def this(original:String);
    /** The text with these UTF-8 bytes. */
    @Factory("make") public native def this(r:Rail[Byte]);
    /** The text with length UTF-8 bytes from offset on. */
    @Factory("make") public native def this(r:Rail[Byte], offset:Long, length:Long);
    /** The text with these UTF-8 bytes. */
    @Factory("make") public native def this(r:x10.util.GrowableRail[Byte]);
    /** The text of these characters. */
    @Factory("make") public native def this(r:Rail[Char]);
    /** The text of length characters from offset on. */
    @Factory("make") public native def this(r:Rail[Char], offset:Long, length:Long);

    private static def make():String = "";
    private static def make(original:String):String = original;
    private static def make(r:Rail[Byte]):String = fromBytes(r, 0, r.size);
    private static def make(r:x10.util.GrowableRail[Byte]):String = make(r.toRail());
    private static def make(r:Rail[Byte], offset:Long, length:Long):String = fromBytes(r, offset, length);
    private static def make(r:Rail[Char]):String = fromChars(r, 0, r.size);
    private static def make(r:Rail[Char], offset:Long, length:Long):String = fromChars(r, offset, length);
    @Intrinsic("rt.string_from_bytes") private static native def fromBytes(r:Rail[Byte], offset:Long, length:Long):String;
    @Intrinsic("rt.string_from_chars") private static native def fromChars(r:Rail[Char], offset:Long, length:Long):String;
    @Intrinsic("rt.string_copy_bytes") private static native def copyBytes(s:String, into:Rail[Byte], start:Long):void;

    /** Whether that is a string with the same text. */
    public def equals(that:Any):Boolean = that instanceof String && sameText(this, that as String);
    /** Whether that has the same text. */
    public def equals(that:String):Boolean = that != null && sameText(this, that);
    @Intrinsic("rt.string_equals") private static native def sameText(a:String, b:String):Boolean;
    /** Whether that has the same text but for upper and lower case. */
    public def equalsIgnoreCase(that:String):Boolean = that != null && sameText(toLowerCase(), that.toLowerCase());
    /** A hash of the text. */
    @Intrinsic("rt.string_hash") public native def hashCode():Int;
    /** This. */
    public def toString():String = this;
    /** The number of bytes. */
    @Intrinsic("rt.string_length") public native def length():Int;
    /** The byte at index, as a character. */
    public operator this(index:Int):Char = charAt(index);
    /** The byte at index, as a character; raises a StringIndexOutOfBoundsException if there is none. */
    @Intrinsic("rt.string_char_at") public native def charAt(index:Int):Char;
    /** All bytes, as characters. */
    public def chars():Rail[Char] = new Rail[Char](length() as Long, (i:Long)=>charAt(i as Int));
    /** All bytes. */
    public def bytes():Rail[Byte] {
        val result = new Rail[Byte](length() as Long);
        copyBytes(this, result, 0);
        return result;
    }
    /** The same as substring. */
    public def subSequence(fromIndex:Int, toIndex:Int):CharSequence = substring(fromIndex, toIndex);
    /** The text from fromIndex to before toIndex. */
    @Intrinsic("rt.string_substring") public native def substring(fromIndex:Int, toIndex:Int):String;
    /** The text from fromIndex to the end. */
    public def substring(fromIndex:Int):String = substring(fromIndex, length());
    /** Where ch first is, or -1. */
    public def indexOf(ch:Char):Int = indexOf(ch.toString(), 0n);
    /** Where ch first is from position i on, or -1. */
    public def indexOf(ch:Char, i:Int):Int = indexOf(ch.toString(), i);
    /** Where str first is, or -1. */
    public def indexOf(str:String):Int = indexOf(str, 0n);
    /** Where str first is from position i on, or -1. */
    @Intrinsic("rt.string_index_of") public native def indexOf(str:String, i:Int):Int;
    /** Where ch last is, or -1. */
    public def lastIndexOf(ch:Char):Int = lastIndexOf(ch.toString(), length());
    /** Where ch last is at position i or before, or -1. */
    public def lastIndexOf(ch:Char, i:Int):Int = lastIndexOf(ch.toString(), i);
    /** Where str last is, or -1. */
    public def lastIndexOf(str:String):Int = lastIndexOf(str, length());
    /** Where str last begins at position i or before, or -1. */
    @Intrinsic("rt.string_last_index_of") public native def lastIndexOf(str:String, i:Int):Int;
    /** Whether str is somewhere in this. */
    public def contains(str:String):Boolean = indexOf(str) >= 0n;
    /** The parts between the occurrences of delimiter, a plain text. */
    public def split(delimiter:String):Rail[String] {
        if (delimiter.length() == 0n) return new Rail[String](length() as Long, (i:Long)=>substring(i as Int, (i as Int) + 1n));
        val parts = new x10.util.GrowableRail[String](8);
        var start:Int = 0n;
        for (var end:Int = indexOf(delimiter, 0n); end >= 0n; end = indexOf(delimiter, start)) {
            parts.add(substring(start, end));
            start = end + delimiter.length();
        }
        parts.add(substring(start));
        return parts.toRail();
    }
    /** The text without white space at both ends. */
    @Intrinsic("rt.string_trim") public native def trim():String;
    /** The text of any value. */
    public static def valueOf[T](v:T):String = "" + v;
    /** The arguments put into fmt at its %d, %s, %5.2f, ... (as C's printf). */
    @Intrinsic("rt.string_format") public native static def format(fmt:String, args:Rail[Any]):String;
    /** In lower case. */
    @Intrinsic("rt.string_to_lower") public native def toLowerCase():String;
    /** In upper case. */
    @Intrinsic("rt.string_to_upper") public native def toUpperCase():String;
    /** Order of the bytes. */
    @Intrinsic("rt.string_compare") public native def compareTo(arg:String):Int;
    /** Order of the bytes in lower case. */
    public def compareToIgnoreCase(arg:String):Int = toLowerCase().compareTo(arg.toLowerCase());
    /** Whether this begins with arg. */
    public def startsWith(arg:String):Boolean = beginsAt(0n, arg);
    /** Whether this ends with arg. */
    public def endsWith(arg:String):Boolean = beginsAt(length() - arg.length(), arg);
    private def beginsAt(start:Int, part:String):Boolean {
        if (start < 0n || length() - start < part.length()) return false;
        for (i in 0n..(part.length() - 1n)) if (charAt(start + i) != part.charAt(i)) return false;
        return true;
    }
    /** The characters of x and then those of y. */
    public static operator (x:String) + (y:String):String = x + y;
    /** The characters of x and of y as text. */
    public static operator[T] (x:String) + (y:T):String = x + y;
    /** The characters of x as text and of y. */
    public static operator[T] (x:T) + (y:String):String = x + y;
    /** Whether this comes before x. */
    public operator this < (x:String):Boolean = compareTo(x) < 0n;
    /** Whether this comes after x. */
    public operator this > (x:String):Boolean = compareTo(x) > 0n;
    /** Whether this does not come after x. */
    public operator this <= (x:String):Boolean = compareTo(x) <= 0n;
    /** Whether this does not come before x. */
    public operator this >= (x:String):Boolean = compareTo(x) >= 0n;
}

/** The String that is equal to value. */
public type String(value:String) = String{self==value};
