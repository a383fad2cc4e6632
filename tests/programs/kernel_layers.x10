import x10.compiler.CUDA;
import x10.compiler.StackAllocate;
import x10.util.CUDAAtomic;
import x10.util.CUDABlock;
import x10.util.CUDAUtilities;
import x10.util.CUDAWarp;

/** Layers: softmax by blocks and by warps, layer norm, attention with a running maximum, convolution layers, pooling with arguments, batch norm, top-k, embedding gradients, k-means, backprop of a perceptron, a recurrent cell. */
public class kernel_layers {
    static def place():Place {
        val topology = PlaceTopology.getTopology();
        return topology.numChildren(here) > 0 ? topology.getChild(here, 0) : here;
    }
    static def fetch[T](remote:GlobalRail[T]){T haszero}:Rail[T] {
        val rail = new Rail[T](remote.size);
        finish Rail.asyncCopy(remote, 0, rail, 0, remote.size);
        return rail;
    }
    static def say(name:String, right:Boolean) {
        Console.OUT.println((right ? "ok " : "WRONG ") + name);
        if (!right) System.setExitCode(1n);
    }
    static def same[T](a:Rail[T], b:Rail[T]):Boolean {
        if (a.size != b.size) return false;
        for (i in a.range()) if (a(i) != b(i)) { Console.OUT.println("at " + i + ": " + a(i) + " for " + b(i)); return false; }
        return true;
    }
    static def near(a:Rail[Float], b:Rail[Float], tolerance:Float):Boolean {
        for (i in b.range()) if (!(Math.abs(a(i) - b(i)) <= tolerance * (1.0f + Math.abs(b(i))))) { Console.OUT.println("at " + i + ": " + a(i) + " for " + b(i)); return false; }
        return true;
    }
    static def near(a:Rail[Double], b:Rail[Double], tolerance:Double):Boolean {
        for (i in b.range()) if (!(Math.abs(a(i) - b(i)) <= tolerance * (1.0 + Math.abs(b(i))))) { Console.OUT.println("at " + i + ": " + a(i) + " for " + b(i)); return false; }
        return true;
    }
    static def softmax(p:Place, rows:Int, cols:Int) {
        val x = new Rail[Float](rows * cols, (i:Long) => ((i * 37) % 53) * 0.2f - 3.0f);
        val a = CUDAUtilities.makeGlobalRail[Float](p, rows * cols), b = CUDAUtilities.makeGlobalRail[Float](p, rows * cols), c = CUDAUtilities.makeGlobalRail[Float](p, rows * cols);
        // a block a row
        finish async at (p) @CUDA {
            finish for (r in 0n..(rows - 1n)) async clocked finish for (t in 0n..63n) clocked async {
                var m:Float = Float.NEGATIVE_INFINITY;
                for (var j:Int = t; j < cols; j += 64n) m = Math.max(m, x(r * cols + j));
                m = CUDABlock.max(m);
                var s:Float = 0.0f;
                for (var j:Int = t; j < cols; j += 64n) s += Math.exp(x(r * cols + j) - m);
                s = CUDABlock.sum(s);
                for (var j:Int = t; j < cols; j += 64n) a(r * cols + j) = Math.exp(x(r * cols + j) - m) / s;
            }
        }
        // a warp a row, several a block, one pass for maximum and sum
        finish async at (p) @CUDA {
            finish for (bl in 0n..((rows + 3n) / 4n - 1n)) async clocked finish for ([w, lane] in 0n..3n * 0n..31n) clocked async {
                val r = bl * 4n + w;
                if (r < rows) {
                    var m:Float = Float.NEGATIVE_INFINITY; var s:Float = 0.0f;
                    for (var j:Long = lane; j < cols; j += 32) {
                        val v = x(r * cols + j);
                        if (v > m) { s = s * Math.exp(m - v) + 1.0f; m = v; } else s += Math.exp(v - m);
                    }
                    for (var d:Int = 16n; d > 0n; d >>= 1) {
                        val om = CUDAWarp.shuffleXor(m, d), os = CUDAWarp.shuffleXor(s, d);
                        val nm = Math.max(m, om);
                        if (nm > Float.NEGATIVE_INFINITY) s = s * Math.exp(m - nm) + os * Math.exp(om - nm);
                        m = nm;
                    }
                    for (var j:Long = lane; j < cols; j += 32) b(r * cols + j) = Math.exp(x(r * cols + j) - m) / s;
                }
            }
        }
        // layer norm
        finish async at (p) @CUDA {
            finish for (r in 0n..(rows - 1n)) async {
                val both = new Rail[Float](2);
                clocked finish for (t in 0n..31n) clocked async {
                    var s:Float = 0.0f; var q:Float = 0.0f;
                    for (var j:Int = t; j < cols; j += 32n) { val v = x(r * cols + j); s += v; q += v * v; }
                    s = CUDAWarp.sum(s); q = CUDAWarp.sum(q);
                    if (t == 0n) { both(0) = s / cols; both(1) = 1.0f / Math.sqrt(q / cols - both(0) * both(0) + 1e-5f); }
                    Clock.advanceAll();
                    for (var j:Int = t; j < cols; j += 32n) c(r * cols + j) = (x(r * cols + j) - both(0)) * both(1) * 0.5f + 0.1f;
                }
            }
        }
        val w = new Rail[Float](rows * cols), n = new Rail[Float](rows * cols);
        for (r in 0..(rows - 1)) {
            var m:Double = -1e30; var s:Double = 0.0; var sum:Double = 0.0; var sq:Double = 0.0;
            for (j in 0..(cols - 1)) { val v = x(r * cols + j); m = Math.max(m, v as Double); sum += v; sq += v * v; }
            for (j in 0..(cols - 1)) s += Math.exp(x(r * cols + j) - m);
            for (j in 0..(cols - 1)) { w(r * cols + j) = (Math.exp(x(r * cols + j) - m) / s) as Float; n(r * cols + j) = ((x(r * cols + j) - sum / cols) / Math.sqrt(sq / cols - sum / cols * sum / cols + 1e-5) * 0.5 + 0.1) as Float; }
        }
        say("softmax " + cols, near(fetch(a), w, 1e-5f));
        say("softmax of warps " + cols, near(fetch(b), w, 1e-5f));
        say("layer norm " + cols, near(fetch(c), n, 1e-3f));
        for (g in [a, b, c]) CUDAUtilities.deleteGlobalRail(g);
    }
    /** Tiles of keys and values in shared memory; a thread a query keeps maximum, sum and its row of the result. */
    static D = 16n;
    static def attention(p:Place, n:Int) {
        val q = new Rail[Float](n * D, (i:Long) => ((i * 31) % 17) * 0.1f - 0.8f), k = new Rail[Float](n * D, (i:Long) => ((i * 13) % 19) * 0.1f - 0.9f), v = new Rail[Float](n * D, (i:Long) => ((i * 7) % 23) * 0.1f);
        val out = CUDAUtilities.makeGlobalRail[Float](p, n * D);
        val T = 32n;
        finish async at (p) @CUDA {
            finish for (b in 0n..((n + T - 1n) / T - 1n)) async {
                val ks = new Rail[Float](T * D), vs = new Rail[Float](T * D), s = new Rail[Float](T * (T + 1n));
                clocked finish for (t in 0n..(T - 1n)) clocked async {
                    @StackAllocate val acc = new Rail[Float](16);
                    @StackAllocate val mine = new Rail[Float](16);
                    val i = b * T + t;
                    for (d in 0n..(D - 1n)) { acc(d) = 0.0f; mine(d) = i < n ? q(i * D + d) : 0.0f; }
                    var m:Float = Float.NEGATIVE_INFINITY; var l:Float = 0.0f;
                    for (var j0:Int = 0n; j0 <= b * T + T - 1n && j0 < n; j0 += T) {
                        for (var e:Int = t; e < T * D; e += T) {
                            val inside = j0 * D + e < n * D;
                            ks(e) = inside ? k(j0 * D + e) : 0.0f;
                            vs(e) = inside ? v(j0 * D + e) : 0.0f;
                        }
                        Clock.advanceAll();
                        var top:Float = m;
                        for (j in 0n..(T - 1n)) {
                            var dot:Float = 0.0f;
                            for (d in 0n..(D - 1n)) dot += mine(d) * ks(j * D + d);
                            if (j0 + j > i || j0 + j >= n) dot = Float.NEGATIVE_INFINITY; else dot *= 0.25f;
                            s(t * (T + 1n) + j) = dot;
                            top = Math.max(top, dot);
                        }
                        val old = Math.exp(m - top);
                        l *= old;
                        for (d in 0n..(D - 1n)) acc(d) *= old;
                        for (j in 0n..(T - 1n)) {
                            val w = Math.exp(s(t * (T + 1n) + j) - top);
                            l += w;
                            for (d in 0n..(D - 1n)) acc(d) += w * vs(j * D + d);
                        }
                        m = top;
                        Clock.advanceAll();
                    }
                    if (i < n) for (d in 0n..(D - 1n)) out(i * D + d) = acc(d) / l;
                }
            }
        }
        val w = new Rail[Float](n * D);
        for (i in 0..(n - 1)) {
            val e = new Rail[Double](i + 1, (j:Long) => { var dot:Double = 0.0; for (d in 0..(D - 1)) dot += q(i * D + d) * k(j * D + d); return Math.exp(dot * 0.25); });
            var l:Double = 0.0; for (x in e) l += x;
            for (d in 0..(D - 1)) { var sum:Double = 0.0; for (j in 0..i) sum += e(j) * v(j * D + d); w(i * D + d) = (sum / l) as Float; }
        }
        say("attention " + n, near(fetch(out), w, 1e-4f));
        CUDAUtilities.deleteGlobalRail(out);
    }
    /** Channels in, channels out, 3 by 3, a stride of two, zeros around; then maxima of 2 by 2 with where they were. */
    static def convolution(p:Place, ci:Int, co:Int, h:Int, w:Int) {
        val oh = (h + 1n) / 2n, ow = (w + 1n) / 2n, ph = oh / 2n, pw = ow / 2n;
        val x = new Rail[Float](ci * h * w, (i:Long) => ((i * 29) % 31) * 0.1f - 1.5f), f = new Rail[Float](co * ci * 9, (i:Long) => ((i * 11) % 13) * 0.1f - 0.6f);
        val y = CUDAUtilities.makeGlobalRail[Float](p, co * oh * ow), z = CUDAUtilities.makeGlobalRail[Float](p, co * ph * pw), arg = CUDAUtilities.makeGlobalRail[UByte](p, co * ph * pw);
        finish async at (p) @CUDA {
            finish for ([c, by, bx] in 0n..(co - 1n) * 0n..((oh + 3n) / 4n - 1n) * 0n..((ow + 7n) / 8n - 1n)) async {
                val tile = new Rail[Float](9 * 17), taps = new Rail[Float](ci * 9n);
                clocked finish for ([ty, tx] in 0n..3n * 0n..7n) clocked async {
                    val t = (ty * 8n + tx) as Int;
                    for (var i:Int = t; i < ci * 9n; i += 32n) taps(i) = f(c * ci * 9n + i);
                    var sum:Float = 0.0f;
                    for (k in 0n..(ci - 1n)) {
                        for (var i:Int = t; i < 9n * 17n; i += 32n) {
                            val gy = by * 8n + i / 17n - 1n, gx = bx * 16n + i % 17n - 1n;
                            tile(i) = gy >= 0n && gy < h && gx >= 0n && gx < w ? x((k * h + gy) * w + gx) : 0.0f;
                        }
                        Clock.advanceAll();
                        for (dy in 0n..2n) for (dx in 0n..2n) sum += tile((ty * 2n + dy) * 17n + tx * 2n + dx) * taps(k * 9n + dy * 3n + dx);
                        Clock.advanceAll();
                    }
                    val oy = by * 4n + ty, ox = bx * 8n + tx;
                    if (oy < oh && ox < ow) y((c * oh + oy) * ow + ox) = Math.max(sum, 0.1f * sum);
                }
            }
        }
        finish async at (p) @CUDA {
            finish for ([c, b] in 0n..(co - 1n) * 0n..((ph * pw + 31n) / 32n - 1n)) async clocked finish for (t in 0n..31n) clocked async {
                val i = b * 32n + t;
                if (i < ph * pw) {
                    val py = i / pw, px = i % pw;
                    var best:Float = Float.NEGATIVE_INFINITY; var where:UByte = 0uy;
                    for (k in 0n..3n) {
                        val v = y((c * oh + py * 2n + k / 2n) * ow + px * 2n + k % 2n);
                        if (v > best) { best = v; where = k as UByte; }
                    }
                    z(c * ph * pw + i) = best;
                    arg(c * ph * pw + i) = where;
                }
            }
        }
        val hy = new Rail[Float](co * oh * ow, (q:Long) => {
            val c = q / ow / oh, oy = q / ow % oh, ox = q % ow;
            var s:Float = 0.0f;
            for (k in 0..(ci - 1)) for (dy in 0..2) for (dx in 0..2) { val gy = oy * 2 + dy - 1, gx = ox * 2 + dx - 1; if (gy >= 0 && gy < h && gx >= 0 && gx < w) s += x((k * h + gy) * w + gx) * f((c * ci + k) * 9 + dy * 3 + dx); }
            return Math.max(s, 0.1f * s);
        });
        val ry = fetch(y), rz = fetch(z), ra = fetch(arg);
        var ok:Boolean = near(ry, hy, 1e-4f);
        for (q in rz.range()) {
            val c = q / pw / ph, py = q / pw % ph, px = q % pw;
            var best:Float = Float.NEGATIVE_INFINITY;
            for (k in 0..3) best = Math.max(best, ry((c * oh + py * 2 + k / 2) * ow + px * 2 + k % 2));
            ok &= rz(q) == best && ry((c * oh + py * 2 + ra(q) as Int / 2) * ow + px * 2 + ra(q) as Int % 2) == best;
        }
        say("convolution and pooling", ok);
        CUDAUtilities.deleteGlobalRail(y); CUDAUtilities.deleteGlobalRail(z); CUDAUtilities.deleteGlobalRail(arg);
    }
    /** Rodinia's: sums of products of a layer in a tile of 16 by 16, reduced by powers of two; then the weights. */
    static def backprop(p:Place, inN:Int) {
        val hid = 16n, pad = (inN + 15n) / 16n * 16n;
        val input = new Rail[Float](pad + 1, (i:Long) => i == 0 ? 1.0f : i <= inN ? ((i * 17) % 10) * 0.1f : 0.0f);
        val weights = new Rail[Float]((pad + 1) * (hid + 1), (i:Long) => ((i * 7) % 11) * 0.05f - 0.2f);
        val delta = new Rail[Float](hid + 1, (i:Long) => i * 0.01f);
        val blocks = pad / 16n;
        val w = CUDAUtilities.makeGlobalRail[Float](p, weights.size, weights), part = CUDAUtilities.makeGlobalRail[Float](p, blocks * hid), old = CUDAUtilities.makeGlobalRail[Float](p, weights.size);
        finish async at (p) @CUDA {
            finish for (by in 0n..(blocks - 1n)) async {
                val node = new Rail[Float](16), m = new Rail[Float](256);
                clocked finish for ([ty, tx] in 0n..15n * 0n..15n) clocked async {
                    val index = (hid + 1n) * 16n * by + (hid + 1n) * ty + tx + 1n + (hid + 1n);
                    val indexIn = 16n * by + ty + 1n;
                    if (tx == 0) node(ty) = input(indexIn);
                    Clock.advanceAll();
                    m(ty * 16n + tx) = w(index);
                    Clock.advanceAll();
                    m(ty * 16n + tx) = m(ty * 16n + tx) * node(ty);
                    Clock.advanceAll();
                    for (var i:Int = 1n; i <= 4n; i++) {
                        val two = 1n << i;
                        if (ty % two == 0) m(ty * 16n + tx) = m(ty * 16n + tx) + m((ty + two / 2n) * 16n + tx);
                        Clock.advanceAll();
                    }
                    if (tx == 0) part(by * hid + ty) = m(tx * 16n + ty);
                }
            }
        }
        finish async at (p) @CUDA {
            finish for (by in 0n..(blocks - 1n)) async clocked finish for ([ty, tx] in 0n..15n * 0n..15n) clocked async {
                val index = (hid + 1n) * 16n * by + (hid + 1n) * ty + tx + 1n + (hid + 1n);
                val y = 16n * by + ty + 1n, x = tx + 1n;
                w(index) += 0.3f * delta(x) * input(y) + 0.3f * old(index);
                old(index) = 0.3f * delta(x) * input(y) + 0.3f * old(index);
                Clock.advanceAll();
                if (ty == 0 && by == 0n) { w(x) += 0.3f * delta(x) + 0.3f * old(x); old(x) = 0.3f * delta(x) + 0.3f * old(x); }
            }
        }
        val sums = fetch(part), rw = fetch(w);
        var ok:Boolean = true;
        for (j in 1..hid) {
            var got:Float = weights(j); var s:Double = weights(j);
            for (b in 0..(blocks - 1)) got += sums(b * hid + j - 1);
            for (i in 1..inN) s += weights(i * (hid + 1) + j) * input(i);
            ok &= Math.abs(got - s) < 1e-3;
            for (i in 0..inN) ok &= Math.abs(rw(i * (hid + 1) + j) - weights(i * (hid + 1) + j) - 0.3f * delta(j) * input(i)) < 1e-5f;
        }
        say("backprop " + inN, ok);
        CUDAUtilities.deleteGlobalRail(w); CUDAUtilities.deleteGlobalRail(part); CUDAUtilities.deleteGlobalRail(old);
    }
    static def kmeans(p:Place, n:Int, k:Int) {
        val x = new Rail[Double](n * 2, (i:Long) => ((i / 2 % k) * 10 + ((i * 37) % 17) * 0.1) * (i % 2 == 0 ? 1.0 : -0.5));
        val points = CUDAUtilities.makeGlobalRail[Double](p, n * 2, x);
        val centres = new Rail[Double](k * 2, (i:Long) => x(i));
        val member = CUDAUtilities.makeGlobalRail[Byte](p, n, -1y);
        val sums = CUDAUtilities.makeGlobalRail[Double](p, k * 2), counts = CUDAUtilities.makeGlobalRail[Int](p, k), moved = CUDAUtilities.makeGlobalRail[Int](p, 1);
        var turns:Int = 0n; var left:Int = 1n;
        while (left > 0n && turns < 20n) {
            for (g in [counts, moved]) finish Rail.asyncCopy(new Rail[Int](g.size), 0, g, 0, g.size);
            finish Rail.asyncCopy(new Rail[Double](k * 2), 0, sums, 0, k * 2);
            finish async at (p) @CUDA {
                val c = CUDAConstantRail(centres);
                finish for (b in 0n..((n + 63n) / 64n - 1n)) async {
                    val ss = new Rail[Double](k * 2n, 0.0), sc = new Rail[Int](k, 0n);
                    clocked finish for (t in 0n..63n) clocked async {
                        val i = b * 64n + t;
                        var changed:Boolean = false;
                        if (i < n) {
                            var best:Double = Double.MAX_VALUE; var which:Byte = 0y;
                            for (j in 0n..(k - 1n)) {
                                val dx = points(2n * i) - c(2n * j), dy = points(2n * i + 1n) - c(2n * j + 1n);
                                val d = dx * dx + dy * dy;
                                if (d < best) { best = d; which = j as Byte; }
                            }
                            changed = member(i) != which;
                            member(i) = which;
                            CUDAAtomic.add(ss, 2 * which, points(2n * i)); CUDAAtomic.add(ss, 2 * which + 1, points(2n * i + 1n)); CUDAAtomic.add(sc, which, 1n);
                        }
                        val m = CUDABlock.count(changed);
                        if (t == 0n) CUDAAtomic.add(moved, 0, m);
                        if (t < k) { CUDAAtomic.add(sums, 2n * t, ss(2n * t)); CUDAAtomic.add(sums, 2n * t + 1n, ss(2n * t + 1n)); CUDAAtomic.add(counts, t, sc(t)); }
                    }
                }
            }
            val s = fetch(sums), c = fetch(counts);
            for (j in 0..(k - 1)) if (c(j) > 0n) { centres(2 * j) = s(2 * j) / c(j); centres(2 * j + 1) = s(2 * j + 1) / c(j); }
            left = fetch(moved)(0);
            turns++;
        }
        val m = fetch(member);
        val h = new Rail[Double](k * 2, (i:Long) => x(i));
        val hm = new Rail[Byte](n);
        for (turn in 1..turns) {
            val s = new Rail[Double](k * 2), c = new Rail[Int](k);
            for (i in 0..(n - 1)) {
                var best:Double = Double.MAX_VALUE;
                for (j in 0..(k - 1)) { val dx = x(2 * i) - h(2 * j), dy = x(2 * i + 1) - h(2 * j + 1); if (dx * dx + dy * dy < best) { best = dx * dx + dy * dy; hm(i) = j as Byte; } }
                s(2 * hm(i)) += x(2 * i); s(2 * hm(i) + 1) += x(2 * i + 1); c(hm(i))++;
            }
            for (j in 0..(k - 1)) if (c(j) > 0n) { h(2 * j) = s(2 * j) / c(j); h(2 * j + 1) = s(2 * j + 1) / c(j); }
        }
        say("k-means", left == 0n && same(m, hm) && near(centres, h, 1e-9));
        CUDAUtilities.deleteGlobalRail(points); CUDAUtilities.deleteGlobalRail(member); CUDAUtilities.deleteGlobalRail(sums); CUDAUtilities.deleteGlobalRail(counts); CUDAUtilities.deleteGlobalRail(moved);
    }
    public static def main(args:Rail[String]) {
        val p = place();
        softmax(p, 5n, 100n); softmax(p, 9n, 17n); attention(p, 50n); attention(p, 7n); convolution(p, 3n, 2n, 21n, 35n); backprop(p, 37n); kmeans(p, 200n, 5n);
    }
}
