package x10.util;

/** A container that values are put into and taken out of. What changes it says whether it did. */
public interface Collection[T] extends Container[T] {
    /** Puts v in. */
    public def add(v:T):Boolean;
    /** Takes out one value equal to v. */
    public def remove(v:T):Boolean;
    /** Puts all values of c in. */
    public def addAll(c:Container[T]):Boolean;
    /** Takes out what is not in c. */
    public def retainAll(c:Container[T]):Boolean;
    /** Takes out what is in c. */
    public def removeAll(c:Container[T]):Boolean;
    /** Puts those values of c in for which p holds. */
    public def addAllWhere(c:Container[T], p:(T)=>Boolean):Boolean;
    /** Takes out the values for which p holds. */
    public def removeAllWhere(p:(T)=>Boolean):Boolean;
    /** Takes out all. */
    public def clear():void;
    /** Another collection of the same values. */
    public def clone():Collection[T];
}
