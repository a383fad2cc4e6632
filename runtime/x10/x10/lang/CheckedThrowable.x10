package x10.lang;

import x10.compiler.Intrinsic;
import x10.io.Printer;
import x10.io.Console;

/** All that can be thrown. */
public class CheckedThrowable {
    private static MAX_FRAMES:Long = 64;
    private val message:String;
    private val cause:CheckedThrowable;
    /** Return addresses relative to the program, innermost first. */
    private val frames:Rail[Long];

    /** Without a message. */
    public def this() { this(null, null); }
    /** With a message. */
    public def this(message:String) { this(message, null); }
    /** With what caused it. */
    public def this(cause:CheckedThrowable) { this(cause == null ? null : cause.toString(), cause); }
    /** With a message and what caused it. */
    public def this(message:String, cause:CheckedThrowable) {
        this.message = message;
        this.cause = cause;
        this.frames = new Rail[Long](MAX_FRAMES);
        captureFrames(this.frames);
    }

    /** Fills frames with the stack of the caller; the rest stays 0. */
    @Intrinsic("rt.stack_capture") private static native def captureFrames(frames:Rail[Long]):void;
    /** A line "Class.method (file.x10:line)" for each call; if brief, repeated ones are counted. */
    @Intrinsic("rt.stack_describe") private static native def describe(frames:Rail[Long], brief:Boolean):String;

    /** The message, or null. */
    public def getMessage():String = message;
    /** What caused it, or null. */
    public final def getCheckedCause():CheckedThrowable = cause;
    /** What caused it, or null; what is no Exception stands inside a WrappedThrowable. */
    public final def getCause():Exception = cause == null ? null : Exception.ensureException(cause);
    /** The type and the message. */
    public def toString():String = message == null ? typeName() : typeName() + ": " + message;
    /** Where it was thrown: one text for each call, innermost first. */
    public final def getStackTrace():Rail[String] = lines(false);
    private def lines(brief:Boolean):Rail[String] {
        val text = describe(frames, brief);
        return text.length() == 0n ? new Rail[String](0) : text.split("\n");
    }
    /** Makes the stack trace that of the caller. */
    public def fillInStackTrace():CheckedThrowable {
        captureFrames(frames);
        return this;
    }
    /** Tells the compiler that a T may be thrown here, though nothing is. */
    public static def pretendToThrow[T](){T <: CheckedThrowable}:void { }
    /** x; tells the compiler that a T may be thrown here, though nothing is. */
    public static def pretendToThrow[T,R](x:R){T <: CheckedThrowable}:R = x;
    /** Prints the message, the stack and the causes to standard error. */
    public def printStackTrace():void { printStackTrace(Console.ERR); }
    /** Prints the message, the stack and the causes. */
    public def printStackTrace(p:Printer):void {
        p.println(this.toString());
        for (line in lines(true)) p.println(line.startsWith("...") ? "\t" + line : "\tat " + line);
        if (cause != null) { p.print("Caused by: "); cause.printStackTrace(p); }
    }
}
