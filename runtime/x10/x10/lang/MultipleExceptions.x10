package x10.lang;

import x10.io.Printer;
import x10.util.GrowableRail;

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
    /** Of these exceptions. */
    public def this(es:GrowableRail[CheckedThrowable]) { this(es.toRail()); }
    /** Of no exception. */
    public def this() { this(new Rail[CheckedThrowable](0)); }
    /** Of these exceptions; null if there is none. */
    public static def make(es:GrowableRail[CheckedThrowable]):MultipleExceptions = es == null || es.isEmpty() ? null : new MultipleExceptions(es);
    /** Of one exception; null for null. */
    public static def make(t:CheckedThrowable):MultipleExceptions = t == null ? null : new MultipleExceptions(t);
    /** What is left without those of type T, also inside nested MultipleExceptions if deep; null if nothing is. */
    public final def filterExceptionsOfType[T](deep:Boolean):MultipleExceptions {
        val rest = new GrowableRail[CheckedThrowable]();
        part[T](deep, new GrowableRail[T](), rest);
        return make(rest);
    }
    /** What is left without those of type T, also inside nested MultipleExceptions; null if nothing is. */
    public final def filterExceptionsOfType[T]():MultipleExceptions = filterExceptionsOfType[T](true);
    /** The same exceptions, with those inside nested MultipleExceptions in the place of these. */
    public final def flatten():MultipleExceptions {
        val all = new GrowableRail[CheckedThrowable]();
        flattenInto(all);
        return new MultipleExceptions(all);
    }
    private def flattenInto(all:GrowableRail[CheckedThrowable]):void {
        for (e in exceptions) if (e instanceof MultipleExceptions) (e as MultipleExceptions).flattenInto(all); else all.add(e);
    }
    /** Adds those of type T to found and the others to rest; nested MultipleExceptions are parted as well if deep. */
    private def part[T](deep:Boolean, found:GrowableRail[T], rest:GrowableRail[CheckedThrowable]):void {
        for (e in exceptions) {
            if (e instanceof T) {
                found.add(e as Any as T);
            } else if (deep && e instanceof MultipleExceptions) {
                val inner = new GrowableRail[CheckedThrowable]();
                (e as MultipleExceptions).part[T](deep, found, inner);
                if (!inner.isEmpty()) rest.add(new MultipleExceptions(inner));
            } else {
                rest.add(e);
            }
        }
    }
    /** Gives take those of type E, if there are any; what is left, or null. */
    private static def handle[E](from:MultipleExceptions, deep:Boolean, take:(Rail[E])=>void):MultipleExceptions {
        if (from == null) return null;
        val found = new GrowableRail[E]();
        val rest = new GrowableRail[CheckedThrowable]();
        from.part[E](deep, found, rest);
        if (!found.isEmpty()) take(found.toRail());
        return make(rest);
    }
    /** Gives take each of type E; what is left, or null. */
    private static def handleEach[E](from:MultipleExceptions, deep:Boolean, take:(E)=>void):MultipleExceptions =
        handle[E](from, deep, (found:Rail[E])=>{ for (e in found) take(e); });
    /** Runs body; raises what sift leaves of the MultipleExceptions that it raises. At the end runs last. */
    private static def run(body:()=>void, sift:(MultipleExceptions)=>MultipleExceptions, last:()=>void):void {
        try {
            body();
        } catch (caught:MultipleExceptions) {
            val rest = sift(caught);
            if (rest != null) throw rest;
        } finally {
            last();
        }
    }

    /** Runs body; of the MultipleExceptions that it raises, those of type E go to take, and those of other types are raised. deep: also those inside nested MultipleExceptions. */
    public static operator try[E](deep:Boolean, body:()=>void, take:(Rail[E])=>void):void {
        run(body, (caught:MultipleExceptions)=>handle[E](caught, deep, take), ()=>{ });
    }
    /** Runs body; of the MultipleExceptions that it raises, those of type E go to take, and those of other types are raised. Also those inside nested MultipleExceptions. */
    public static operator try[E](body:()=>void, take:(Rail[E])=>void):void {
        run(body, (caught:MultipleExceptions)=>handle[E](caught, true, take), ()=>{ });
    }
    /** Runs body; of the MultipleExceptions that it raises, those of type E go to take, and those of other types are raised. At the end, last is run. deep: also those inside nested MultipleExceptions. */
    public static operator try[E](deep:Boolean, body:()=>void, take:(Rail[E])=>void, last:()=>void):void {
        run(body, (caught:MultipleExceptions)=>handle[E](caught, deep, take), last);
    }
    /** Runs body; of the MultipleExceptions that it raises, those of type E go to take, and those of other types are raised. At the end, last is run. Also those inside nested MultipleExceptions. */
    public static operator try[E](body:()=>void, take:(Rail[E])=>void, last:()=>void):void {
        run(body, (caught:MultipleExceptions)=>handle[E](caught, true, take), last);
    }
    /** Runs body; of the MultipleExceptions that it raises, those of type E1 go to take1, those of E2 to take2, and those of other types are raised. deep: also those inside nested MultipleExceptions. */
    public static operator try[E1,E2](deep:Boolean, body:()=>void, take1:(Rail[E1])=>void, take2:(Rail[E2])=>void):void {
        run(body, (caught:MultipleExceptions)=>handle[E2](handle[E1](caught, deep, take1), deep, take2), ()=>{ });
    }
    /** Runs body; of the MultipleExceptions that it raises, those of type E1 go to take1, those of E2 to take2, and those of other types are raised. Also those inside nested MultipleExceptions. */
    public static operator try[E1,E2](body:()=>void, take1:(Rail[E1])=>void, take2:(Rail[E2])=>void):void {
        run(body, (caught:MultipleExceptions)=>handle[E2](handle[E1](caught, true, take1), true, take2), ()=>{ });
    }
    /** Runs body; of the MultipleExceptions that it raises, those of type E1 go to take1, those of E2 to take2, and those of other types are raised. At the end, last is run. deep: also those inside nested MultipleExceptions. */
    public static operator try[E1,E2](deep:Boolean, body:()=>void, take1:(Rail[E1])=>void, take2:(Rail[E2])=>void, last:()=>void):void {
        run(body, (caught:MultipleExceptions)=>handle[E2](handle[E1](caught, deep, take1), deep, take2), last);
    }
    /** Runs body; of the MultipleExceptions that it raises, those of type E1 go to take1, those of E2 to take2, and those of other types are raised. At the end, last is run. Also those inside nested MultipleExceptions. */
    public static operator try[E1,E2](body:()=>void, take1:(Rail[E1])=>void, take2:(Rail[E2])=>void, last:()=>void):void {
        run(body, (caught:MultipleExceptions)=>handle[E2](handle[E1](caught, true, take1), true, take2), last);
    }
    /** Runs body; of the MultipleExceptions that it raises, each of type E goes to take, and those of other types are raised. deep: also those inside nested MultipleExceptions. */
    public static operator try[E](deep:Boolean, body:()=>void, take:(E)=>void):void {
        run(body, (caught:MultipleExceptions)=>handleEach[E](caught, deep, take), ()=>{ });
    }
    /** Runs body; of the MultipleExceptions that it raises, each of type E goes to take, and those of other types are raised. Also those inside nested MultipleExceptions. */
    public static operator try[E](body:()=>void, take:(E)=>void):void {
        run(body, (caught:MultipleExceptions)=>handleEach[E](caught, true, take), ()=>{ });
    }
    /** Runs body; of the MultipleExceptions that it raises, each of type E goes to take, and those of other types are raised. At the end, last is run. deep: also those inside nested MultipleExceptions. */
    public static operator try[E](deep:Boolean, body:()=>void, take:(E)=>void, last:()=>void):void {
        run(body, (caught:MultipleExceptions)=>handleEach[E](caught, deep, take), last);
    }
    /** Runs body; of the MultipleExceptions that it raises, each of type E goes to take, and those of other types are raised. At the end, last is run. Also those inside nested MultipleExceptions. */
    public static operator try[E](body:()=>void, take:(E)=>void, last:()=>void):void {
        run(body, (caught:MultipleExceptions)=>handleEach[E](caught, true, take), last);
    }
    /** Runs body; of the MultipleExceptions that it raises, each of type E1 goes to take1, each of E2 to take2, and those of other types are raised. deep: also those inside nested MultipleExceptions. */
    public static operator try[E1,E2](deep:Boolean, body:()=>void, take1:(E1)=>void, take2:(E2)=>void):void {
        run(body, (caught:MultipleExceptions)=>handleEach[E2](handleEach[E1](caught, deep, take1), deep, take2), ()=>{ });
    }
    /** Runs body; of the MultipleExceptions that it raises, each of type E1 goes to take1, each of E2 to take2, and those of other types are raised. Also those inside nested MultipleExceptions. */
    public static operator try[E1,E2](body:()=>void, take1:(E1)=>void, take2:(E2)=>void):void {
        run(body, (caught:MultipleExceptions)=>handleEach[E2](handleEach[E1](caught, true, take1), true, take2), ()=>{ });
    }
    /** Runs body; of the MultipleExceptions that it raises, each of type E1 goes to take1, each of E2 to take2, and those of other types are raised. At the end, last is run. deep: also those inside nested MultipleExceptions. */
    public static operator try[E1,E2](deep:Boolean, body:()=>void, take1:(E1)=>void, take2:(E2)=>void, last:()=>void):void {
        run(body, (caught:MultipleExceptions)=>handleEach[E2](handleEach[E1](caught, deep, take1), deep, take2), last);
    }
    /** Runs body; of the MultipleExceptions that it raises, each of type E1 goes to take1, each of E2 to take2, and those of other types are raised. At the end, last is run. Also those inside nested MultipleExceptions. */
    public static operator try[E1,E2](body:()=>void, take1:(E1)=>void, take2:(E2)=>void, last:()=>void):void {
        run(body, (caught:MultipleExceptions)=>handleEach[E2](handleEach[E1](caught, true, take1), true, take2), last);
    }
}
