import x10.compiler.*;
import x10.util.*;
/** Kernels in generic code, constructors, nested closures, inner classes, static initialisers; structs with type parameters of both. */
public class kernel_generic {
    static struct Pair2[A,B]{A haszero, B haszero} {
        val a:A; val b:B;
        @CUDA def this(a:A, b:B) { this.a = a; this.b = b; }
        @CUDA def first():A = a;
        @CUDA def swap():Pair2[B,A] = Pair2[B,A](b, a);
        @CUDA def withFirst[C](c:C){C haszero}:Pair2[C,B] = Pair2[C,B](c, b);
    }
    @CUDA static def lower[T](r:Rail[T], n:Int, x:T){T <: Ordered[T]}:Int {
        var lo:Int = 0n, hi:Int = n;
        while (lo < hi) { val mid = (lo + hi) >>> 1n; if (r(mid) < x) lo = mid + 1n; else hi = mid; }
        return lo;
    }
    static def put[T](p:Place, r:Rail[T]){T haszero}:GlobalRail[T]{self.home() == p} = CUDAUtilities.makeGlobalRail[T](p, r.size, r);
    static def get[T](g:GlobalRail[T]){T haszero}:Rail[T] { val r = new Rail[T](g.size); finish Rail.asyncCopy(g, 0, r, 0, g.size); return r; }
    static def search[T](p:Place, sorted:Rail[T], queries:Rail[T]){T haszero, T <: Ordered[T]}:Rail[Pair2[Int,T]] {
        val n = sorted.size as Int, m = queries.size as Int;
        val out = CUDAUtilities.makeGlobalRail[Pair2[Int,T]](p, m);
        finish async at (p) @CUDA {
            finish for (b in 0n..((m - 1n) / 32n)) async {
                val s = new Rail[T](sorted);
                clocked finish for (t in 0n..31n) clocked async {
                    val i = b * 32n + t;
                    if (i < m) out(i) = Pair2[Int,T](lower[T](s, n, queries(i)), queries(i));
                }
            }
        }
        return get[Pair2[Int,T]](out);
    }
    static class Vector[T]{T haszero, T <: Arithmetic[T], T <: Ordered[T]} {
        val p:Place; val n:Int; val data:GlobalRail[T]{self.home() == this.p};
        def this(p:Place, r:Rail[T]) {
            property(); this.p = p; this.n = r.size as Int;
            this.data = CUDAUtilities.makeGlobalRail[T](p, r.size, r);
        }
        def map(k:T, c:T):Vector[T] {
            val v = new Vector[T](p, new Rail[T](n));
            val n = this.n; val from = this.data, to = v.data; val p = this.p;
            at (p) @CUDA {
                val T1 = CUDAUtilities.autoThreads(), B = CUDAUtilities.autoBlocks();
                finish for (b in 0n..(B - 1n)) async clocked finish for (t in 0n..(T1 - 1n)) clocked async {
                    for (var i:Int = b * T1 + t; i < n; i += B * T1) to(i) = from(i) * k + c;
                }
            }
            return v;
        }
        def reduce():T {
            val n = this.n; val from = this.data; val p = this.p;
            val blocks = 8n;
            val partial = CUDAUtilities.makeGlobalRail[T](p, blocks);
            finish async at (p) @CUDA {
                finish for (b in 0n..(blocks - 1n)) async {
                    val s = new Rail[T](64n);
                    clocked finish for (t in 0n..63n) clocked async {
                        for (var i:Int = b * 64n + t; i < n; i += blocks * 64n) s(t) += from(i);
                        for (var h:Int = 32n; h > 0n; h /= 2n) {
                            Clock.advanceAll();
                            if (t < h) s(t) += s(t + h);
                        }
                        if (t == 0n) partial(b) = s(0);
                    }
                }
            }
            val r = get[T](partial);
            var sum:T = r(0);
            for (i in 1..(blocks - 1)) sum = sum + r(i);
            return sum;
        }
        operator this(i:Long):T = get[T](data)(i);
    }
    class Inner {
        val base:Int;
        def this(b:Int) { base = b; }
        def fill(p:Place, n:Int):Rail[Int] {
            val out = CUDAUtilities.makeGlobalRail[Int](p, n);
            val work = (k:Int) => {
                val base = this.base + k, off = kernel_generic.this.offset;
                val again = () => { finish async at (p) @CUDA { finish for (b in 0n..(n / 16n)) async clocked finish for (t in 0n..15n) clocked async { val i = b * 16n + t; if (i < n) out(i) += base * i + off; } } };
                again(); again();
            };
            work(1n); work(2n);
            return get[Int](out);
        }
    }
    val offset:Int = 7n;
    static def say(name:String, ok:Boolean) { Console.OUT.println(name + (ok ? " ok" : " FAILED")); }
    public static def main(args:Rail[String]) {
        val top = PlaceTopology.getTopology();
        val p = top.numChildren(here) == 0 ? here : top.getChild(here, 0);
        val si = new Rail[Int](100, (i:Long) => (i * 3) as Int), qi = new Rail[Int](77, (i:Long) => ((i * 41) % 320 - 5) as Int);
        var ok:Boolean = true; val ri = search[Int](p, si, qi);
        for (i in qi.range()) if (ri(i).a != lower[Int](si, 100n, qi(i)) || ri(i).swap().a != qi(i) || ri(i).withFirst[Byte](3y).b != qi(i)) ok = false;
        say("search ints", ok);
        val sd = new Rail[Double](64, (i:Long) => i * 0.5), qd = new Rail[Double](50, (i:Long) => i * 0.77 - 1.0);
        ok = true; val rd = search[Double](p, sd, qd); for (i in qd.range()) if (rd(i).first() != lower[Double](sd, 64n, qd(i))) ok = false;
        say("search doubles", ok);
        val su = new Rail[UByte](30, (i:Long) => (i * 8) as UByte), qu = new Rail[UByte](256, (i:Long) => i as UByte);
        ok = true; val ru = search[UByte](p, su, qu); for (i in qu.range()) if (ru(i).first() != lower[UByte](su, 30n, qu(i))) ok = false;
        say("search ubytes", ok);
        val v = new Vector[Long](p, new Rail[Long](1000, (i:Long) => i - 300));
        var want:Long = 0; for (i in 0..999) want += (i - 300) * -7 + 11;
        say("vector long", v.map(-7, 11).reduce() == want && v(3) == -297);
        say("vector float", new Vector[Float](p, new Rail[Float](1000, (i:Long) => i as Float)).map(2.0f, 1.0f).reduce() == 1000000.0f);
        val f = new kernel_generic().new Inner(5n).fill(p, 50n);
        ok = true; for (i in f.range()) if (f(i) != 2n * (6n * i as Int + 7n) + 2n * (7n * i as Int + 7n)) ok = false;
        say("inner", ok);
    }
}
