import x10.compiler.CUDA;
import x10.compiler.StackAllocate;
import x10.util.CUDAUtilities;

/** Kernels each of whose threads goes through a row of its own, which a CPU reads as columns of many rows, each against plain loops. */
public class kernel_columns {
    static def place():Place {
        val topology = PlaceTopology.getTopology();
        return topology.numChildren(here) > 0 ? topology.getChild(here, 0) : here;
    }

    static def compare[T](name:String, out:GlobalRail[T], expected:(Long)=>T) {
        val rail = new Rail[T](out.size, expected);
        val found = new Rail[T](out.size, expected);
        finish Rail.asyncCopy(out, 0, found, 0, out.size);
        var wrong:Long = 0;
        for (i in rail.range()) if (rail(i) != found(i)) wrong++;
        CUDAUtilities.deleteGlobalRail(out);
        if (wrong > 0) Console.OUT.println(name + ": " + wrong + " of " + rail.size + " are wrong");
    }

    static def f(i:Long) = (i * 31 % 1009) as Int;

    /** Whole numbers: sums of rows, of some blocks only a part of which has a row. */
    static def ints(p:Place, n:Int, m:Int) {
        val from = CUDAUtilities.makeGlobalRail[Int](p, n * m, (i:Long) => f(i));
        val out = CUDAUtilities.makeGlobalRail[Int](p, n);
        finish async at (p) @CUDA {
            finish for (block in 0n..((n + 63n) / 64n - 1n)) async {
                clocked finish for (thread in 0n..63n) clocked async {
                    val row = block * 64n + thread;
                    if (row < n) {
                        var sum:Int = 0n;
                        for (var k:Int = 0n; k < m; k++) sum = sum * 3n + from(row * m + k);
                        out(row) = sum;
                    }
                }
            }
        }
        compare("ints " + n + " " + m, out, (i:Long) => {
            var sum:Int = 0n;
            for (k in 0..(m - 1)) sum = sum * 3n + f(i * m + k);
            return sum;
        });
        CUDAUtilities.deleteGlobalRail(from);
    }

    /** Doubles in the order of the program, from a first iteration on, the last one included, and a value named in the loop. */
    static def doubles(p:Place, n:Long, m:Long, first:Long) {
        val from = CUDAUtilities.makeGlobalRail[Double](p, n * m, (i:Long) => 1.0 / (1 + f(i)));
        val with = CUDAUtilities.makeGlobalRail[Double](p, m, (i:Long) => 1.0e5 / (1 + i));
        val out = CUDAUtilities.makeGlobalRail[Double](p, n);
        finish async at (p) @CUDA {
            finish for (block in 0n..(((n + 31) / 32 - 1) as Int)) async {
                clocked finish for (thread in 0n..31n) clocked async {
                    val row = (block * 32n + thread) as Long;
                    if (row < n) {
                        var sum:Double = 0.0;
                        for (k in first..(m - 1)) {
                            val place = row * m + k;
                            sum = sum / 2.0 + with(k);
                            sum -= from(place);
                        }
                        out(row) = sum;
                    }
                }
            }
        }
        compare("doubles " + n + " " + m + " " + first, out, (i:Long) => {
            var sum:Double = 0.0;
            for (k in first..(m - 1)) {
                sum = sum / 2.0 + 1.0e5 / (1 + k);
                sum -= 1.0 / (1 + f(i * m + k));
            }
            return sum;
        });
        CUDAUtilities.deleteGlobalRail(from);
        CUDAUtilities.deleteGlobalRail(with);
    }

    /** Two rails of different kinds, one of which is read twice, some threads of a row only, and a loop around. */
    static def two(p:Place, n:Int, m:Int, odd:Int) {
        val a = CUDAUtilities.makeGlobalRail[Long](p, n * m, (i:Long) => f(i) as Long << 20);
        val b = CUDAUtilities.makeGlobalRail[UInt](p, n * (m + 1n), (i:Long) => f(i + 7) as UInt);
        val out = CUDAUtilities.makeGlobalRail[Long](p, n);
        finish async at (p) @CUDA {
            finish for (block in 0n..((n + 47n) / 48n - 1n)) async {
                clocked finish for (thread in 0n..47n) clocked async {
                    val row = block * 48n + thread;
                    if (row < n && row % odd != 1n) {
                        var sum:Long = 1;
                        for (var turn:Int = 0n; turn < 3n; turn++)
                            for (var k:Int = 0n; k < m; k++) {
                                val x = a(row * m + k), y = b(row * (m + 1n) + k + 1n) as Long;
                                if (x > y + turn) sum += x * a(row * m + k); else sum ^= y;
                            }
                        out(row) = sum;
                    }
                }
            }
        }
        compare("two " + n + " " + m + " " + odd, out, (i:Long) => {
            if (i % odd == 1) return 0;
            var sum:Long = 1;
            for (turn in 0..2) for (k in 0..(m - 1)) {
                val x = f(i * m + k) as Long << 20, y = f(i * (m + 1) + k + 1 + 7) as Long;
                if (x > y + turn) sum += x * x; else sum ^= y;
            }
            return sum;
        });
        CUDAUtilities.deleteGlobalRail(a);
        CUDAUtilities.deleteGlobalRail(b);
    }

    /** A named place in a row, in both halves of an iteration; and a loop in a loop, each of which reads a row. */
    static def named(p:Place, n:Int, m:Int) {
        val from = CUDAUtilities.makeGlobalRail[Int](p, n * m, (i:Long) => f(i));
        val out = CUDAUtilities.makeGlobalRail[Int](p, n);
        finish async at (p) @CUDA {
            finish for (block in 0n..((n + 63n) / 64n - 1n)) async {
                clocked finish for (thread in 0n..63n) clocked async {
                    val row = block * 64n + thread;
                    if (row < n) {
                        var sum:Int = 0n;
                        for (var k:Int = 0n; k < m; k++) {
                            val place = row * m + k;
                            sum = sum * 3n + from(place);
                            var left:Int = m - k;
                            if (left % 3n == 0n) left = 1n;
                            sum ^= from(place) * left;
                        }
                        for (var k:Int = 0n; k < m; k++) {
                            sum += from(row * m + k);
                            for (var j:Int = 0n; j < m; j++) sum = sum * 5n + from(row * m + j);
                        }
                        out(row) = sum;
                    }
                }
            }
        }
        compare("named " + n + " " + m, out, (i:Long) => {
            var sum:Int = 0n;
            for (k in 0n..(m - 1n)) {
                sum = sum * 3n + f(i * m + k);
                sum ^= f(i * m + k) * ((m - k) % 3n == 0n ? 1n : m - k);
            }
            for (k in 0..(m - 1)) {
                sum += f(i * m + k);
                for (j in 0..(m - 1)) sum = sum * 5n + f(i * m + j);
            }
            return sum;
        });
        CUDAUtilities.deleteGlobalRail(from);
    }

    /** Each thread stores to the row that it reads, under another name, some iterations ahead: nothing may be read before. */
    static def stored(p:Place, n:Int, m:Int) {
        val from = CUDAUtilities.makeGlobalRail[Int](p, n * m, (i:Long) => f(i));
        val to = from;
        finish async at (p) @CUDA {
            finish for (block in 0n..((n + 63n) / 64n - 1n)) async {
                clocked finish for (thread in 0n..63n) clocked async {
                    val row = block * 64n + thread;
                    if (row < n) for (var k:Int = 0n; k < m - 2n; k++) to(row * m + k + 2n) = from(row * m + k) + k;
                }
            }
        }
        compare("stored " + n + " " + m, from, (i:Long) => {
            val row = i / m, k = i % m;
            var sum:Long = f(row * m + k % 2);
            for (var turn:Long = k % 2; turn < k; turn += 2) sum += turn;
            return sum as Int;
        });
    }

    /** Only what is requested may be read: the last rows are shorter than the others. */
    static def shorter(p:Place, n:Int, m:Int) {
        val from = CUDAUtilities.makeGlobalRail[Int](p, n * m - 5n, (i:Long) => f(i));
        val out = CUDAUtilities.makeGlobalRail[Int](p, n);
        finish async at (p) @CUDA {
            finish for (block in 0n..((n + 63n) / 64n - 1n)) async {
                clocked finish for (thread in 0n..63n) clocked async {
                    val row = block * 64n + thread;
                    if (row < n) {
                        var sum:Int = 0n;
                        for (var k:Int = 0n; k < m; k++) {
                            val all = row * m + k;
                            if (all < n * m - 5n) sum = sum * 7n + from(all);
                            sum += (all < n * m - 5n && from(all) > 500n) ? 1n : 0n;
                        }
                        out(row) = sum;
                    }
                }
            }
        }
        compare("shorter " + n + " " + m, out, (i:Long) => {
            var sum:Int = 0n;
            for (k in 0..(m - 1)) if (i * m + k < n * m - 5n) {
                sum = sum * 7n + f(i * m + k);
                if (f(i * m + k) > 500n) sum += 1n;
            }
            return sum;
        });
        CUDAUtilities.deleteGlobalRail(from);
    }

    /** A row too long for its rail: the access is checked, and the message names it. */
    static def outside(p:Place) {
        val from = CUDAUtilities.makeGlobalRail[Int](p, 64n * 40n - 1n, (i:Long) => f(i));
        val out = CUDAUtilities.makeGlobalRail[Int](p, 64n);
        try {
            finish async at (p) @CUDA {
                finish for (block in 0n..0n) async {
                    clocked finish for (thread in 0n..63n) clocked async {
                        var sum:Int = 0n;
                        for (var k:Int = 0n; k < 40n; k++) sum += from(thread * 40n + k);
                        out(thread) = sum;
                    }
                }
            }
            Console.OUT.println("nothing was raised");
        } catch (e:MultipleExceptions) {
            val message = e.exceptions(0).getMessage();
            Console.OUT.println(message.substring(message.indexOf("kernel: ")));
        }
        CUDAUtilities.deleteGlobalRail(from);
        CUDAUtilities.deleteGlobalRail(out);
    }

    public static def main(Rail[String]) {
        val p = place();
        for (m in [1n, 3n, 15n, 16n, 17n, 31n, 32n, 40n]) for (n in [1n, 63n, 64n, 200n]) {
            ints(p, n, m);
            doubles(p, n, m, m / 3n);
            named(p, n, m);
            two(p, n, m, 2n);
            two(p, n, m, 1000n);
            if (m > 2n) stored(p, n, m);
            shorter(p, n + 4n, m + 1n);
        }
        outside(p);
        Console.OUT.println("done");
    }
}
