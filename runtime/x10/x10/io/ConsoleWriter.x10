package x10.io;

import x10.compiler.Intrinsic;

/** Writes to standard output (1) or standard error (2). */
final class ConsoleWriter extends Writer {
    private val stream:Int;

    def this(stream:Int) { this.stream = stream; }

    public def close():void { flush(); }
    public def flush():void { flush(stream); }
    public def write(x:Byte):void { write(new Rail[Byte](1, x), 0, 1); }
    public def write(x:String):void { print(stream, x); }
    public def write(x:Rail[Byte], off:Long, len:Long):void { print(stream, new String(x, off, len)); }

    @Intrinsic("rt.console_print") private static native def print(stream:Int, text:String):void;
    @Intrinsic("rt.console_flush") private static native def flush(stream:Int):void;
}
