package x10.util;

import x10.compiler.Cold;

/** A list in a rail that grows. Reading and writing by index, and adding at the end, take constant time. */
public class ArrayList[T] extends AbstractCollection[T] implements List[T] {
    private var elements:Rail[T];
    private var count:Long = 0;

    /** An empty list. */
    public def this() { elements = Unsafe.allocRailUninitialized[T](8); }
    /** An empty list with room for size values. */
    public def this(size:Long) { elements = Unsafe.allocRailUninitialized[T](size); }
    /** A list of the values of c. */
    public static def make[T](c:Container[T]):ArrayList[T] {
        val list = new ArrayList[T](c.size());
        list.addAll(c);
        return list;
    }

    private static def outOfRange(index:Long, count:Long):void {
        throw new ArrayIndexOutOfBoundsException("index " + index + " is not within a list of " + count);
    }
    private def check(index:Long):void { if ((index as ULong) >= (count as ULong)) outOfRange(index, count); }
    private def reserve(size:Long):void {
        if (size <= elements.size) return;
        val larger = Unsafe.allocRailUninitialized[T](Math.max(Math.max(size, elements.size * 2), 8));
        Rail.copy(elements, 0, larger, 0, count);
        elements = larger;
    }
    private static def same[T](a:T, b:T):Boolean = a == null ? b == null : a.equals(b);

    public def size():Long = count;
    public def isEmpty():Boolean = count == 0;
    /** The value at i. */
    public def get(i:Long):T {
        if ((i as ULong) >= (count as ULong)) outOfRange(i, count);
        return elements(i);
    }
    public operator this(i:Long):T {
        if ((i as ULong) >= (count as ULong)) outOfRange(i, count);
        return elements(i);
    }
    /** Makes v the value at i; adds it if i is the size. */
    public def set(v:T, i:Long):T {
        if (i == count) { add(v); return v; }
        check(i);
        return elements(i) = v;
    }
    /** Makes v the value at i; adds it if i is the size. */
    public operator this(i:Long)=(v:T):T {
        if ((i as ULong) >= (count as ULong)) return set(v, i);
        return elements(i) = v;
    }

    public def add(v:T):Boolean {
        // Activities that add at once may lose elements, but write nowhere else.
        val end = count;
        val all = elements;
        if ((end as ULong) >= (all.size as ULong)) return addBeyond(v, end);
        all(end) = v;
        count = end + 1;
        return true;
    }
    /** Adds v at the end, for which there is no room. */
    @Cold private def addBeyond(v:T, end:Long):Boolean {
        reserve(end + 1);
        elements(end) = v;
        count = end + 1;
        return true;
    }
    /** Adds all elements at the end. */
    public def addAll(elems:Rail[T]):Boolean {
        reserve(count + elems.size);
        Rail.copy(elems, 0, elements, count, elems.size);
        count += elems.size;
        return elems.size > 0;
    }
    public def addBefore(i:Long, v:T):void {
        if (i != count) check(i);
        reserve(count + 1);
        Rail.copy(elements, i, elements, i + 1, count - i);
        elements(i) = v;
        count++;
    }
    public def removeAt(i:Long):T {
        val value = get(i);
        Rail.copy(elements, i + 1, elements, i, count - i - 1);
        count--;
        // The collector must not see what is no longer in the list.
        Unsafe.clearElement(elements, count);
        return value;
    }
    public def remove(v:T):Boolean {
        val index = indexOf(0, v);
        if (index < 0) return false;
        removeAt(index);
        return true;
    }
    public def removeAllWhere(p:(T)=>Boolean):Boolean {
        var kept:Long = 0;
        for (var i:Long = 0; i < count; i++) {
            val value = elements(i);
            if (!p(value)) elements(kept++) = value;
        }
        val changed = kept < count;
        if (changed) shorten(kept);
        return changed;
    }
    public def clear():void { shorten(0); }
    private def shorten(size:Long):void {
        Unsafe.clearRail(elements, size, count - size);
        count = size;
    }
    public def removeFirst():T = removeAt(0);
    public def removeLast():T {
        val last = count - 1;
        if (last < 0) outOfRange(last, count);
        val value = elements(last);
        Unsafe.clearElement(elements, last);
        count = last;
        return value;
    }
    public def getFirst():T = get(0);
    public def getLast():T = get(count - 1);
    /** Makes the size newSize, taking values off the end or adding zeros. */
    public def resize(newSize:Long){T haszero}:void { resize(newSize, Zero.get[T]()); }
    /** Makes the size newSize, taking values off the end or adding value. */
    public def resize(newSize:Long, value:T):void {
        if (newSize < 0) throw new IllegalArgumentException("a list cannot have the size " + newSize);
        if (newSize <= count) { shorten(newSize); return; }
        reserve(newSize);
        for (i in count..(newSize - 1)) elements(i) = value;
        count = newSize;
    }
    /** Takes out the values from i to j, both included; none if j is less than i. */
    public def moveSectionToRail(i:Long, j:Long):Rail[T] {
        if (j < i) return Unsafe.allocRailUninitialized[T](0);
        check(i);
        check(j);
        val section = copied(i, j - i + 1);
        Rail.copy(elements, j + 1, elements, i, count - j - 1);
        shorten(count - section.size);
        return section;
    }

    public def contains(v:T):Boolean = indexOf(0, v) >= 0;
    public def indexOf(v:T):Long = indexOf(0, v);
    public def indexOf(index:Long, v:T):Long {
        for (var i:Long = Math.max(index, 0); i < count; i++) if (same[T](v, elements(i))) return i;
        return -1;
    }
    public def lastIndexOf(v:T):Long = lastIndexOf(count - 1, v);
    public def lastIndexOf(index:Long, v:T):Long {
        for (var i:Long = Math.min(index, count - 1); i >= 0; i--) if (same[T](v, elements(i))) return i;
        return -1;
    }

    public def clone():ArrayList[T] {
        val copy = new ArrayList[T](count);
        Rail.copy(elements, 0, copy.elements, 0, count);
        copy.count = count;
        return copy;
    }
    /** A rail of the values. */
    public def toRail():Rail[T] = copied(0, count);
    /** A rail of length values from first on. */
    private def copied(first:Long, length:Long):Rail[T] {
        val part = Unsafe.allocRailUninitialized[T](length);
        Rail.copy(elements, first, part, 0, length);
        return part;
    }
    public def indices():List[Long] {
        val all = new ArrayList[Long](count);
        for (i in 0..(count - 1)) all.add(i);
        return all;
    }
    public def subList(begin:Long, end:Long):List[T] {
        val last = Math.min(end, count);
        if (begin >= last) return new ArrayList[T](0);
        check(begin);
        val part = new ArrayList[T](last - begin);
        Rail.copy(elements, begin, part.elements, 0, last - begin);
        part.count = last - begin;
        return part;
    }
    public def iterator():ListIterator[T] = new ArrayListIterator[T](this, 0);
    public def iteratorFrom(i:Long):ListIterator[T] = new ArrayListIterator[T](this, i + 1);

    public def reverse():void {
        for (var i:Long = 0; i < count / 2; i++) {
            val value = elements(i);
            elements(i) = elements(count - 1 - i);
            elements(count - 1 - i) = value;
        }
    }
    public def sort(){T <: Comparable[T]}:void { sort((x:T, y:T)=>x.compareTo(y)); }
    /** Sorts so that cmp of each value and the next is not positive; equal values keep their order. */
    public def sort(cmp:(T,T)=>Int):void { RailUtils.qsort[T](elements, 0, count - 1, cmp); }
    /** Where key is in a sorted list, or -1 less where it would have to be put. */
    public def binarySearch(key:T, cmp:(T,T)=>Int):Long = RailUtils.binarySearch[T](elements, key, 0, count, cmp);
    /** Where key is in a sorted list, or -1 less where it would have to be put. */
    public def binarySearch(key:T){T <: Comparable[T]}:Long = binarySearch(key, (x:T, y:T)=>x.compareTo(y));
    /** The first values, in brackets. */
    public def toString():String = RailText.of[T](elements, count);
}

final class ArrayListIterator[T] implements ListIterator[T] {
    private val list:ArrayList[T];
    private var position:Long;
    /** The index of the value given last; -1 if there is none, or if it was taken out. */
    private var last:Long = -1;

    def this(list:ArrayList[T], position:Long) { this.list = list; this.position = position; }

    public def hasNext():Boolean = position < list.size();
    public def nextIndex():Long = position;
    public def next():T {
        last = position++;
        return list.get(last);
    }
    public def hasPrevious():Boolean = position > 0;
    public def previousIndex():Long = position - 1;
    public def previous():T {
        last = --position;
        return list.get(last);
    }
    private def checkLast():void { if (last < 0) throw new IllegalStateException("the iterator has not given a value"); }
    public def remove():void {
        checkLast();
        list.removeAt(last);
        position = last;
        last = -1;
    }
    public def set(v:T):void {
        checkLast();
        list.set(v, last);
    }
    public def add(v:T):void {
        list.addBefore(position++, v);
        last = -1;
    }
}
