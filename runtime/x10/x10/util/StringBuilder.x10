package x10.util;

import x10.compiler.Intrinsic;

/** A text that grows. Positions and lengths count bytes of its UTF-8 form, as those of String. */
public class StringBuilder implements Builder[Any,String] {
    private var bytes:Rail[Byte];
    private var count:Long = 0;

    /** An empty text. */
    public def this() { bytes = new Rail[Byte](64); }

    @Intrinsic("rt.string_copy_bytes") private static native def copyBytes(s:String, into:Rail[Byte], start:Long):void;

    /** Makes room for more bytes at position p. */
    private def open(p:Long, more:Long):void {
        if (count + more > bytes.size) {
            val larger = new Rail[Byte](Math.max(count + more, bytes.size * 2));
            Rail.copy(bytes, 0, larger, 0, p);
            Rail.copy(bytes, p, larger, p + more, count - p);
            bytes = larger;
        } else if (p < count) {
            Rail.copy(bytes, p, bytes, p + more, count - p);
        }
        count += more;
    }
    /** Adds a text at the end. */
    public def addString(s:String):StringBuilder = s == null ? put("null", count) : put(s, count);
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
        if (count == bytes.size) open(count, 1); else count++;
        bytes(count - 1) = x.ord() as Byte;
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
        var digits:Long = 1;
        for (var rest:Long = x / 10; rest > 0; rest /= 10) digits++;
        open(count, digits);
        var rest:Long = x;
        for (i in 1..digits) {
            bytes(count - i) = (48 + rest % 10) as Byte;
            rest /= 10;
        }
        return this;
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
