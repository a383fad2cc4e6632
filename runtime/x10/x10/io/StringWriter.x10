package x10.io;

import x10.util.GrowableRail;

/** A writer that makes a string. */
public class StringWriter extends Writer {
    private val bytes:GrowableRail[Byte] = new GrowableRail[Byte](64);

    /** Nothing is written yet. */
    public def this() { }
    public def write(x:Byte):void { bytes.add(x); }
    public def write(s:String):void { bytes.addAll(s.bytes()); }
    public def write(x:Rail[Byte], off:Long, len:Long):void { for (i in off..(off + len - 1)) bytes.add(x(i)); }
    public def flush():void { }
    public def close():void { }
    /** How many bytes were written. */
    public def size():Int = bytes.size() as Int;
    /** What was written. */
    public def result():String = new String(bytes);
}
