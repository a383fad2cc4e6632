package x10.util;

/** A text that grows. */
public class StringBuilder {
    private val bytes:ArrayList[Byte] = new ArrayList[Byte](64);

    /** An empty text. */
    public def this() { }

    /** Adds the text of o. */
    public def add(o:Any):StringBuilder = addString("" + o);
    /** Adds the text of o. */
    public def add(s:String):StringBuilder = addString("" + s);
    /** Adds a text. */
    public def addString(s:String):StringBuilder {
        for (byte in s.bytes()) bytes.add(byte);
        return this;
    }
    /** How many bytes. */
    public def length():Int = bytes.size() as Int;
    /** The text. */
    public def result():String = new String(bytes.toRail());
    /** The text. */
    public def toString():String = result();
}
