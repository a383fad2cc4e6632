package x10.util;

import x10.compiler.Cold;

/** A rail that grows at its end. */
public final class GrowableRail[T] {
    private var elements:Rail[T];
    private var count:Long = 0;

    /** Without elements. */
    public def this() { this(0); }
    /** Without elements, with room for cap. */
    public def this(cap:Long) { elements = Unsafe.allocRailUninitialized[T](cap); }

    /** The rail behind this: the elements, and what there is room for. */
    def rail():Rail[T] = elements;
    private static def outOfRange(index:Long, count:Long):void {
        throw new ArrayIndexOutOfBoundsException("index " + index + " is not within a GrowableRail of size " + count);
    }
    private static def gap(index:Long, count:Long):void {
        throw new UnsupportedOperationException("index " + index + " is beyond the end of a GrowableRail of size " + count);
    }
    private def move(capacity:Long):void {
        val moved = Unsafe.allocRailUninitialized[T](capacity);
        Rail.copy(elements, 0, moved, 0, count);
        elements = moved;
    }

    /** Adds v at the end. */
    public def add(v:T):void {
        // Activities that add at once may lose elements, but write nowhere else.
        val end = count;
        val all = elements;
        if ((end as ULong) >= (all.size as ULong)) {
            addBeyond(v, end);
            return;
        }
        all(end) = v;
        count = end + 1;
    }
    /** Adds v at the end, for which there is no room. */
    @Cold private def addBeyond(v:T, end:Long):void {
        grow(end + 1);
        elements(end) = v;
        count = end + 1;
    }
    /** Adds all elements of x at the end. */
    public def addAll(x:Rail[T]):void { insert(count, x); }
    /** Adds all elements of x at the end. */
    public def addAll(x:GrowableRail[T]):void {
        val added = x.count;
        if (count + added > elements.size) grow(count + added);
        Rail.copy(x.elements, 0, elements, count, added);
        count += added;
    }
    /** Puts items before the element at p. */
    public def insert(p:Long, items:Rail[T]):void {
        if (p < 0) outOfRange(p, count);
        if (p > count) gap(p, count);
        if (count + items.size > elements.size) grow(count + items.size);
        Rail.copy(elements, p, elements, p + items.size, count - p);
        Rail.copy(items, 0, elements, p, items.size);
        count += items.size;
    }
    /** The element at idx. */
    public operator this(idx:Long):T {
        if ((idx as ULong) >= (count as ULong)) outOfRange(idx, count);
        return elements(idx);
    }
    /** Sets the element at idx; adds v if idx is the size. */
    public operator this(idx:Long)=(v:T):void {
        if (idx < 0) outOfRange(idx, count);
        if (idx > count) gap(idx, count);
        if (idx == count) add(v); else elements(idx) = v;
    }
    /** Whether an element equals v. */
    public def contains(v:T):Boolean {
        for (i in 0..(count - 1)) {
            val element = elements(i);
            if (v == null ? element == null : v.equals(element)) return true;
        }
        return false;
    }
    /** Whether there is no element. */
    public def isEmpty():Boolean = count == 0;
    /** How many elements. */
    public def size():Long = count;
    /** For how many elements there is room. */
    public def capacity():Long = elements.size;
    /** Takes off the last element. */
    public def removeLast():T {
        val last = count - 1;
        val taken = this(last);
        shrink(last);
        return taken;
    }
    /** Takes out all elements. */
    public def clear():void { shrink(0); }
    /** Takes out the elements from i to j, both included; none if j is less than i. */
    public def moveSectionToRail(i:Long, j:Long):Rail[T] {
        if (j < i) return Unsafe.allocRailUninitialized[T](0);
        if (i < 0) outOfRange(i, count);
        if (j >= count) outOfRange(j, count);
        val length = j - i + 1;
        val section = copied(i, length);
        Rail.copy(elements, j + 1, elements, i, count - j - 1);
        shrink(count - length);
        return section;
    }
    /** A rail of the elements. */
    public def toRail():Rail[T] = copied(0, count);
    /** A rail of length elements from first on. */
    private def copied(first:Long, length:Long):Rail[T] {
        val part = Unsafe.allocRailUninitialized[T](length);
        Rail.copy(elements, first, part, 0, length);
        return part;
    }
    /** Makes room for newCapacity elements, or more. */
    public def grow(newCapacity:Long):void {
        if (newCapacity <= elements.size) return;
        move(Math.max(Math.max(newCapacity, elements.size * 2), 8));
    }
    /** Takes off elements so that at most newCapacity are left, and gives memory back. */
    public def shrink(newCapacity:Long):void {
        val before = count;
        count = Math.min(before, Math.max(newCapacity, 0));
        val capacity = Math.max(count, 8);
        if (capacity <= elements.size / 4) move(capacity);
        else Unsafe.clearRail(elements, count, before - count);
    }
    /** The first elements, in brackets. */
    public def toString():String = RailText.of(elements, count);
}
