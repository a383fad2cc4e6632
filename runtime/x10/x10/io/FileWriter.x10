package x10.io;

import x10.compiler.Intrinsic;

/** Writes a file of this place. */
public class FileWriter extends Writer {
    private val handle:Long;

    /** Opens file, empty unless append; raises an IOException. */
    public def this(file:File, append:Boolean) { this.handle = open(file.getPath(), append); }
    /** Makes or empties file. */
    public def this(file:File) { this(file, false); }

    public def close():void { close(handle); }
    public def flush():void { flush(handle); }
    public def write(x:Byte):void { write(new Rail[Byte](1, x), 0, 1); }
    public def write(x:String):void { write(x.bytes()); }
    public def write(x:Rail[Byte], off:Long, len:Long):void { writeBytes(handle, x, off, len); }

    @Intrinsic("rt.file_open_write") private static native def open(path:String, append:Boolean):Long;
    @Intrinsic("rt.file_close") private static native def close(handle:Long):void;
    @Intrinsic("rt.file_flush") private static native def flush(handle:Long):void;
    @Intrinsic("rt.file_write") private static native def writeBytes(handle:Long, from:Rail[Byte], off:Long, len:Long):void;
}
