package x10.lang;

import x10.compiler.Intrinsic;

/** One name for an object of each place of a group: applied at a place, it gives that place's own object. */
public struct PlaceLocalHandle[T] {
    private val number:Long;

    private def this(number:Long) { this.number = number; }

    @Intrinsic("rt.place_local_make") private static native def create():Long;
    @Intrinsic("rt.place_local_get") private static native def lookUp(number:Long):Any;
    @Intrinsic("rt.place_local_set") private static native def store(number:Long, value:Any):void;

    /** Runs init at each place of the group; its results are the places' objects. */
    public static def make[T](places:PlaceGroup, init:()=>T):PlaceLocalHandle[T] {
        val number = create();
        finish for (p in places) async at (p) store(number, init() as Any);
        return PlaceLocalHandle[T](number);
    }
    /** Runs here prepare for each place of the group, and there init with the result, which gives the place's object. */
    public static def make[T,U](places:PlaceGroup, prepare:(Place)=>U, init:(U)=>T):PlaceLocalHandle[T] {
        val number = create();
        finish for (p in places) {
            val argument = prepare(p);
            async at (p) store(number, init(argument) as Any);
        }
        return PlaceLocalHandle[T](number);
    }
    /** As make, for an init that starts no activities at other places. */
    public static def makeFlat[T](places:PlaceGroup, init:()=>T):PlaceLocalHandle[T] = make[T](places, init);
    /** As make, for closures that start no activities at other places. */
    public static def makeFlat[T,U](places:PlaceGroup, prepare:(Place)=>U, init:(U)=>T):PlaceLocalHandle[T] =
        make[T,U](places, prepare, init);
    /** Lets the objects of the group's places go. */
    public static def destroy[T](places:PlaceGroup, handle:PlaceLocalHandle[T]):void {
        val number = handle.number;
        finish for (p in places) async at (p) store(number, null);
    }

    /** The object of this place; null where there is none. */
    public operator this():T = lookUp(number) as T;
    /** Makes value the object of this place. */
    public def set(value:T):void { store(number, value as Any); }
    /** Whether that is the same handle. */
    public def equals(that:Any):Boolean = that instanceof PlaceLocalHandle[T] && (that as PlaceLocalHandle[T]).number == number;
    /** A hash of the handle. */
    public def hashCode():Int = number as Int;
    /** The handle's number. */
    public def toString():String = "PlaceLocalHandle(" + number + ")";
    /** As make; places for which mayBeDead holds may be dead. */
    public static def make[T](places:PlaceGroup, init:()=>T, mayBeDead:(Place)=>Boolean):PlaceLocalHandle[T] = make[T](places, init);
    /** As make; places for which mayBeDead holds may be dead. */
    public static def make[T,U](places:PlaceGroup, prepare:(Place)=>U, init:(U)=>T, mayBeDead:(Place)=>Boolean):PlaceLocalHandle[T] =
        make[T,U](places, prepare, init);
    /** As make; places for which mayBeDead holds may be dead. */
    public static def makeFlat[T](places:PlaceGroup, init:()=>T, mayBeDead:(Place)=>Boolean):PlaceLocalHandle[T] = make[T](places, init);
    /** As make; places for which mayBeDead holds may be dead. */
    public static def makeFlat[T,U](places:PlaceGroup, prepare:(Place)=>U, init:(U)=>T, mayBeDead:(Place)=>Boolean):PlaceLocalHandle[T] =
        make[T,U](places, prepare, init);
    /** Runs init at one more place; its result is that place's object. */
    public static def addPlace[T](handle:PlaceLocalHandle[T], place:Place, init:()=>T):void {
        val number = handle.number;
        at (place) store(number, init() as Any);
    }
    /** As destroy; places for which mayBeDead holds may be dead. */
    public static def destroy[T](places:PlaceGroup, handle:PlaceLocalHandle[T], mayBeDead:(Place)=>Boolean):void { destroy[T](places, handle); }
}
