package x10.io;

import x10.compiler.Intrinsic;

/** Reads a file of this place. */
public class FileReader extends InputStreamReader implements Unserializable {
    private static final class FileInputStream extends InputStream {
        private val handle:Long;
        private var marked:Long = 0;

        def this(path:String) { handle = open(path); }
        def this(handle:Long) { this.handle = handle; }

        public def close():void { close(handle); }
        public def read():Int = readByteOrEnd(handle);
        public def read(r:Rail[Byte], off:Long, len:Long):void {
            if (readBytes(handle, r, off, len) < len) throw new EOFException("end of the file");
        }
        public def available():Long = available(handle);
        public def skip(v:Long):void { seek(handle, position(handle) + v); }
        public def mark(m:Long):void { marked = position(handle); }
        public def reset():void { seek(handle, marked); }
        public def markSupported():Boolean = true;
        def offset():Long = position(handle);
        def line():String = lineOrNull(handle);

        @Intrinsic("rt.file_open_read") private static native def open(path:String):Long;
        @Intrinsic("rt.file_close") private static native def close(handle:Long):void;
        @Intrinsic("rt.file_read_byte") private static native def readByteOrEnd(handle:Long):Int;
        @Intrinsic("rt.file_read_line") private static native def lineOrNull(handle:Long):String;
        @Intrinsic("rt.file_read") private static native def readBytes(handle:Long, into:Rail[Byte], off:Long, len:Long):Long;
        @Intrinsic("rt.file_available") private static native def available(handle:Long):Long;
        @Intrinsic("rt.file_position") private static native def position(handle:Long):Long;
        @Intrinsic("rt.file_seek") private static native def seek(handle:Long, position:Long):void;
    }

    private val file:File;

    /** The output of a command of the shell. Not for programs: they call Runtime.execForRead. */
    public static def ofCommand(command:String):Reader{self!=null} = new InputStreamReader(new FileInputStream(start(command)));
    @Intrinsic("rt.process_open_read") private static native def start(command:String):Long;

    /** Opens source; raises a FileNotFoundException. */
    public def this(source:File) {
        super(new FileInputStream(source.getPath()));
        file = source;
    }
    public def readLine():String {
        val line = (stream() as FileInputStream).line();
        if (line == null) throw new EOFException("end of the file " + file);
        return line;
    }
    /** The position in the file of the next byte. */
    public def offset():Long = (stream() as FileInputStream).offset();
    /** Reads lines by readLine. */
    public def lines():ReaderIterator[String] = new ReaderIterator[String](new FileLines(), this);
}

final class FileLines implements Marshal[String] {
    public def read(r:Reader):String = r.readLine();
    public def write(w:Writer, v:String):void { w.write(v); }
}
