package x10.io;

import x10.compiler.Intrinsic;

/** Reads a file of this place. */
public class FileReader extends Reader {
    private val handle:Long;

    /** Opens file; raises a FileNotFoundException. */
    public def this(file:File) { this.handle = open(file.getPath()); }

    public def close():void { close(handle); }
    public def read():Byte {
        val byte = readByteOrEnd(handle);
        if (byte < 0n) throw new EOFException("end of the file");
        return byte as Byte;
    }
    public def read(r:Rail[Byte], off:Long, len:Long):void {
        if (readBytes(handle, r, off, len) < len) throw new EOFException("end of the file");
    }
    public def available():Long = available(handle);

    @Intrinsic("rt.file_open_read") private static native def open(path:String):Long;
    @Intrinsic("rt.file_close") private static native def close(handle:Long):void;
    @Intrinsic("rt.file_read_byte") private static native def readByteOrEnd(handle:Long):Int;
    @Intrinsic("rt.file_read") private static native def readBytes(handle:Long, into:Rail[Byte], off:Long, len:Long):Long;
    @Intrinsic("rt.file_available") private static native def available(handle:Long):Long;
}
