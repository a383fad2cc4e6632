import x10.compiler.CUDA;
import x10.util.CUDABlock;
import x10.util.CUDAUtilities;
import x10.util.CUDAWarp;

/** Loops by tree reduction in both directions whose iterations a program says, in shared memory and by shuffles, beside what they come to. Each prints a sum over its results and the number of wrong ones. */
public class kernel_rounds {
    static def place() {
        val topology = PlaceTopology.getTopology();
        return topology.numChildren(here) > 0 ? topology.getChild(here, 0) : here;
    }

    static def check[T](name:String, remote:GlobalRail[T], expected:(Long)=>T, value:(T)=>Double){T haszero} {
        val rail = new Rail[T](remote.size);
        finish Rail.asyncCopy(remote, 0, rail, 0, remote.size);
        var sum:Double = 0.0;
        var wrong:Long = 0;
        for (i in rail.range) {
            sum += value(rail(i)) * (i % 17 + 1);
            if (value(rail(i)) != value(expected(i))) wrong++;
        }
        Console.OUT.printf("%s: %.3f, %d wrong\n", name, sum, wrong);
        CUDAUtilities.deleteGlobalRail(remote);
    }

    static def number(i:Long) = ((i * 7919) % 1013 - 500) as Int;

    /** Sums of blocks of 256 by tree reduction; the last block is not full. */
    static def halves(p:Place, n:Int, from:GlobalRail[Int]{home==p}) {
        val to = CUDAUtilities.makeGlobalRail[Int](p, (n + 255n) / 256n);
        finish async at (p) @CUDA {
            finish for (block in 0n..((n + 255n) / 256n - 1n)) async {
                val part = new Rail[Int](256n);
                clocked finish for (thread in 0n..255n) clocked async {
                    val i = block * 256n + thread;
                    part(thread) = i < n ? from(i) : 0n;
                    Clock.advanceAll();
                    for (var s:Int = 128n; s > 0n; s >>= 1n) {
                        if (thread < s) part(thread) += part(thread + s);
                        Clock.advanceAll();
                    }
                    if (thread == 0n) to(block) = part(0n);
                }
            }
        }
        check[Int]("halves", to, (b:Long)=>{
            var sum:Int = 0n;
            for (i in (b * 256)..Math.min(b * 256 + 255, n as Long - 1)) sum += number(i);
            sum
        }, (x:Int)=>x as Double);
    }

    /** All of the rail after each of the rounds counts, with a `while`, Longs, a counter that is read later and what is left in between. */
    static def remains(p:Place, from:GlobalRail[Int]{home==p}) {
        val to = CUDAUtilities.makeGlobalRail[Long](p, 8 * 96);
        finish async at (p) @CUDA {
            finish for (block in 0n..7n) async {
                val part = new Rail[Long](96, 3);
                clocked finish for (thread in 0n..95n) clocked async {
                    part(thread) = from(block * 96n + thread);
                    Clock.advanceAll();
                    var s:Long = 48;
                    while (s >= 3) {
                        val twice = s * 2;
                        if (thread < s) part(thread) = part(thread) * 2 + part(thread + s) + twice;
                        Clock.advanceAll();
                        s /= 2;
                    }
                    to(block * 96n + thread) = part(thread) + s * 1000;
                }
            }
        }
        check[Long]("remains", to, (i:Long)=>{
            val all = new Rail[Long](96, (t:Long)=>number(i / 96 * 96 + t) as Long);
            var s:Long = 48;
            while (s >= 3) {
                for (t in 0..(s - 1)) all(t) = all(t) * 2 + all(t + s) + 2 * s;
                s /= 2;
            }
            all(i % 96) + s * 1000
        }, (x:Long)=>x as Double);
    }

    /** Up and down again (Blelloch), twice, in rows of threads. */
    static def upAndDown(p:Place, from:GlobalRail[Int]{home==p}) {
        val to = CUDAUtilities.makeGlobalRail[Int](p, 5 * 128);
        finish async at (p) @CUDA {
            finish for (block in 0n..4n) async {
                val all = new Rail[Int](128n);
                clocked finish for (thread in 0n..63n) clocked async {
                    all(2n * thread) = from(block * 128n + 2n * thread);
                    all(2n * thread + 1n) = from(block * 128n + 2n * thread + 1n);
                    for (again in 0n..1n) {
                        var offset:Int = 1n;
                        for (var d:Int = 64n; d > 0n; d >>= 1n) {
                            Clock.advanceAll();
                            if (thread < d) all(offset * (2n * thread + 2n) - 1n) += all(offset * (2n * thread + 1n) - 1n);
                            offset *= 2n;
                        }
                        if (thread == 0n) all(127n) = again;
                        for (var d:Int = 1n; d < 128n; d *= 2n) {
                            offset >>= 1n;
                            Clock.advanceAll();
                            if (thread < d) {
                                val a = offset * (2n * thread + 1n) - 1n, b = offset * (2n * thread + 2n) - 1n;
                                val t = all(a);
                                all(a) = all(b);
                                all(b) += t;
                            }
                        }
                        Clock.advanceAll();
                    }
                    to(block * 128n + 2n * thread) = all(2n * thread);
                    to(block * 128n + 2n * thread + 1n) = all(2n * thread + 1n);
                }
            }
        }
        check[Int]("up and down", to, (i:Long)=>{
            val all = new Rail[Int](128, (t:Long)=>number(i / 128 * 128 + t));
            for (again in 0n..1n) {
                var before:Int = again;
                for (t in 0..127) {
                    val own = all(t);
                    all(t) = before;
                    before += own;
                }
            }
            all(i % 128)
        }, (x:Int)=>x as Double);
    }

    /** Rows of eight threads each halve a row; the slower axis and two rails. */
    static def rows(p:Place, from:GlobalRail[Int]{home==p}) {
        val to = CUDAUtilities.makeGlobalRail[Float](p, 3 * 4);
        finish async at (p) @CUDA {
            finish for (block in 0n..2n) async {
                val part = new Rail[Float](4n * 64n);
                val least = new Rail[Int](4n * 64n);
                clocked finish for ([y, x] in 0n..3n * 0n..63n) clocked async {
                    part(y * 64n + x) = from((block * 4n + y) * 64n + x) as Float;
                    least(y * 64n + x) = from((block * 4n + y) * 64n + x);
                    Clock.advanceAll();
                    for (var s:Int = 32n; s != 0n; s = s / 2n) {
                        if (x < s) {
                            part(y * 64n + x) += part(y * 64n + x + s);
                            least(y * 64n + x) = Math.min(least(y * 64n + x), least(y * 64n + x + s));
                        }
                        Clock.advanceAll();
                    }
                    if (x == 0) to(block * 4n + y) = part(y * 64n) + 0.5f * least(y * 64n);
                }
            }
        }
        check[Float]("rows", to, (r:Long)=>{
            var sum:Long = 0, least:Int = 1000n;
            for (x in 0..63) {
                sum += number(r * 64 + x);
                least = Math.min(least, number(r * 64 + x));
            }
            sum as Float + 0.5f * least
        }, (x:Float)=>x as Double);
    }

    /** What each lane has after the rounds of a shuffle by tree reduction. */
    static def lanes(all:Rail[Double], way:Long) {
        for (var by:Long = 16; by > 0; by /= 2) {
            val before = new Rail[Double](all);
            for (t in all.range) {
                val lane = t % 32;
                val other = way == 0 ? (lane + by < 32 ? t + by : t) : way == 1 ? (lane >= by ? t - by : t) : t - lane + (lane ^ by);
                all(t) = before(t) + before(other);
            }
        }
    }

    /** Three ways of moving, numbers of three types; every lane's result is stored, and each block has three warps. */
    static def shuffles(p:Place, from:GlobalRail[Int]{home==p}) {
        val to = CUDAUtilities.makeGlobalRail[Double](p, 4 * 96);
        finish async at (p) @CUDA {
            finish for (block in 0n..3n) async {
                clocked finish for (thread in 0n..95n) clocked async {
                    val i = block * 96n + thread;
                    var down:Int = from(i);
                    var up:Long = from(i);
                    var across:Double = from(i);
                    for (var by:Int = 16n; by > 0n; by /= 2n) {
                        down += CUDAWarp.shuffleDown(down, by);
                        up += CUDAWarp.shuffleUp(up, by);
                        across += CUDAWarp.shuffleXor(across, by);
                    }
                    to(i) = down + 2.0 * up + 4.0 * across;
                }
            }
        }
        check[Double]("shuffles", to, (i:Long)=>{
            var sum:Double = 0.0, factor:Double = 1.0;
            for (way in 0..2) {
                val all = new Rail[Double](96, (t:Long)=>number(i / 96 * 96 + t) as Double);
                lanes(all, way);
                sum += factor * all(i % 96);
                factor *= 2.0;
            }
            sum
        }, (x:Double)=>x);
    }

    static struct Pair(sum:Float, least:Int) {
        @CUDA operator this + (o:Pair) = Pair(sum + o.sum, Math.min(least, o.least));
    }

    /** Pairs, a counter of Longs that goes up, one that is read after the loop, and shuffles of one warp alone. */
    static def pairs(p:Place, from:GlobalRail[Int]{home==p}) {
        val to = CUDAUtilities.makeGlobalRail[Double](p, 4);
        finish async at (p) @CUDA {
            finish for (block in 0n..3n) async {
                val sums = new Rail[Float](8n);
                val leasts = new Rail[Int](8n);
                clocked finish for (thread in 0n..255n) clocked async {
                    val own = from(block * 256n + thread);
                    var pair:Pair = Pair(own as Float, own);
                    var by:Int = 1n;
                    while (by < 32n) {
                        pair = pair + CUDAWarp.shuffleXor(pair, by);
                        by *= 2n;
                    }
                    if (thread % 32n == 0n) {
                        sums(thread / 32n) = pair.sum;
                        leasts(thread / 32n) = pair.least;
                    }
                    Clock.advanceAll();
                    if (thread < 32n) {
                        var sum:Float = thread < 8n ? sums(thread) : 0.0f;
                        var least:Int = thread < 8n ? leasts(thread) : 1000n;
                        for (var half:Int = 4n; half > 0n; half >>= 1n) {
                            sum += CUDAWarp.shuffleDown(sum, half);
                            val other = CUDAWarp.shuffleDown(least, half);
                            if (other < least) least = other;
                        }
                        if (thread == 0n) to(block) = sum + 0.25 * least + 10000.0 * by;
                    }
                }
            }
        }
        check[Double]("pairs", to, (b:Long)=>{
            var sum:Long = 0, least:Int = 1000n;
            for (t in 0..255) {
                sum += number(b * 256 + t);
                least = Math.min(least, number(b * 256 + t));
            }
            sum + 0.25 * least + 320000.0
        }, (x:Double)=>x);
    }

    /** The values of some lanes only go on, in a loop around, and warps that are not whole. */
    static def partly(p:Place, from:GlobalRail[Int]{home==p}) {
        val to = CUDAUtilities.makeGlobalRail[Int](p, 2 * 64 + 2 * 40);
        finish async at (p) @CUDA {
            finish for (block in 0n..1n) async {
                clocked finish for (thread in 0n..63n) clocked async {
                    var sum:Int = from(block * 64n + thread);
                    for (turn in 0n..2n) {
                        for (var by:Int = 8n; by > 0n; by /= 4n) {
                            val other = CUDAWarp.shuffleDown(sum, by);
                            if (thread % 3n != turn) sum += other;
                        }
                        sum -= turn;
                    }
                    to(block * 64n + thread) = sum;
                }
            }
        }
        finish async at (p) @CUDA {
            finish for (block in 0n..1n) async {
                clocked finish for (thread in 0n..39n) clocked async {
                    var sum:Int = from(block * 40n + thread);
                    for (var by:Int = 16n; by > 0n; by /= 2n) sum += CUDAWarp.shuffleDown(sum, by) * 2n;
                    to(128n + block * 40n + thread) = sum;
                }
            }
        }
        check[Int]("partly", to, (i:Long)=>{
            val size = i < 128 ? 64 : 40, rank = i < 128 ? i : i - 128;
            val all = new Rail[Int](size, (t:Long)=>number(rank / size * size + t));
            for (turn in 0..2) {
                if (turn > 0 && size == 40) break;
                for (var by:Long = size == 40 ? 16 : 8; by > 0; by /= size == 40 ? 2 : 4) {
                    val before = new Rail[Int](all);
                    for (t in all.range) {
                        val warp = Math.min(32, size - t / 32 * 32);
                        val other = before(t % 32 + by < warp ? t + by : t);
                        if (size == 40) all(t) = before(t) + 2n * other;
                        else if (t % 3 != turn) all(t) = before(t) + other;
                    }
                }
                if (size == 64) for (t in all.range) all(t) -= turn as Int;
            }
            all(rank % size)
        }, (x:Int)=>x as Double);
    }

    /** Parts of sums that continue by a grid, of as many numbers as do not fill the last iterations; guards in iterations, and one that ends before. */
    static def strides(p:Place, n:Int, from:GlobalRail[Int]{home==p}) {
        val to = CUDAUtilities.makeGlobalRail[Double](p, 3);
        finish async at (p) @CUDA {
            finish for (block in 0n..2n) async {
                clocked finish for (thread in 0n..63n) clocked async {
                    var sum:Double = 0.0;
                    var odd:Long = 0, last:Int = -1n;
                    for (var i:Int = block * 64n + thread; i < n; i += 3n * 64n) {
                        val own = from(i);
                        sum += own * 0.5;
                        if ((own & 1n) == 1n) odd += own;
                        last = i;
                    }
                    for (var i:Long = 5 + block * 64n + thread; i <= n - 7; i += 192) odd += 2 * from(i - 5) - from(i + 6);
                    val all = CUDABlock.sum(sum), odds = CUDABlock.sum(odd), lasts = CUDABlock.max(last);
                    if (thread == 0n) to(block) = all + 4.0 * odds + lasts;
                }
            }
        }
        check[Double]("strides of " + n, to, (b:Long)=>{
            var sum:Double = 0.0, odd:Double = 0.0, last:Long = -1;
            for (i in 0..(n - 1)) {
                if (i / 64 % 3 != b) continue;
                sum += number(i) * 0.5;
                if ((number(i) & 1n) == 1n) odd += number(i);
                last = Math.max(last, i);
            }
            for (i in 5..(n - 7)) if ((i - 5) / 64 % 3 == b) odd += 2 * number(i - 5) - number(i + 6);
            sum + 4.0 * odd + last
        }, (x:Double)=>x);
    }

    static START = 0n;

    /** A loop that takes no iteration: what its iterations would assign stays as it was. */
    static def noTurn(p:Place, from:GlobalRail[Int]{home==p}) {
        val to = CUDAUtilities.makeGlobalRail[Int](p, 64);
        finish async at (p) @CUDA {
            finish for (block in 0n..0n) async {
                clocked finish for (thread in 0n..63n) clocked async {
                    val own = from(thread);
                    var last:Int = own + 1n;
                    for (var distance:Int = START; distance > 0n; distance /= 2n) last = CUDAWarp.shuffleDown(own, distance);
                    to(thread) = last;
                }
            }
        }
        check[Int]("no turn", to, (i:Long)=>number(i) + 1n, (x:Int)=>x as Double);
    }

    public static def main(Rail[String]) {
        val p = place();
        val from = CUDAUtilities.makeGlobalRail[Int](p, 4000, new Rail[Int](4000, (i:Long)=>number(i)));
        noTurn(p, from);
        halves(p, 4000n, from);
        halves(p, 1n, from);
        remains(p, from);
        upAndDown(p, from);
        rows(p, from);
        shuffles(p, from);
        pairs(p, from);
        partly(p, from);
        for (n in [0n, 1n, 191n, 192n, 200n, 575n, 640n, 768n, 769n, 1600n, 4000n]) strides(p, n, from);
        for (n in [31n, 32n, 33n, 64n, 100n, 128n, 256n, 512n]) blocks(p, n, from);
        CUDAUtilities.deleteGlobalRail(from);
    }

    /** What blocks of any size do together, Floats that are sums of quarters: exact in any order. */
    static def blocks(p:Place, n:Int, from:GlobalRail[Int]{home==p}) {
        val to = CUDAUtilities.makeGlobalRail[Double](p, 2 * n);
        finish async at (p) @CUDA {
            finish for (block in 0n..1n) async {
                clocked finish for (thread in 0n..(n - 1n)) clocked async {
                    val own = from(block * n + thread);
                    val value = own * 0.25f;
                    val sum = CUDABlock.sum(value);
                    val least = CUDABlock.min(own), most = CUDABlock.max(own as Long);
                    val upTo = CUDABlock.inclusiveSum(value as Double), before = CUDABlock.exclusiveSum(own);
                    val inWarp = CUDAWarp.sum(own), upToInWarp = CUDAWarp.inclusiveSum(value), beforeInWarp = CUDAWarp.exclusiveSum(own as Long);
                    to(block * n + thread) = sum + least + 2.0 * most + 4.0 * upTo + 8.0 * before + 16.0 * inWarp + 32.0 * upToInWarp + 64.0 * beforeInWarp;
                }
            }
        }
        check[Double]("blocks of " + n, to, (i:Long)=>{
            val first = i / n * n;
            var sum:Double = 0.0, upTo:Double = 0.0, inWarp:Double = 0.0, upToInWarp:Double = 0.0;
            var least:Int = 1000n, most:Int = -1000n;
            for (t in first..(first + n - 1)) {
                val own = number(t);
                val isOfWarp = (t - first) / 32 == (i - first) / 32;
                sum += own;
                least = Math.min(least, own);
                most = Math.max(most, own);
                if (t <= i) upTo += own;
                if (isOfWarp) inWarp += own;
                if (isOfWarp && t <= i) upToInWarp += own;
            }
            val own = number(i);
            0.25 * sum + least + 2.0 * most + upTo + 8.0 * (upTo - own) + 16.0 * inWarp + 8.0 * upToInWarp + 64.0 * (upToInWarp - own)
        }, (x:Double)=>x);
    }
}
