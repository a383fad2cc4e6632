package x10.io;

/** Writes a stream of bytes of the system. */
public class OutputStreamWriter extends Writer {
    /** Bytes to outside the program. */
    protected abstract static class OutputStream {
        /** Ends the writing. */
        public abstract def close():void;
        /** Passes on what is held back. */
        public abstract def flush():void;
        /** Writes the lowest byte of v. */
        public abstract def write(v:Int):void;
        /** Writes a text in UTF-8. */
        public abstract def write(s:String):void;
        /** Writes len bytes of r from off on. */
        public abstract def write(r:Rail[Byte], off:Long, len:Long):void;
    }

    private val out:OutputStream;

    /** Writes out. */
    public def this(out:OutputStream) { this.out = out; }
    /** What is written. */
    def stream():OutputStream = out;
    public def close():void { out.close(); }
    public def flush():void { out.flush(); }
    public def write(x:Byte):void { out.write(x as Int); }
    public def write(s:String):void { out.write(s); }
    public def write(buf:Rail[Byte], off:Long, len:Long):void { out.write(buf, off, len); }
}
