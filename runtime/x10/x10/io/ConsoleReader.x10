package x10.io;

import x10.compiler.Intrinsic;

/** Reads standard input. */
final class ConsoleReader extends Reader {
    public def close():void { }
    public def read():Byte {
        val byte = readByteOrEnd();
        if (byte < 0n) throw new EOFException("end of standard input");
        return byte as Byte;
    }
    public def read(r:Rail[Byte], off:Long, len:Long):void { for (i in 0..(len - 1)) r(off + i) = read(); }
    public def available():Long = 0;
    public def readLine():String {
        val line = lineOrNull();
        if (line == null) throw new EOFException("end of standard input");
        return line;
    }

    /** The next byte, 0 to 255, or -1. */
    @Intrinsic("rt.console_read_byte") private static native def readByteOrEnd():Int;
    /** The next line without its end, or null. */
    @Intrinsic("rt.console_read_line") private static native def lineOrNull():String;
}
