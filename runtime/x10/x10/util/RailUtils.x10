package x10.util;

import x10.compiler.Inline;

/** Sorting, searching and combining of rails. */
public class RailUtils {
    /** Sorts a so that cmp of each element and the next is not positive; equal elements keep their order. */
    public static def sort[T](a:Rail[T], cmp:(T,T)=>Int):void { qsort[T](a, 0, a.size - 1, cmp); }
    /** Sorts a by compareTo; equal elements keep their order. */
    public static def sort[T](a:Rail[T]){T <: Comparable[T]}:void { qsort[T](a, 0, a.size - 1, (x:T, y:T)=>x.compareTo(y)); }
    /** Sorts the elements from lo to hi, both included; equal elements keep their order. */
    public static def qsort[T](a:Rail[T], lo:Long, hi:Long, cmp:(T,T)=>Int):void {
        if (hi <= lo) return;
        // Raise what is due; sorting itself tests no index.
        a(lo);
        a(hi);
        mergeSort[T](a, Unsafe.allocRailUninitialized[T]((hi - lo) / 2 + 1), lo, hi + 1, cmp);
    }
    /** Sorts from to before end; spare has room for half of it. */
    private static def mergeSort[T](a:Rail[T], spare:Rail[T], from:Long, end:Long, cmp:(T,T)=>Int):void {
        if (end - from <= 12) { insertionSort[T](a, from, end, cmp); return; }
        val middle = from + (end - from) / 2;
        mergeSort[T](a, spare, from, middle, cmp);
        mergeSort[T](a, spare, middle, end, cmp);
        if (cmp(a(middle - 1), a(middle)) > 0n) merge[T](a, spare, from, middle, end, cmp);
    }
    private static def insertionSort[T](a:Rail[T], from:Long, end:Long, cmp:(T,T)=>Int):void {
        for (var i:Long = from + 1; i < end; i++) {
            val value = a(i);
            var spot:Long = i;
            while (spot > from) {
                val before = Unsafe.uncheckedRailApply(a, spot - 1);
                if (cmp(before, value) <= 0n) break;
                Unsafe.uncheckedRailSet(a, spot, before);
                spot--;
            }
            Unsafe.uncheckedRailSet(a, spot, value);
        }
    }
    private static def merge[T](a:Rail[T], spare:Rail[T], from:Long, middle:Long, end:Long, cmp:(T,T)=>Int):void {
        val count = middle - from;
        Rail.copy(a, from, spare, 0, count);
        var left:Long = 0;
        var right:Long = middle;
        var to:Long = from;
        while (left < count && right < end) {
            val first = Unsafe.uncheckedRailApply(spare, left);
            val second = Unsafe.uncheckedRailApply(a, right);
            val isFirst = cmp(first, second) <= 0n;
            Unsafe.uncheckedRailSet(a, to++, isFirst ? first : second);
            if (isFirst) left++; else right++;
        }
        Rail.copy(spare, left, a, to, count - left);
    }

    /** Where key is in the sorted rail a, or -1 less where it would have to be put. */
    public static def binarySearch[T](a:Rail[T], key:T, cmp:(T,T)=>Int):Long = binarySearch[T](a, key, 0, a.size, cmp);
    /** Where key is in the sorted rail a, or -1 less where it would have to be put. */
    public static def binarySearch[T](a:Rail[T], key:T){T <: Comparable[T]}:Long =
        binarySearch[T](a, key, (x:T, y:T)=>x.compareTo(y));
    /** Where key is from min to before max, which are sorted, or -1 less where it would have to be put. */
    public static def binarySearch[T](a:Rail[T], key:T, min:Long, max:Long){T <: Comparable[T]}:Long =
        binarySearch[T](a, key, min, max, (x:T, y:T)=>x.compareTo(y));
    /** Where key is from min to before max, which are sorted, or -1 less where it would have to be put. */
    public static def binarySearch[T](a:Rail[T], key:T, min:Long, max:Long, cmp:(T,T)=>Int):Long {
        var low:Long = min;
        var high:Long = max;
        while (low < high) {
            val middle = low + (high - low) / 2;
            val order = cmp(a(middle), key);
            if (order == 0n) return middle;
            if (order < 0n) low = middle + 1; else high = middle;
        }
        return -low - 1;
    }

    /** op of unit and the first element, of that and the second, and so on. */
    public static @Inline def reduce[T,U](src:Rail[T], op:(U,T)=>U, unit:U):U {
        var result:U = unit;
        for (i in src.range) result = op(result, src(i));
        return result;
    }
    /** As reduce, of what elemOp makes of each element. */
    public static @Inline def reduce[T,U](src:Rail[T], accumOp:(U,T)=>U, accumUnit:U, elemOp:(T)=>T):U {
        var result:U = accumUnit;
        for (i in src.range) result = accumOp(result, elemOp(src(i)));
        return result;
    }
    /** Puts op of each element of src into dst, which is at least as long. */
    public static @Inline def map[T,U](src:Rail[T], dst:Rail[U], op:(T)=>U):Rail[U]{self==dst} {
        for (i in src.range) dst(i) = op(src(i));
        return dst;
    }
    /** Puts op of the elements of both into dst, which is at least as long. */
    public static @Inline def map[S,T,U](src1:Rail[S], src2:Rail[T], dst:Rail[U], op:(S,T)=>U){src1.size==src2.size}:Rail[U]{self==dst} {
        for (i in src1.range) dst(i) = op(src1(i), src2(i));
        return dst;
    }
    /** Puts into each element of dst what op makes of unit and the elements of src up to the same index. */
    public static @Inline def scan[T](src:Rail[T], dst:Rail[T], op:(T,T)=>T, unit:T):Rail[T]{self==dst} {
        var sum:T = unit;
        for (i in src.range) {
            val next = op(sum, src(i));
            dst(i) = next;
            sum = next;
        }
        return dst;
    }
    /** What op makes of unit and the elements of src up to each index. */
    public static @Inline def scan[T](src:Rail[T], op:(T,T)=>T, unit:T):Rail[T] =
        scan[T](src, Unsafe.allocRailUninitialized[T](src.size), op, unit);
    /** Puts into each element of dst what op makes of unit and the elements of src before the same index. */
    public static @Inline def scanExclusive[T](src:Rail[T], dst:Rail[T], op:(T,T)=>T, unit:T):Rail[T]{self==dst} {
        var sum:T = unit;
        for (i in src.range) {
            val value = src(i);
            dst(i) = sum;
            sum = op(sum, value);
        }
        return dst;
    }
    /** What op makes of unit and the elements of src before each index. */
    public static @Inline def scanExclusive[T](src:Rail[T], op:(T,T)=>T, unit:T):Rail[T] =
        scanExclusive[T](src, Unsafe.allocRailUninitialized[T](src.size), op, unit);
}
