package x10.util;

/** Values in an order, each at an index from 0 on. */
public interface List[T] extends Collection[T], Indexed[T], Settable[Long,T] {
    /** All indices. */
    public def indices():List[Long];
    /** Puts v before the value at i; at the end if i is the size. */
    public def addBefore(i:Long, v:T):void;
    /** Takes out the value at i. */
    public def removeAt(i:Long):T;
    /** Where the first value equal to v is, or -1. */
    public def indexOf(v:T):Long;
    /** Where the last value equal to v is, or -1. */
    public def lastIndexOf(v:T):Long;
    /** Where the first value equal to v is from index on, or -1. */
    public def indexOf(index:Long, v:T):Long;
    /** Where the last value equal to v is up to index, or -1. */
    public def lastIndexOf(index:Long, v:T):Long;
    /** Goes over the list from its start. */
    public def iterator():ListIterator[T];
    /** Goes over the list from after the value at i. */
    public def iteratorFrom(i:Long):ListIterator[T];
    /** A new list of the values from fromIndex to before toIndex, or before the end if that comes first. */
    public def subList(fromIndex:Long, toIndex:Long):List[T];
    /** Takes out the first value. */
    public def removeFirst():T;
    /** Takes out the last value. */
    public def removeLast():T;
    /** The first value. */
    public def getFirst():T;
    /** The last value. */
    public def getLast():T;
    /** Reverses the order. */
    public def reverse():void;
    /** Sorts by compareTo. */
    public def sort(){T <: Comparable[T]}:void;
    /** Sorts so that cmp of each value and the next is not positive. */
    public def sort(cmp:(T,T)=>Int):void;
}
