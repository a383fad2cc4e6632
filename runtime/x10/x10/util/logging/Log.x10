package x10.util.logging;

/** Takes messages of six levels, from trace to fatal. */
public interface Log {
    /** A step of the program. */
    def trace(message:Any):void;
    /** A step of the program, and what went wrong. */
    def trace(message:Any, t:CheckedThrowable):void;
    /** For who looks for a mistake. */
    def debug(message:Any):void;
    /** For who looks for a mistake, and what went wrong. */
    def debug(message:Any, t:CheckedThrowable):void;
    /** Worth knowing. */
    def info(message:Any):void;
    /** Worth knowing, and what went wrong. */
    def info(message:Any, t:CheckedThrowable):void;
    /** Likely wrong. */
    def warn(message:Any):void;
    /** Likely wrong, and why. */
    def warn(message:Any, t:CheckedThrowable):void;
    /** Wrong. */
    def error(message:Any):void;
    /** Wrong, and why. */
    def error(message:Any, t:CheckedThrowable):void;
    /** The program cannot go on. */
    def fatal(message:Any):void;
    /** The program cannot go on, and why. */
    def fatal(message:Any, t:CheckedThrowable):void;
    /** Whether such messages are kept. */
    def isTraceEnabled():Boolean;
    /** Whether such messages are kept. */
    def isDebugEnabled():Boolean;
    /** Whether such messages are kept. */
    def isInfoEnabled():Boolean;
    /** Whether such messages are kept. */
    def isWarnEnabled():Boolean;
    /** Whether such messages are kept. */
    def isErrorEnabled():Boolean;
    /** Whether such messages are kept. */
    def isFatalEnabled():Boolean;
}
