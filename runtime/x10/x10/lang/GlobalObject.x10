package x10.lang;

import x10.compiler.Intrinsic;

/**
 * What all GlobalRefs to one object share at a place: where it lives, its number there and, there, the object. The runtime keeps the
 * object alive until no place has one of these left.
 */
final class GlobalObject {
    private var home:Long = 0;
    private var number:Long = 0;
    /** At home the object, unless it was forgotten. */
    private transient var target:Any;

    private def this(target:Any) { this.target = target; }

    @Intrinsic("rt.global_find") private static native def find(target:Any):Any;
    @Intrinsic("rt.global_enter") private static native def enter(token:Any, target:Any):Any;
    @Intrinsic("rt.global_forget") private static native def drop(token:Any):void;

    /** Raises a BadPlaceException. That the runtime makes it keeps bodies of `at` short that look at something of their place. */
    @Intrinsic("rt.raise_elsewhere") static native def elsewhere(what:String, home:Long):void;
    @Intrinsic("rt.raise_forgotten") private static native def forgotten(number:Long):void;

    /** That of target, an object of here; null for null. */
    static def of(target:Any):GlobalObject {
        if (target == null) return null;
        val known = find(target);
        return (known == null ? enter(new GlobalObject(target), target) : known) as GlobalObject;
    }

    /** The object, at its home. */
    def get():Any {
        if (target == null) forgotten(number);
        return target;
    }
    /** Other places do not keep the object alive any more, nor does this. */
    def forget():void { drop(this); target = null; }
    /** The object's number at its home. */
    def number():Long = number;
}
