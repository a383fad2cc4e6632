// Ranges and iteration spaces at their edges, against lists of the same numbers: empty, descending, at the least and greatest numbers.
import x10.array.*;
import x10.util.ArrayList;
import x10.util.foreach.*;

public class ranges_at_limits {
    static val LONGS = [Long.MIN_VALUE, Long.MIN_VALUE + 1, Long.MIN_VALUE + 3, -1, 0, 1, 3, Long.MAX_VALUE - 3, Long.MAX_VALUE - 1, Long.MAX_VALUE];
    static val INTS = [Int.MIN_VALUE, Int.MIN_VALUE + 1n, Int.MIN_VALUE + 3n, -1n, 0n, 1n, 3n, Int.MAX_VALUE - 3n, Int.MAX_VALUE - 1n, Int.MAX_VALUE];
    static val checks = new Rail[Long](2);

    static def check(holds:Boolean, what:()=>String):void {
        checks(0)++;
        if (!holds && checks(1)++ < 20) Console.OUT.println("wrong: " + what());
    }

    /** How many numbers there are from low to high, less one; only of ranges that are not empty. */
    static def last(low:Long, high:Long):ULong = (high - low) as ULong;
    static def isShort(low:Long, high:Long):Boolean = high < low || last(low, high) < 8ul;
    /** The numbers of a short range. */
    static def numbers(low:Long, high:Long):ArrayList[Long] {
        val all = new ArrayList[Long]();
        if (high < low) return all;
        var i:Long = low;
        all.add(i);
        while (i != high) all.add(++i);
        return all;
    }

    /** Numbers that activities add in any order. */
    static class Found {
        val all = new ArrayList[Long]();
        def add(i:Long) { atomic all.add(i); }
        def is(model:ArrayList[Long], what:String, range:LongRange) {
            all.sort();
            check(all.toString().equals(model.toString()), ()=>what + " " + range + ": " + all);
        }
    }

    static def loops(range:LongRange) {
        val model = numbers(range.min, range.max);
        val found = (what:String, loop:(Found)=>void)=>{ val all = new Found(); loop(all); all.is(model, what, range); };
        found("for", (all:Found)=>{ for (i in range) all.add(i); });
        found("for of bounds", (all:Found)=>{ for (i in (range.min)..(range.max)) all.add(i); });
        found("for of points", (all:Found)=>{ for ([i] in range) all.add(i); });
        found("iterator", (all:Found)=>{ val it = range.iterator(); while (it.hasNext()) all.add(it.next()); });
        found("iterable", (all:Found)=>{ val it:Iterable[Long] = range; for (i in it) all.add(i); });
        found("Sequential", (all:Found)=>{ Sequential.for (i:Long in range) { all.add(i); } });
        found("Basic", (all:Found)=>{ Basic.for (i:Long in range) { all.add(i); } });
        found("Block", (all:Found)=>{ Block.for (i:Long in range) { all.add(i); } });
        found("Cyclic", (all:Found)=>{ Cyclic.for (i:Long in range) { all.add(i); } });
        found("Bisect", (all:Found)=>{ Bisect.for (i:Long in range) { all.add(i); } });
        found("Bisect of 2", (all:Found)=>{ Bisect.operator for(range, 2, (i:Long)=>{ all.add(i); }); });
        found("space", (all:Found)=>{ for ([i] in new DenseIterationSpace_1(range.min, range.max)) all.add(i); });
        var sum:Long = 0;
        for (i in model) sum += i;
        val total = sum;
        val add = (a:Long, b:Long)=>a + b;
        val of = (i:Long)=>i;
        check(Sequential.operator for(range, add, 0, of) == total, ()=>"Sequential's sum of " + range);
        check(Block.operator for(range, add, 0, of) == total, ()=>"Block's sum of " + range);
        check(Cyclic.operator for(range, add, 0, of) == total, ()=>"Cyclic's sum of " + range);
        check(Bisect.operator for(range, add, 0, of) == total, ()=>"Bisect's sum of " + range);
    }

    /** The pieces of a range: one behind the other, without a gap, and of sizes that differ by one at most. */
    static def pieces(low:Long, high:Long, n:Long, piece:(Long)=>LongRange, even:Boolean, what:String) {
        var next:Long = low;
        var used:Boolean = false;
        var smallest:ULong = ULong.MAX_VALUE;
        var largest:ULong = 0ul;
        var empty:Long = 0;
        var good:Boolean = true;
        for (i in 0..(n - 1)) {
            val part = piece(i);
            if (part.max < part.min) { empty++; continue; }
            good &= !(used && next == low) && part.min == next && part.max <= high;
            used = true;
            smallest = Math.min(smallest, last(part.min, part.max));
            largest = Math.max(largest, last(part.min, part.max));
            next = part.max + 1;
        }
        if (high < low) good &= empty == n;
        else good &= used && next == high + 1 && (!even || (empty == 0 ? largest - smallest <= 1ul : largest == 0ul && last(low, high) < n as ULong));
        check(good, ()=>what + " of " + low + ".." + high + " in " + n);
    }

    static def cut(range:LongRange, n:Long) {
        val split = range.split(n);
        pieces(range.min, range.max, n, (i:Long)=>split(i), true, "split");
        val blocks = BlockingUtils.partitionBlock(new DenseIterationSpace_1(range.min, range.max), n);
        pieces(range.min, range.max, n, (i:Long)=>blocks(i).min..blocks(i).max, true, "blocks");
        for (i in LONGS) {
            var model:Long = -1;
            for (b in 0..(n - 1)) if (blocks(b).min <= i && i <= blocks(b).max) model = b;
            val found = BlockingUtils.mapIndexToBlockPartition(range.min, range.max, n, i);
            val wanted = model;
            check(found == wanted, ()=>"block of " + i + " of " + range + " in " + n + ": " + found);
        }
    }

    /** The pieces that a loop hands out, in order. */
    static def handedOut(range:LongRange, what:String, loop:((LongRange)=>void)=>void) {
        val all = new ArrayList[LongRange]();
        loop((piece:LongRange)=>{ atomic all.add(piece); });
        all.sort((a:LongRange, b:LongRange)=>a.min.compareTo(b.min));
        pieces(range.min, range.max, all.size(), (i:Long)=>all(i), false, what);
    }

    static def longs() {
        for (low in LONGS) for (high in LONGS) {
            val range = low..high;
            val isShort = isShort(low, high);
            if (isShort) loops(range);
            for (n in 1..5) cut(range, n);
            handedOut(range, "Block", (body:(LongRange)=>void)=>{ Block.operator for(range, body); });
            handedOut(range, "Bisect", (body:(LongRange)=>void)=>{ Bisect.operator for(range, body); });
            handedOut(range, "Bisect of a quarter", (body:(LongRange)=>void)=>{ Bisect.operator for(range, Long.MAX_VALUE / 2, body); });
            val size = isShort ? numbers(low, high).size() : high - low < 0 || high - low == Long.MAX_VALUE ? Long.MAX_VALUE : high - low + 1;
            check(range.size() == size && new DenseIterationSpace_1(low, high).size() == size, ()=>"size of " + range);
            check(new DenseIterationSpace_1(low, high).isEmpty() == (high < low), ()=>"emptiness of " + range);
        }
    }

    static def ints() {
        for (low in INTS) for (high in INTS) {
            val range = low..high;
            val size = high < low ? 0 : high as Long - low as Long + 1;
            check(range.size() == size, ()=>"size of Ints " + range);
            for (n in 1n..5n) {
                val split = range.split(n);
                pieces(low as Long, high as Long, n as Long, (i:Long)=>(split(i).min as Long)..(split(i).max as Long), true, "Ints");
            }
            if (!isShort(low as Long, high as Long)) continue;
            val model = numbers(low as Long, high as Long).toString();
            val loop = new ArrayList[Int]();
            for (i in range) loop.add(i);
            val points = new ArrayList[Long]();
            for ([i] in range) points.add(i as Long);
            val bounds = new ArrayList[Int]();
            for (i in low..high) bounds.add(i);
            val steps = new ArrayList[Int]();
            val it = range.iterator();
            while (it.hasNext()) steps.add(it.next());
            for (all in [loop.toString(), bounds.toString(), points.toString(), steps.toString()]) check(all.equals(model), ()=>"Ints " + range + ": " + all);
            val wide:LongRange = range;
            check(wide.min == low as Long && wide.max == high as Long && (wide as IntRange) == range, ()=>"Ints " + range + " as Longs");
        }
    }

    /** Spaces of two to four axes, of the ranges that short ones are made of. */
    static def spaces() {
        val ranges = [0..1, 1..0, (Long.MAX_VALUE - 1)..Long.MAX_VALUE, Long.MIN_VALUE..(Long.MIN_VALUE + 1), Long.MAX_VALUE..Long.MIN_VALUE, 5..5];
        for (a in ranges) for (b in ranges) {
            val two = a * b;
            val model = new ArrayList[String]();
            for (i in numbers(a.min, a.max)) for (j in numbers(b.min, b.max)) model.add(i + "," + j);
            val all = new ArrayList[String]();
            for ([i, j] in two) all.add(i + "," + j);
            val points = new ArrayList[String]();
            val it = two.iterator();
            while (it.hasNext()) { val p = it.next(); points.add(p(0) + "," + p(1)); }
            val body = (into:ArrayList[String])=>(i:Long, j:Long)=>{ atomic into.add(i + "," + j); };
            val sequential = new ArrayList[String]();
            Sequential.operator for(two, body(sequential));
            val others = new Rail[ArrayList[String]](4, (i:Long)=>new ArrayList[String]());
            Basic.operator for(two, body(others(0)));
            Block.operator for(two, body(others(1)));
            Bisect.operator for(two, body(others(2)));
            Bisect.operator for(two, 1, 1, body(others(3)));
            check(two.size() == model.size() && two.isEmpty() == model.isEmpty(), ()=>"size of " + two);
            for (list in [all, points, sequential]) check(list.toString().equals(model.toString()), ()=>two + ": " + list);
            model.sort();
            for (list in others) { list.sort(); check(list.toString().equals(model.toString()), ()=>two + " in parallel: " + list); }
            for (c in ranges) {
                val three = two * c;
                val expected = numbers(c.min, c.max).size() * model.size();
                var count:Long = 0;
                for (p in three) count++;
                var steps:Long = 0;
                for (val of = three.iterator(); of.hasNext(); of.next()) steps++;
                val found = [count, steps, three.size()];
                for (n in found) check(n == expected, ()=>three + ": " + n);
                val four = three * (Long.MAX_VALUE..Long.MAX_VALUE);
                count = 0;
                for (p in four) count++;
                steps = 0;
                for (val of = four.iterator(); of.hasNext(); of.next()) steps++;
                val counts = [count, steps, four.size()];
                for (n in counts) check(n == expected, ()=>four + ": " + n);
            }
            for (n in 1..6) {
                var total:Long = 0;
                for (i in 0..(n - 1)) for (p in BlockingUtils.partitionBlockBlock(two, n, i)) {
                    val of = BlockingUtils.mapIndexToBlockBlockPartition(two, n, p(0), p(1));
                    check(of == i, ()=>"block of " + p + " of " + two + " in " + n + ": " + of);
                    total++;
                }
                val sum = total;
                check(sum == two.size(), ()=>two + " in " + n + " blocks: " + sum);
            }
        }
        val all = Long.MIN_VALUE..Long.MAX_VALUE;
        check((all * all).size() == Long.MAX_VALUE && (all * (1..0)).size() == 0, ()=>"size of all pairs");
        check(!(all * all * all * all).isEmpty() && (all * (1..0) * all * all).size() == 0, ()=>"size of all quadruples");
        check((all * all).iterator().next().equals(Point.make(Long.MIN_VALUE, Long.MIN_VALUE)), ()=>"first pair");
    }

    public static def main(Rail[String]) {
        longs();
        ints();
        spaces();
        Console.OUT.println(checks(1) + " of " + checks(0) + " checks fail");
    }
}
