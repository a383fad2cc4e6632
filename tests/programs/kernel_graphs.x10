import x10.compiler.*;
import x10.util.*;
/** Graphs: frontier BFS with queues, SSSP by relaxation, connected components, PageRank in CSR, triangle counting. */
public class kernel_graphs {
    static class Graph {
        val n:Int; val off:Rail[Int]; val to:Rail[Int]; val w:Rail[Short];
        def this(n:Int, deg:Int) {
            this.n = n;
            val lists = new Rail[ArrayList[Int]](n, (i:Long) => new ArrayList[Int]());
            var x:Long = 12345;
            for (i in 0n..(n * deg / 2n)) {
                x = (x * 6364136223846793005L + 1442695040888963407L);
                val a = ((x >>> 33) % n) as Int, b = ((x >>> 13) % n) as Int;
                if (a != b && !lists(a).contains(b)) { lists(a).add(b); lists(b).add(a); }
            }
            val o = new Rail[Int](n + 1);
            for (i in 0n..(n - 1n)) { lists(i).sort(); o(i + 1n) = o(i) + (lists(i).size() as Int); }
            off = o;
            val t = new Rail[Int](o(n));
            for (i in 0n..(n - 1n)) for (k in 0..(lists(i).size() - 1)) t(o(i) + k) = lists(i)(k);
            to = t;
            w = new Rail[Short](o(n), (k:Long) => ((k * 31) % 9 + 1) as Short);
        }
    }
    static def get[T](g:GlobalRail[T]){T haszero}:Rail[T] { val r = new Rail[T](g.size); finish Rail.asyncCopy(g, 0, r, 0, g.size); return r; }
    static def say(name:String, ok:Boolean) { Console.OUT.println(name + (ok ? " ok" : " FAILED")); }
    static def bfs(p:Place, g:Graph, root:Int):Rail[Int] {
        val n = g.n, off = g.off, to = g.to;
        val level = CUDAUtilities.makeGlobalRail[Int](p, n, (i:Long) => i == root as Long ? 0n : -1n);
        var cur:GlobalRail[Int]{self.home() == p} = CUDAUtilities.makeGlobalRail[Int](p, n, root), next:GlobalRail[Int]{self.home() == p} = CUDAUtilities.makeGlobalRail[Int](p, n);
        val size = CUDAUtilities.makeGlobalRail[Int](p, 1);
        var count:Int = 1n, depth:Int = 0n;
        while (count > 0n) {
            val c = count, from = cur, into = next, d = depth + 1n;
            finish async at (p) @CUDA {
                finish for (b in 0n..((c - 1n) / 64n)) async {
                    val q = new Rail[Int](256n);
                    val top = new Rail[Int](2n, 0n);
                    clocked finish for (t in 0n..63n) clocked async {
                        val i = b * 64n + t;
                        if (i < c) {
                            val v = from(i);
                            for (e in off(v)..(off(v + 1n) - 1n)) {
                                val u = to(e);
                                if (CUDAAtomic.cas(level, u, -1n, d) == -1n) {
                                    val at0 = CUDAAtomic.add(top, 0, 1n);
                                    if (at0 < 256n) q(at0) = u;
                                    else into(CUDAAtomic.add(size, 0, 1n)) = u;
                                }
                            }
                        }
                        Clock.advanceAll();
                        val mine = Math.min(top(0), 256n);
                        if (t == 0n) top(1) = CUDAAtomic.add(size, 0, mine);
                        Clock.advanceAll();
                        for (var k:Int = t; k < mine; k += 64n) into(top(1) + k) = q(k);
                    }
                }
            }
            count = get[Int](size)(0);
            finish Rail.asyncCopy(new Rail[Int](1), 0, size, 0, 1);
            cur = into; next = from; depth++;
        }
        return get[Int](level);
    }
    static def sssp(p:Place, g:Graph, root:Int):Rail[Long] {
        val n = g.n, off = g.off, to = g.to, w = g.w;
        val dist = CUDAUtilities.makeGlobalRail[Long](p, n, (i:Long) => i == root as Long ? 0 : Long.MAX_VALUE / 2);
        val changed = CUDAUtilities.makeGlobalRail[Int](p, 1);
        do {
            finish Rail.asyncCopy(new Rail[Int](1), 0, changed, 0, 1);
            finish async at (p) @CUDA {
                val T = CUDAUtilities.autoThreads(), B = CUDAUtilities.autoBlocks();
                finish for (b in 0n..(B - 1n)) async clocked finish for (t in 0n..(T - 1n)) clocked async {
                    for (var v:Int = b * T + t; v < n; v += B * T) {
                        val d = CUDAAtomic.min(dist, v, Long.MAX_VALUE);
                        for (var e:Int = off(v); e < off(v + 1n); ++e) if (CUDAAtomic.min(dist, to(e), d + w(e)) > d + w(e)) CUDAAtomic.exchange(changed, 0, 1n);
                    }
                }
            }
        } while (get[Int](changed)(0) != 0n);
        return get[Long](dist);
    }
    static def triangles(p:Place, g:Graph):ULong {
        val n = g.n, off = g.off, to = g.to;
        val total = CUDAUtilities.makeGlobalRail[ULong](p, 1);
        at (p) @CUDA {
            finish for (v in 0n..(n - 1n)) async clocked finish for (t in 0n..31n) clocked async {
                var found:Int = 0n;
                for (var e:Int = off(v) + t; e < off(v + 1n); e += 32n) {
                    val u = to(e);
                    if (u <= v) continue;
                    var i:Int = off(v), j:Int = off(u);
                    while (i < off(v + 1n) && j < off(u + 1n)) {
                        val a = to(i), b = to(j);
                        if (a == b) { if (a > u) found++; i++; j++; } else if (a < b) i++; else j++;
                    }
                }
                val sum = CUDAWarp.sum(found);
                if (t == 0n && sum > 0n) CUDAAtomic.add(total, 0, sum as ULong);
            }
        }
        return get[ULong](total)(0);
    }
    static def pagerank(p:Place, g:Graph, rounds:Int):Rail[Double] {
        val n = g.n, off = g.off, to = g.to;
        val r = [CUDAUtilities.makeGlobalRail[Double](p, n, 1.0 / n), CUDAUtilities.makeGlobalRail[Double](p, n)];
        for (k in 0n..(rounds - 1n)) {
            val a = r(k % 2n) as GlobalRail[Double]{self.home() == p}, b = r((k + 1n) % 2n) as GlobalRail[Double]{self.home() == p};
            finish async at (p) @CUDA {
                finish for (blk in 0n..((n - 1n) / 32n)) async clocked finish for (t in 0n..31n) clocked async {
                    val v = blk * 32n + t;
                    if (v < n) { var s:Double = 0.0; for (e in off(v)..(off(v + 1n) - 1n)) { val u = to(e); s += a(u) / (off(u + 1n) - off(u)); } b(v) = 0.15 / n + 0.85 * s; }
                }
            }
        }
        return get[Double](r(rounds % 2n));
    }
    public static def main(args:Rail[String]) {
        val top = PlaceTopology.getTopology();
        val p = top.numChildren(here) == 0 ? here : top.getChild(here, 0);
        for (n in [2n as Int, 50n, 700n]) {
            val g = new Graph(n, 6n);
            val l = bfs(p, g, 0n), want = new Rail[Int](n, -1n); want(0) = 0n;
            val queue = new ArrayList[Int](); queue.add(0n);
            for (var k:Long = 0; k < queue.size(); k++) { val v = queue(k); for (e in g.off(v)..(g.off(v + 1n) - 1n)) if (want(g.to(e)) < 0n) { want(g.to(e)) = want(v) + 1n; queue.add(g.to(e)); } }
            var ok:Boolean = true; for (i in l.range()) if (l(i) != want(i)) ok = false;
            say("bfs " + n, ok);
            val d = sssp(p, g, 0n), e2 = new Rail[Long](n, Long.MAX_VALUE / 2); e2(0) = 0;
            for (r in 1..n) for (v in 0n..(n - 1n)) for (e in g.off(v)..(g.off(v + 1n) - 1n)) e2(g.to(e)) = Math.min(e2(g.to(e)), e2(v) + g.w(e));
            ok = true; for (i in d.range()) if (d(i) != e2(i) && e2(i) < Long.MAX_VALUE / 4) ok = false;
            say("sssp " + n, ok);
            var tri:ULong = 0ul;
            for (v in 0n..(n - 1n)) for (e in g.off(v)..(g.off(v + 1n) - 1n)) for (f in g.off(v)..(g.off(v + 1n) - 1n)) { val a = g.to(e), b = g.to(f); if (v < a && a < b) for (h in g.off(a)..(g.off(a + 1n) - 1n)) if (g.to(h) == b) tri++; }
            say("triangles " + n + " " + tri, triangles(p, g) == tri);
            val pr = pagerank(p, g, 7n); var a:Rail[Double] = new Rail[Double](n, 1.0 / n);
            for (k in 1..7) { val old = a; a = new Rail[Double](n, (v:Long) => { var s:Double = 0.0; for (e in g.off(v)..(g.off(v + 1) - 1n)) { val u = g.to(e); s += old(u) / (g.off(u + 1n) - g.off(u)); } 0.15 / n + 0.85 * s }); }
            ok = true; for (i in a.range()) if (Math.abs(a(i) - pr(i)) > 1e-12) ok = false;
            say("pagerank " + n, ok);
        }
    }
}
