package x10.lang;

import x10.compiler.Intrinsic;

/**
 * A place: a host process or an accelerator of one. Hosts have the numbers from 0 on, then come the accelerators.
 */
public struct Place(id:Long) {
    /** The place with this number. */
    public def this(id:Long) { property(id); }

    /** The number. */
    public property id():Long = id;
    /** The number of host places. */
    @Intrinsic("rt.place_count") public static native def numPlaces():Long;
    /** The number of all places, accelerators included. */
    @Intrinsic("rt.place_total") public static native def numAllPlaces():Long;
    @Intrinsic("rt.place_is_accelerator") private static native def isAccelerator(id:Long):Boolean;
    @Intrinsic("rt.place_parent") private static native def parentOf(id:Long):Long;
    @Intrinsic("rt.place_host") private static native def hostOf(id:Long):Long;
    @Intrinsic("rt.place_name") private static native def nameOf(id:Long):String;

    /** The host places, in order. */
    public static def places():PlaceGroup = new PlaceRange(0, numPlaces());
    /** Place 0. */
    public static FIRST_PLACE:Place = Place(0);
    /** No place. */
    public static INVALID_PLACE:Place = Place(-1);

    /** The home of a reference: at (ref) goes where its object lives. */
    public static operator[T](ref:GlobalRef[T]){T isref}:Place = ref.home;

    /** Whether this is a CUDA device. */
    public def isCUDA():Boolean = isAccelerator(id);
    /** The host of an accelerator; a host is its own parent. */
    public def parent():Place = Place(parentOf(id));
    /** The host place whose process this place lives in: itself, or its parent. */
    public def host():Place = Place(hostOf(id));
    /** How many places have died: none, since the program would end. */
    public static def numDead():Long = 0;
    /** Whether the place with this number has died. */
    public static def isDead(id:Long):Boolean = false;
    /** Whether the place has died. */
    public def isDead():Boolean = isDead(id);
    /** What the place is, for people: the device's name, or the host's. */
    public def description():String = nameOf(id);
    /** "Place(n)". */
    public def toString():String = "Place(" + id + ")";
    /** Whether p is the same place. */
    public def equals(p:Place):Boolean = p.id == id;
    /** Whether p is the same place. */
    public def equals(p:Any):Boolean = p instanceof Place && (p as Place).id == id;
    /** The number. */
    public def hashCode():Int = id as Int;
}

/** The place with this number. */
public type Place(id:Long) = Place{self.id==id};
/** The place p. */
public type Place(p:Place) = Place{self==p};
