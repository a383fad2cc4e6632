package x10.util;

import x10.compiler.Intrinsic;

/** A text that grows. Positions and lengths count bytes of its UTF-8 form, as those of String. */
public class StringBuilder implements Builder[Any,String] {
    private var bytes:Rail[Byte];
    private var count:Long = 0;

    /** An empty text. */
    public def this() { bytes = new Rail[Byte](64); }

    @Intrinsic("rt.string_copy_bytes") private static native def copyBytes(s:String, into:Rail[Byte], start:Long):void;

    /** Makes the rail long enough for more bytes. */
    private def reserve(more:Long):void {
        val larger = Unsafe.allocRailUninitialized[Byte](Math.max(count + more, bytes.size * 2));
        Rail.copy(bytes, 0, larger, 0, count);
        bytes = larger;
    }
    /** Makes room for more bytes at position p. */
    private def open(p:Long, more:Long):void {
        if (count + more > bytes.size) reserve(more);
        if (p < count) {
            Rail.copy(bytes, p, bytes, p + more, count - p);
        }
        count += more;
    }
    /** Adds a text at the end. */
    public def addString(s:String):StringBuilder {
        val text = s == null ? "null" : s;
        val more = text.length() as Long;
        if (count + more > bytes.size) reserve(more);
        copyBytes(text, bytes, count);
        count += more;
        return this;
    }
    private def put(s:String, p:Long):StringBuilder {
        open(p, s.length() as Long);
        copyBytes(s, bytes, p);
        return this;
    }
    /** Puts a text before position pos. */
    public def insertString(pos:Int, s:String):StringBuilder {
        if (pos < 0n || (pos as Long) > count)
            throw new StringIndexOutOfBoundsException("position " + pos + " is not within a StringBuilder of length " + count);
        return put(s == null ? "null" : s, pos as Long);
    }

    /** Adds the text of o. */
    public def add(o:Any):StringBuilder = addString("" + o);
    /** Adds a text. */
    public def add(x:String):StringBuilder = addString(x);
    /** Adds a character. */
    public def add(x:Char):StringBuilder {
        if (x.ord() >= 128n) return addString(x.toString());
        val end = count;
        if (end >= bytes.size) reserve(1);
        bytes(end) = x.ord() as Byte;
        count = end + 1;
        return this;
    }
    /** Adds "true" or "false". */
    public def add(x:Boolean):StringBuilder = addString(x ? "true" : "false");
    /** Adds a number. */
    public def add(x:Byte):StringBuilder = add(x as Long);
    /** Adds a number. */
    public def add(x:Short):StringBuilder = add(x as Long);
    /** Adds a number. */
    public def add(x:Int):StringBuilder = add(x as Long);
    /** Adds a number. */
    public def add(x:Long):StringBuilder {
        if (x < 0) return addString(x.toString());
        val end = count + digits(x);
        if (end > bytes.size) reserve(end - count);
        var spot:Long = end;
        var rest:Long = x;
        while (rest >= 10) {
            val tenth = rest / 10;
            bytes(--spot) = (48 + (rest - 10 * tenth)) as Byte;
            rest = tenth;
        }
        bytes(--spot) = (48 + rest) as Byte;
        count = end;
        return this;
    }
    /** How many digits x has, which is not negative. */
    private static def digits(x:Long):Long {
        var digits:Long = 1;
        var rest:Long = x;
        while (rest >= 10000) { rest /= 10000; digits += 4; }
        return rest < 10 ? digits : rest < 100 ? digits + 1 : rest < 1000 ? digits + 2 : digits + 3;
    }
    /** Adds a number. */
    public def add(x:Float):StringBuilder = addString(x.toString());
    /** Adds a number. */
    public def add(x:Double):StringBuilder = addString(x.toString());

    /** Puts the text of o before position p. */
    public def insert(p:Int, o:Any):StringBuilder = insertString(p, "" + o);
    /** Puts a text before position p. */
    public def insert(p:Int, x:String):StringBuilder = insertString(p, x);
    /** Puts "true" or "false" before position p. */
    public def insert(p:Int, x:Boolean):StringBuilder = insertString(p, x.toString());
    /** Puts a character before position p. */
    public def insert(p:Int, x:Char):StringBuilder = insertString(p, x.toString());
    /** Puts a number before position p. */
    public def insert(p:Int, x:Byte):StringBuilder = insertString(p, x.toString());
    /** Puts a number before position p. */
    public def insert(p:Int, x:Short):StringBuilder = insertString(p, x.toString());
    /** Puts a number before position p. */
    public def insert(p:Int, x:Int):StringBuilder = insertString(p, x.toString());
    /** Puts a number before position p. */
    public def insert(p:Int, x:Long):StringBuilder = insertString(p, x.toString());
    /** Puts a number before position p. */
    public def insert(p:Int, x:Float):StringBuilder = insertString(p, x.toString());
    /** Puts a number before position p. */
    public def insert(p:Int, x:Double):StringBuilder = insertString(p, x.toString());

    /** How many bytes. */
    public def length():Int = count as Int;
    /** The text. */
    public def result():String = new String(bytes, 0, count);
    /** The text. */
    public def toString():String = result();
}
