package x10.io;

import x10.compiler.Intrinsic;

/** Writes a file of this place. */
public class FileWriter extends OutputStreamWriter implements Unserializable {
    private static final class FileOutputStream extends OutputStream {
        private val handle:Long;

        def this(path:String, append:Boolean) { handle = open(path, append); }
        def this(handle:Long) { this.handle = handle; }

        public def close():void { close(handle); }
        public def flush():void { flush(handle); }
        public def write(v:Int):void { writeByte(handle, v); }
        public def write(s:String):void { writeText(handle, s); }
        public def write(r:Rail[Byte], off:Long, len:Long):void { writeBytes(handle, r, off, len); }

        @Intrinsic("rt.file_open_write") private static native def open(path:String, append:Boolean):Long;
        @Intrinsic("rt.file_close") private static native def close(handle:Long):void;
        @Intrinsic("rt.file_flush") private static native def flush(handle:Long):void;
        @Intrinsic("rt.file_write_byte") private static native def writeByte(handle:Long, byte:Int):void;
        @Intrinsic("rt.file_write_string") private static native def writeText(handle:Long, text:String):void;
        @Intrinsic("rt.file_write") private static native def writeBytes(handle:Long, from:Rail[Byte], off:Long, len:Long):void;
    }

    /** The input of a command of the shell. Not for programs: they call Runtime.execForWrite. */
    public static def ofCommand(command:String):Writer{self!=null} = new OutputStreamWriter(new FileOutputStream(start(command)));
    @Intrinsic("rt.process_open_write") private static native def start(command:String):Long;

    /** Makes or empties file; raises an IOException. */
    public def this(file:File) { this(file, false); }
    /** Opens file, empty unless append; raises an IOException. */
    public def this(file:File, append:Boolean) { super(new FileOutputStream(file.getPath(), append)); }
}
