package x10.io;

/** Reads a stream of bytes of the system. */
public class InputStreamReader extends Reader {
    /** Bytes from outside the program. */
    protected abstract static class InputStream {
        /** Ends the reading. */
        public abstract def close():void;
        /** The next byte, 0 to 255, or -1. */
        public abstract def read():Int;
        /** The next len bytes; raises an EOFException if there are fewer. */
        public abstract def read(r:Rail[Byte], off:Long, len:Long):void;
        /** The number of bytes that are there already: reading them does not wait. */
        public abstract def available():Long;
        /** Leaves out v bytes. */
        public abstract def skip(v:Long):void;
        /** Remembers this position. */
        public abstract def mark(m:Long):void;
        /** Goes back to the position remembered. */
        public abstract def reset():void;
        /** Whether mark and reset work. */
        public abstract def markSupported():Boolean;
    }

    private val stream:InputStream;

    /** Reads stream. */
    public def this(stream:InputStream) { this.stream = stream; }
    /** What is read. */
    protected def stream():InputStream = stream;
    public def close():void { stream.close(); }
    public def read():Byte {
        val byte = stream.read();
        if (byte < 0n) throw new EOFException("end of the input");
        return byte as Byte;
    }
    public def read(r:Rail[Byte], off:Long, len:Long):void { stream.read(r, off, len); }
    public def available():Long = stream.available();
    public def skip(off:Long):void { stream.skip(off); }
    public def mark(off:Long):void { stream.mark(off); }
    public def reset():void { stream.reset(); }
    public def markSupported():Boolean = stream.markSupported();
}
