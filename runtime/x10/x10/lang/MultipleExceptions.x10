package x10.lang;

import x10.io.Printer;

/** What a finish raises: all the exceptions of the activities that it governs. */
public class MultipleExceptions(exceptions:Rail[CheckedThrowable]) extends Exception {
    /** Of these exceptions. */
    public def this(exceptions:Rail[CheckedThrowable]) {
        super(exceptions.size == 1 ? describe(exceptions(0)) : exceptions.size + " exceptions");
        property(exceptions);
    }
    /** Of one exception. */
    public def this(e:CheckedThrowable) {
        super(describe(e));
        property(new Rail[CheckedThrowable](1, e));
    }
    /** Of nested ones that gather one exception each, only that. */
    private static def describe(e:CheckedThrowable):String =
        e instanceof MultipleExceptions ? e.getMessage() : e.toString();
    /** The exceptions. */
    public final def exceptions():Rail[CheckedThrowable] = exceptions;
    /** Prints all of them. */
    public def printStackTrace(p:Printer):void {
        super.printStackTrace(p);
        for (e in exceptions) e.printStackTrace(p);
    }
    /** Those of type T, also inside nested MultipleExceptions if deep. */
    public final def getExceptionsOfType[T](deep:Boolean):Rail[T] {
        val found = new x10.util.ArrayList[T]();
        collect[T](deep, found);
        return found.toRail();
    }
    /** Those of type T, also inside nested MultipleExceptions. */
    public final def getExceptionsOfType[T]():Rail[T] = getExceptionsOfType[T](true);
    private def collect[T](deep:Boolean, found:x10.util.ArrayList[T]):void {
        for (e in exceptions) {
            if (e instanceof T) found.add(e as Any as T);
            else if (deep && e instanceof MultipleExceptions) (e as MultipleExceptions).collect[T](deep, found);
        }
    }
}
