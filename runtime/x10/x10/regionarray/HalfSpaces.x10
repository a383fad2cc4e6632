package x10.regionarray;

import x10.util.ArrayList;

/**
 * A conjunction of half-spaces row(0)*x(0) + ... + row(rank-1)*x(rank-1) + row(rank) <= 0. The rows are in lowest terms and in
 * lexicographic order, and of several with the same coefficients only the tightest is kept.
 */
final class HalfSpaces {
    val rank:Long;
    val rows:Rail[Rail[Long]];

    private def this(rank:Long, rows:Rail[Rail[Long]]) { this.rank = rank; this.rows = rows; }

    /** The conjunction of the given rows. */
    static def of(rank:Long, given:Rail[Rail[Long]]):HalfSpaces {
        val list = new ArrayList[Rail[Long]]();
        for (row in given) list.add(row);
        return of(rank, list);
    }
    static def of(rank:Long, given:ArrayList[Rail[Long]]):HalfSpaces {
        val list = new ArrayList[Rail[Long]]();
        for (row in given) {
            val normal = normal(rank, row);
            if (normal != null) list.add(normal);
        }
        list.sort((a:Rail[Long], b:Rail[Long])=>compare(a, b, rank + 1));
        val kept = new ArrayList[Rail[Long]]();
        for (i in 0..(list.size() - 1)) {
            // The constants of parallel rows go up, so that the last is the tightest.
            if (i + 1 == list.size() || compare(list(i), list(i + 1), rank) != 0n) kept.add(list(i));
        }
        return new HalfSpaces(rank, kept.toRail());
    }
    /** The points between min and max; Long.MIN_VALUE and Long.MAX_VALUE are no bounds. */
    static def box(rank:Long, min:(Long)=>Long, max:(Long)=>Long):HalfSpaces {
        val list = new ArrayList[Rail[Long]]();
        for (axis in 0..(rank - 1)) {
            val low = min(axis);
            val high = max(axis);
            if (low != Long.MIN_VALUE) list.add(new Rail[Long](rank + 1, (i:Long)=>i == axis ? -1 : (i == rank ? low : 0)));
            if (high != Long.MAX_VALUE) list.add(new Rail[Long](rank + 1, (i:Long)=>i == axis ? 1 : (i == rank ? -high : 0)));
        }
        return of(rank, list);
    }

    private static def compare(a:Rail[Long], b:Rail[Long], count:Long):Int {
        for (i in 0..(count - 1)) if (a(i) != b(i)) return a(i) < b(i) ? -1n : 1n;
        return 0n;
    }
    /** The row in lowest terms, which for whole numbers may be tighter; null if it always holds. */
    private static def normal(rank:Long, row:Rail[Long]):Rail[Long] {
        var common:Long = 0;
        for (i in 0..(rank - 1)) common = gcd(common, Math.abs(row(i)));
        if (common == 0) {
            if (row(rank) <= 0) return null;
            return new Rail[Long](rank + 1, (i:Long)=>i == rank ? 1 : 0);
        }
        val divisor = common;
        return new Rail[Long](rank + 1, (i:Long)=>i == rank ? ceiling(row(i), divisor) : row(i) / divisor);
    }
    private static def gcd(a:Long, b:Long):Long {
        var x:Long = a;
        var y:Long = b;
        while (y != 0) {
            val rest = x % y;
            x = y;
            y = rest;
        }
        return x;
    }
    /** a/b rounded up, b positive. */
    static def ceiling(a:Long, b:Long):Long = a / b + (a % b > 0 ? 1 : 0);
    /** a/b rounded down, b positive. */
    static def floor(a:Long, b:Long):Long = a / b - (a % b < 0 ? 1 : 0);

    /** Both conjunctions. */
    def and(that:HalfSpaces):HalfSpaces {
        val list = new ArrayList[Rail[Long]]();
        for (row in rows) list.add(row);
        for (row in that.rows) list.add(row);
        return of(rank, list);
    }
    /** With one more row. */
    def and(row:Rail[Long]):HalfSpaces {
        val list = new ArrayList[Rail[Long]]();
        for (given in rows) list.add(given);
        list.add(row);
        return of(rank, list);
    }
    private def without(index:Long):HalfSpaces =
        new HalfSpaces(rank, new Rail[Rail[Long]](rows.size - 1, (i:Long)=>rows(i < index ? i : i + 1)));
    /** What holds where the row does not: its sum is at least 1. */
    static def complement(row:Rail[Long]):Rail[Long] =
        new Rail[Long](row.size, (i:Long)=>i == row.size - 1 ? 1 - row(i) : -row(i));

    /** Without the rows that follow from the others; the first ones go first. */
    def simplified():HalfSpaces {
        var result:HalfSpaces = this;
        var index:Long = 0;
        while (index < result.rows.size) {
            val others = result.without(index);
            if (others.and(complement(result.rows(index))).isContradictory()) result = others;
            else index++;
        }
        return result;
    }

    /** What is known of the other coordinates when axis is left out (Fourier and Motzkin). Its column stays, with zeros. */
    def eliminate(axis:Long):HalfSpaces {
        val list = new ArrayList[Rail[Long]]();
        for (below in rows) {
            if (below(axis) == 0) list.add(below);
            if (below(axis) >= 0) continue;
            for (above in rows) {
                if (above(axis) <= 0) continue;
                val a = above(axis);
                val b = -below(axis);
                list.add(new Rail[Long](rank + 1, (i:Long)=>a * below(i) + b * above(i)));
            }
        }
        return of(rank, list);
    }
    /** Whether no point, not even one with fractions, is in all half-spaces. */
    def isContradictory():Boolean {
        var rest:HalfSpaces = this;
        for (axis in 0..(rank - 1)) rest = rest.eliminate(axis);
        return rest.rows.size > 0;
    }

    /** Whether each row bounds a single axis. */
    def isRect():Boolean {
        for (row in rows) {
            var axes:Long = 0;
            for (i in 0..(rank - 1)) if (row(i) != 0) axes++;
            if (axes > 1) return false;
        }
        return true;
    }
    /** Whether each row bounds a coordinate or the difference of two: then the bounds of all points are those of the whole ones. */
    def isDifferenceSystem():Boolean {
        for (row in rows) {
            var positive:Long = 0;
            var negative:Long = 0;
            for (i in 0..(rank - 1)) {
                if (row(i) > 1 || row(i) < -1) return false;
                if (row(i) == 1) positive++;
                if (row(i) == -1) negative++;
            }
            if (positive > 1 || negative > 1) return false;
        }
        return true;
    }
    /** All but axis eliminated. */
    def only(axis:Long):HalfSpaces {
        var rest:HalfSpaces = this;
        for (i in 0..(rank - 1)) if (i != axis) rest = rest.eliminate(i);
        return rest;
    }
    /** The least value of axis, where x has the coordinates before it and the rows speak of no later ones; Long.MIN_VALUE if there is none. */
    def least(axis:Long, x:Rail[Long]):Long {
        var least:Long = Long.MIN_VALUE;
        for (row in rows) if (row(axis) < 0) least = Math.max(least, ceiling(sum(row, axis, x), -row(axis)));
        return least;
    }
    /** The greatest value of axis, likewise; Long.MAX_VALUE if there is none. */
    def greatest(axis:Long, x:Rail[Long]):Long {
        var greatest:Long = Long.MAX_VALUE;
        for (row in rows) if (row(axis) > 0) greatest = Math.min(greatest, floor(-sum(row, axis, x), row(axis)));
        return greatest;
    }
    private def sum(row:Rail[Long], axis:Long, x:Rail[Long]):Long {
        var sum:Long = row(rank);
        for (i in 0..(axis - 1)) if (row(i) != 0) sum += row(i) * x(i);
        return sum;
    }
    /** Whether p is in all half-spaces. */
    def contains(p:Point):Boolean {
        for (row in rows) {
            var sum:Long = row(rank);
            for (i in 0..(rank - 1)) sum += row(i) * p(i);
            if (sum > 0) return false;
        }
        return true;
    }

    /** With the axes put behind `before` and in front of `after` others. */
    def embedded(before:Long, after:Long):HalfSpaces {
        val wide = before + rank + after;
        val list = new ArrayList[Rail[Long]]();
        for (row in rows) list.add(new Rail[Long](wide + 1, (i:Long)=>
            i == wide ? row(rank) : (i >= before && i < before + rank ? row(i - before) : 0)));
        return of(wide, list);
    }
    /** Without the column of axis, which is zero. */
    def dropped(axis:Long):HalfSpaces {
        val list = new ArrayList[Rail[Long]]();
        for (row in rows) list.add(new Rail[Long](rank, (i:Long)=>row(i < axis ? i : i + 1)));
        return of(rank - 1, list);
    }
    /** Moved by v. */
    def translated(v:Point):HalfSpaces {
        val list = new ArrayList[Rail[Long]]();
        for (row in rows) {
            var constant:Long = row(rank);
            for (i in 0..(rank - 1)) constant -= row(i) * v(i);
            val moved = constant;
            list.add(new Rail[Long](rank + 1, (i:Long)=>i == rank ? moved : row(i)));
        }
        return of(rank, list);
    }

    /** The inequalities, the first coefficient of each positive. */
    public def toString():String {
        var text:String = "(";
        for (i in 0..(rows.size - 1)) text += (i > 0 ? " && " : "") + show(rows(i));
        return text + ")";
    }
    private def show(row:Rail[Long]):String {
        var text:String = "";
        var sign:Long = 0;
        for (i in 0..(rank - 1)) {
            if (sign == 0) sign = row(i) < 0 ? -1 : (row(i) > 0 ? 1 : 0);
            val c = sign * row(i);
            if (c == 0) continue;
            if (c > 0 && text.length() > 0n) text += "+";
            text += c == 1 ? "x" + i : (c == -1 ? "-x" + i : c + "*x" + i + " ");
        }
        if (sign == 0) text = "0";
        return sign > 0 ? text + "<=" + (-row(rank)) : text + ">=" + row(rank);
    }
}
