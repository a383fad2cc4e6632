package x10.io;

/** A writer that passes everything on to another. */
public class FilterWriter extends Writer {
    private val inner:Writer;

    /** Passes on to inner. */
    public def this(inner:Writer) { this.inner = inner; }
    /** The writer behind this. */
    protected def inner():Writer = inner;
    public def close():void { inner.close(); }
    public def flush():void { inner.flush(); }
    public def write(x:Byte):void { inner.write(x); }
    public def write(x:String):void { inner.write(x); }
    public def write(x:Rail[Byte], off:Long, len:Long):void { inner.write(x, off, len); }
}
