package x10.io;

/** A reader that takes everything from another. */
public class FilterReader extends Reader {
    private val inner:Reader;

    /** Takes from r. */
    public def this(r:Reader) { this.inner = r; }
    /** The reader behind this. */
    protected def inner():Reader = inner;
    public def close():void { inner.close(); }
    public def read():Byte = inner.read();
    public def read(r:Rail[Byte], off:Long, len:Long):void { inner.read(r, off, len); }
    public def available():Long = inner.available();
    public def skip(off:Long):void { inner.skip(off); }
    public def mark(off:Long):void { inner.mark(off); }
    public def reset():void { inner.reset(); }
    public def markSupported():Boolean = inner.markSupported();
}
