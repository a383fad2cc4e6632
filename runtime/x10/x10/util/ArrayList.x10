package x10.util;

/** A list that grows. */
public class ArrayList[T] implements Container[T], (Long)=>T {
    private var elements:Rail[T];
    private var count:Long = 0;

    /** An empty list. */
    public def this() { this.elements = Unsafe.uninitialised[T](8); }
    /** An empty list with room for size values. */
    public def this(size:Long) { this.elements = Unsafe.uninitialised[T](size); }

    private def grow():void {
        val larger = Unsafe.uninitialised[T](elements.size * 2 + 1);
        Rail.copy(elements, 0, larger, 0, count);
        elements = larger;
    }
    private def check(index:Long):void {
        if (index < 0 || index >= count) throw new ArrayIndexOutOfBoundsException("index " + index + " in a list of " + count);
    }

    /** Adds v at the end. */
    public def add(v:T):Boolean {
        if (count == elements.size) grow();
        elements(count++) = v;
        return true;
    }
    /** Puts v before the value at index. */
    public def addBefore(index:Long, v:T):void {
        if (index != count) check(index);
        if (count == elements.size) grow();
        Rail.copy(elements, index, elements, index + 1, count - index);
        elements(index) = v;
        count++;
    }
    /** The value at index. */
    public operator this(index:Long):T = get(index);
    /** Sets the value at index. */
    public operator this(index:Long)=(v:T):T = set(v, index);
    /** The value at index. */
    public def get(index:Long):T { check(index); return elements(index); }
    /** Sets the value at index. */
    public def set(v:T, index:Long):T { check(index); elements(index) = v; return v; }
    /** How many values. */
    public def size():Long = count;
    /** Whether there is none. */
    public def isEmpty():Boolean = count == 0;
    /** Whether a value equal to v is in it. */
    public def contains(v:T):Boolean = indexOf(v) >= 0;
    /** Where the first value equal to v is, or -1. */
    public def indexOf(v:T):Long {
        for (i in 0..(count - 1)) if (elements(i) == v || (elements(i) as Any) != null && elements(i).equals(v)) return i;
        return -1;
    }
    /** Takes out the value at index. */
    public def removeAt(index:Long):T {
        val value = get(index);
        Rail.copy(elements, index + 1, elements, index, count - index - 1);
        count--;
        return value;
    }
    /** Takes out the first value equal to v; false if there is none. */
    public def remove(v:T):Boolean {
        val index = indexOf(v);
        if (index < 0) return false;
        removeAt(index);
        return true;
    }
    /** The first value. */
    public def getFirst():T = get(0);
    /** The last value. */
    public def getLast():T = get(count - 1);
    /** Takes out the first value. */
    public def removeFirst():T = removeAt(0);
    /** Takes out the last value. */
    public def removeLast():T = removeAt(count - 1);
    /** Takes out all values. */
    public def clear():void { elements = Unsafe.uninitialised[T](8); count = 0; }
    /** All values. */
    public def toRail():Rail[T] {
        val result = Unsafe.uninitialised[T](count);
        Rail.copy(elements, 0, result, 0, count);
        return result;
    }
    /** Goes over the values. */
    public def iterator():Iterator[T] = new ArrayListIterator[T](this);
    /** The indices. */
    public def indices():LongRange = 0..(count - 1);
    /** Sorts so that cmp of each value and the next is not positive; equal values keep their order. */
    public def sort(cmp:(T, T)=>Int):void { sortRange(elements, Unsafe.uninitialised[T](count), 0, count, cmp); }
    private static def sortRange[T](rail:Rail[T], spare:Rail[T], from:Long, to:Long, cmp:(T, T)=>Int):void {
        if (to - from < 2) return;
        val middle = (from + to) / 2;
        sortRange[T](rail, spare, from, middle, cmp);
        sortRange[T](rail, spare, middle, to, cmp);
        var left:Long = from;
        var right:Long = middle;
        for (i in from..(to - 1)) {
            if (right >= to || (left < middle && cmp(rail(left), rail(right)) <= 0n)) spare(i) = rail(left++);
            else spare(i) = rail(right++);
        }
        Rail.copy(spare, from, rail, from, to - from);
    }
    /** The values in brackets. */
    public def toString():String {
        var text:String = "[";
        for (i in 0..(count - 1)) text += (i > 0 ? "," : "") + elements(i);
        return text + "]";
    }
}

final class ArrayListIterator[T] implements Iterator[T] {
    private val list:ArrayList[T];
    private var position:Long = 0;

    def this(list:ArrayList[T]) { this.list = list; }

    public def hasNext():Boolean = position < list.size();
    public def next():T = list(position++);
}
