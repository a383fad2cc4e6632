import x10.compiler.CUDA;
import x10.compiler.StackAllocate;
import x10.util.CUDAUtilities;

/**
 * Kernels that compute with Longs, which a device does with 32 bits where the host finds at the launch that they fit: the same
 * kernels at launches where they fit, where only the last step exceeds, and where nothing fits, against what the host computes.
 */
public class kernel_long_numbers {
    static N = 1000;

    static def quotient(i:Long, by:Long, add:Long, scale:Long):Long {
        val shifted = i * scale + add;
        var sum:Long = 0;
        for (k in 0..3) {
            val piece = (shifted + k) / by;
            sum += piece * by + (shifted + k) % by;
        }
        return sum;
    }

    /** Divisions by captured numbers, of numbers of either sign. */
    static def divide(p:Place, by:Long, add:Long, scale:Long, to:GlobalRail[Long]{home==p}) {
        finish async at (p) @CUDA {
            finish for (block in 0n..7n) async
                clocked finish for (thread in 0n..127n) clocked async {
                    val i = block * 128 + thread;
                    if (i < N) {
                        val shifted = i * scale + add;
                        var sum:Long = 0;
                        for (k in 0..3) {
                            val piece = (shifted + k) / by;
                            sum += piece * by + (shifted + k) % by;
                        }
                        to(i) = sum;
                    }
                }
        }
    }

    /** Neighbours on a ring, choices, and a counter that goes down. */
    static def ring(p:Place, w:Long, from:GlobalRail[Long]{home==p}, to:GlobalRail[Long]{home==p}) {
        finish async at (p) @CUDA {
            finish for (block in 0n..7n) async
                clocked finish for (thread in 0n..127n) clocked async {
                    val x = block * 128 + thread;
                    if (x < w) {
                        val left = x == 0 ? w - 1 : x - 1;
                        val right = (x + 1) % w;
                        var all:Long = 0;
                        for (var k:Long = 5; k >= 0; k--) all = all * 3 + from((x + k * w - k) % w);
                        to(x) = from(left) * 7 + from(right) + (all & 0xFFFF);
                    }
                }
        }
    }

    /** Sums by tree reduction and by doubles, with masks that depend on the iteration. */
    static def rounds(p:Place, to:GlobalRail[Long]{home==p}) {
        finish async at (p) @CUDA {
            finish for (block in 0n..0n) async {
                val part = new Rail[Long](256);
                clocked finish for (thread in 0n..127n) clocked async {
                    part(thread) = thread * 3;
                    part(thread + 128) = thread * 5 + 1;
                    for (var half:Long = 1; half < 256; half *= 2) {
                        Clock.advanceAll();
                        val low = (thread / half) * 2 * half + thread % half;
                        val other = 2 * thread - (thread & (half - 1));
                        val a = part(low), b = part(low + half);
                        part(low) = a + b;
                        part(low + half) = (a - b) ^ (other << 2) | (low >> 1);
                    }
                    Clock.advanceAll();
                    to(thread) = part(thread);
                    to(thread + 128) = part(thread + 128);
                }
            }
        }
    }

    static def rounds():Rail[Long] {
        val part = new Rail[Long](256);
        for (thread in 0..127) {
            part(thread) = thread * 3;
            part(thread + 128) = thread * 5 + 1;
        }
        for (var half:Long = 1; half < 256; half *= 2)
            for (thread in 0..127) {
                val low = (thread / half) * 2 * half + thread % half;
                val other = 2 * thread - (thread & (half - 1));
                val a = part(low), b = part(low + half);
                part(low) = a + b;
                part(low + half) = (a - b) ^ (other << 2) | (low >> 1);
            }
        return part;
    }

    /** A thread's own rail, chosen by counters up and down, in loops that are written out. */
    static def own(p:Place, seed:Long, to:GlobalRail[Long]{home==p}) {
        finish async at (p) @CUDA {
            finish for (block in 0n..0n) async
                clocked finish for (thread in 0n..31n) clocked async {
                    @StackAllocate val w = @StackAllocate new Rail[Long](16);
                    for (i in 0..15) w(i) = seed * i + thread;
                    for (i in 16..63) w(i & 15) = w((i + 3) & 15) * 3 + w((i + 9) % 16) - i;
                    var all:Long = 0;
                    for (var k:Long = 15; k >= 0; k--) all = all * 31 + w(k);
                    to(thread) = all;
                }
        }
    }

    static def own(thread:Long, seed:Long):Long {
        val w = new Rail[Long](16, (i:Long)=>seed * i + thread);
        for (i in 16..63) w(i & 15) = w((i + 3) & 15) * 3 + w((i + 9) % 16) - i;
        var all:Long = 0;
        for (var k:Long = 15; k >= 0; k--) all = all * 31 + w(k);
        return all;
    }

    /** Indices of which only a part exceeds 32 bits. */
    static def beyond(p:Place, far:Long, from:GlobalRail[Long]{home==p}, to:GlobalRail[Long]{home==p}) {
        finish async at (p) @CUDA {
            finish for (block in 0n..7n) async
                clocked finish for (thread in 0n..127n) clocked async {
                    val i = block * 128 + thread;
                    if (i < N) {
                        val there = i * far;
                        val back = there / far;
                        to(i) = from(back) + there % 1000;
                    }
                }
        }
    }

    /** The greater and the lesser of what has a NaN in any place. */
    static def extremes(p:Place) {
        val numbers = [1.0, Double.NaN, -2.0, Double.NaN] as Rail[Double];
        val from = CUDAUtilities.makeGlobalRail[Double](p, 4, numbers);
        val to = CUDAUtilities.makeGlobalRail[Double](p, 16);
        finish async at (p) @CUDA {
            finish for (block in 0n..0n) async
                clocked finish for (thread in 0n..15n) clocked async {
                    val a = from(thread / 4), b = from(thread % 4);
                    to(thread) = Math.max(a, b) * 10.0 + Math.min(a as Float, b as Float);
                }
        }
        val found = new Rail[Double](16);
        finish Rail.asyncCopy(to, 0, found, 0, 16);
        for (k in 0..15) {
            val a = numbers(k / 4), b = numbers(k % 4);
            val mine = Math.max(a, b) * 10.0 + Math.min(a as Float, b as Float);
            if (found(k) != mine && !(found(k).isNaN() && mine.isNaN())) Console.OUT.println("of " + a + " and " + b + ": " + found(k) + ", not " + mine);
        }
        Console.OUT.println(Math.max(1.0, Double.NaN) + " " + Math.max(Double.NaN, 1.0) + " " + Math.min(Float.NaN, 2.0f) + " " + Math.min(2.0f, Float.NaN)
            + " " + Math.max(Float.NaN, Float.NaN));
    }

    /** Not inlined: a function with several ways out. Its locals are no Longs. */
    @CUDA static def mixed(x:Double, n:Long):Double {
        var a:Double = x, b:Double = 0.5, c:Double = 0.25, d:Double = 0.125;
        for (var k:Long = 0; k < n; k++) {
            if (k == 3) return a * b;
            a = a * 1.5 + b;
            b = b * a + c;
            c = c * b + d;
            d = d + 0.75 * c;
        }
        while (a > 1.0) {
            a = a * 0.5;
            b = b + a;
            if (b > 100.0) return c;
        }
        return a + b + c + d;
    }

    /** Numbers far beyond 32 bits as the ends of loops, bits of counters, and functions with locals of their own. */
    static def ends(p:Place, start:Long, end:Long, to:GlobalRail[Double]{home==p}) {
        finish async at (p) @CUDA {
            finish for (block in 0n..0n) async
                clocked finish for (thread in 0n..15n) clocked async {
                    val id = (block * 16n + thread) as Long;
                    var sum:Double = id;
                    for (var i:Long = start; i < end; i = i + 1) {
                        val j = (i * 3) % 7;
                        sum += (i >> 40) + (i % 7) + Double.fromLongBits(i) + mixed(0.3 * j, id);
                    }
                    to(id) = sum;
                }
        }
    }

    static def ends(id:Long, start:Long, end:Long):Double {
        var sum:Double = id;
        for (var i:Long = start; i < end; i = i + 1) {
            val j = (i * 3) % 7;
            sum += (i >> 40) + (i % 7) + Double.fromLongBits(i) + mixed(0.3 * j, id);
        }
        return sum;
    }

    /** What the condition of a loop reads is read also if there is no iteration. */
    static def ahead(p:Place, n:Long, from:GlobalRail[Long]{home==p}, to:GlobalRail[Long]{home==p}) {
        finish async at (p) @CUDA {
            finish for (block in 0n..0n) async
                clocked finish for (thread in 0n..0n) clocked async {
                    var i:Long = 0;
                    while (from(i) != 0 && i < n - 1) i++;
                    to(0) = i;
                }
        }
    }

    static def compare(name:String, p:Place, to:GlobalRail[Long]{home==p}, count:Long, wanted:(Long)=>Long) {
        val found = new Rail[Long](to.size);
        finish Rail.asyncCopy(to, 0, found, 0, to.size);
        for (i in 0..(count - 1))
            if (found(i) != wanted(i)) {
                Console.OUT.println(name + ": " + i + " is " + found(i) + ", not " + wanted(i));
                return;
            }
        Console.OUT.println(name + ": right");
    }

    public static def main(Rail[String]) {
        val topology = PlaceTopology.getTopology();
        val p = topology.numChildren(here) > 0 ? topology.getChild(here, 0) : here;
        val first = (i:Long)=>(i * 7919) % 1013 - 300;
        val from = CUDAUtilities.makeGlobalRail[Long](p, N, new Rail[Long](N, first));
        val to = CUDAUtilities.makeGlobalRail[Long](p, N, new Rail[Long](N));

        for (row in [
                [7, 0, 1] as Rail[Long],
                [7, -500, 1] as Rail[Long],
                [1, 2147483000, 1] as Rail[Long],
                [-3, 100, 1] as Rail[Long],
                [3000000000, 5, 4000000000] as Rail[Long]]) {
            val by = row(0), add = row(1), scale = row(2);
            divide(p, by, add, scale, to);
            compare("divided by " + by, p, to, N, (i:Long)=>quotient(i, by, add, scale));
        }

        for (w in [2, 37, N]) {
            ring(p, w, from, to);
            compare("a ring of " + w, p, to, w, (x:Long)=>{
                var all:Long = 0;
                for (var k:Long = 5; k >= 0; k--) all = all * 3 + first((x + k * w - k) % w);
                return first(x == 0 ? w - 1 : x - 1) * 7 + first((x + 1) % w) + (all & 0xFFFF);
            });
        }

        extremes(p);

        val sums = CUDAUtilities.makeGlobalRail[Double](p, 16);
        for (pair in [[0, 9] as Rail[Long], [-5, 20] as Rail[Long], [0, -4294967291] as Rail[Long], [4294967290, 4294967299] as Rail[Long]]) {
            val start = pair(0), end = pair(1);
            ends(p, start, end, sums);
            val found = new Rail[Double](16);
            finish Rail.asyncCopy(sums, 0, found, 0, 16);
            var near:Boolean = true;
            for (id in 0..15) {
                val mine = ends(id, start, end);
                near &= Math.abs(found(id) - mine) <= 1.0E-9 * Math.abs(mine) || found(id).isNaN() && mine.isNaN();
            }
            Console.OUT.println("from " + start + " to " + end + ": " + (near ? "right" : "wrong"));
        }
        val none = CUDAUtilities.makeGlobalRail[Long](p, 0);
        try {
            ahead(p, 0, none, to);
            Console.OUT.println("nothing was read");
        } catch (e:MultipleExceptions) {
            Console.OUT.println(e.exceptions()(0).typeName());
        }

        rounds(p, to);
        val wanted = rounds();
        compare("rounds", p, to, 256, (i:Long)=>wanted(i));

        for (seed in [3, -70000, 123456789012345]) {
            own(p, seed, to);
            compare("own rails from " + seed, p, to, 32, (thread:Long)=>own(thread, seed));
        }

        for (far in [3, 2147483, 2149632, 5000000000]) {
            beyond(p, far, from, to);
            compare("as far as " + far, p, to, N, (i:Long)=>first(i) + i * far % 1000);
        }
    }
}
