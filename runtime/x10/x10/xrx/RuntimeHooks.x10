package x10.xrx;

import x10.io.Console;

/**
 * What the runtime calls back. The compiler puts all of them into every program's table, in this order.
 * `exceptionOf` makes the exception for the runtime's own errors, by their number in the C ABI.
 */
public class RuntimeHooks {
    /** The exception of this kind: the numbers are those of `apg_exception_kind`. */
    public static def exceptionOf(kind:Int, message:String):CheckedThrowable {
        switch (kind) {
            case 0n: return new ArrayIndexOutOfBoundsException(message);
            case 1n: return new NullPointerException(message);
            case 2n: return new ClassCastException(message);
            case 3n: return new ArithmeticException(message);
            case 4n: return new NegativeArraySizeException(message);
            case 5n: return new OutOfMemoryError(message);
            case 6n: return new StackOverflowError(message);
            case 7n: return new StringIndexOutOfBoundsException(message);
            case 8n: return new NumberFormatException(message);
            case 9n: return new BadPlaceException(message);
            case 10n: return new DeadPlaceException(message);
            case 11n: return new ClockUseException(message);
            case 12n: return new IllegalArgumentException(message);
            case 13n: return new IllegalOperationException(message);
            case 14n: return new UnsupportedOperationException(message);
            case 15n: return new FailedDynamicCheckException(message);
            case 16n: return new x10.io.IOException(message);
            case 17n: return new x10.io.FileNotFoundException(message);
            case 18n: return new x10.io.EOFException(message);
            case 19n: return new x10.io.NotSerializableException(message);
            default: return new InternalError(message);
        }
    }
    /** The exception that a finish raises for these. */
    public static def multipleExceptions(exceptions:Rail[CheckedThrowable]):CheckedThrowable =
        new MultipleExceptions(exceptions);
    /** An empty rail for `count` exceptions. */
    public static def exceptionRail(count:Long):Rail[CheckedThrowable] = new Rail[CheckedThrowable](count);
    /** A rail for `count` program arguments. */
    public static def stringRail(count:Long):Rail[String] = new Rail[String](count);
    /** Prints an exception that nothing caught. */
    public static def reportUncaught(e:CheckedThrowable):void { e.printStackTrace(Console.ERR); }
}
