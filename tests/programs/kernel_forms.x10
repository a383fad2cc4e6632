import x10.compiler.CUDA;
import x10.util.CUDAUtilities;

/** Kernels of unusual forms, beside the same computed in order: nested loops, barriers in nested branches, switches, all types, structs. */
public class kernel_forms {
    static struct Body(x:Float, y:Float, m:Double, id:Long, ok:Boolean, c:Char, b:Byte) {
        @CUDA def energy():Double = m * (x * x + y * y);
    }
    static struct Pair(a:Int, b:Int) {
        @CUDA public operator this + (o:Pair):Pair = Pair(a + o.a, b + o.b);
    }
    static K = 7n;
    static def place():Place {
        val topology = PlaceTopology.getTopology();
        return topology.numChildren(here) > 0 ? topology.getChild(here, 0) : here;
    }
    static def get[T](remote:GlobalRail[T]){T haszero}:Rail[T] {
        val rail = new Rail[T](remote.size);
        finish Rail.asyncCopy(remote, 0, rail, 0, remote.size);
        CUDAUtilities.deleteGlobalRail(remote);
        return rail;
    }
    static def say(name:String, right:Boolean) { Console.OUT.println(name + (right ? " ok" : " WRONG")); }

    // triangular loops
    static def triangle(p:Place) {
        val n = 100n;
        val out = CUDAUtilities.makeGlobalRail[Long](p, n);
        finish async at (p) @CUDA {
            finish for (block in 0n..3n) async {
                clocked finish for (thread in 0n..31n) clocked async {
                    val i = block * 32n + thread;
                    if (i < n) {
                        var s:Long = 0;
                        for (var j:Int = 0n; j <= i; j++)
                            for (k in j..i) s += (j * k) as Long;
                        out(i) = s;
                    }
                }
            }
        }
        val f = get(out);
        var right:Boolean = true;
        for (i in 0..99) {
            var s:Long = 0;
            for (j in 0..i) for (k in j..i) s += j * k;
            if (s != f(i)) right = false;
        }
        say("triangle", right);
    }
    // while loop with break, continue, labels
    static def collatz(p:Place) {
        val n = 1000n;
        val out = CUDAUtilities.makeGlobalRail[Int](p, n);
        finish async at (p) @CUDA {
            finish for (block in 0n..31n) async {
                clocked finish for (thread in 0n..31n) clocked async {
                    val i = block * 32n + thread;
                    if (i < n) {
                    var x:Long = i + 1;
                    var steps:Int = 0n;
                    while (true) {
                        if (x == 1) break;
                        steps++;
                        if (x % 2 == 0) { x /= 2; continue; }
                        x = 3 * x + 1;
                    }
                    out(i) = steps; }
                }
            }
        }
        val f = get(out);
        var right:Boolean = true;
        for (i in 0..999) {
            var x:Long = i + 1; var steps:Int = 0n;
            while (x != 1) { steps++; x = x % 2 == 0 ? x / 2 : 3 * x + 1; }
            if (steps != f(i)) right = false;
        }
        say("collatz", right);
    }
    // barrier in nested uniform ifs and loops
    static def nested(p:Place, mode:Int, rounds:Int) {
        val out = CUDAUtilities.makeGlobalRail[Int](p, 64);
        finish async at (p) @CUDA {
            finish for (block in 0n..1n) async {
                val s = new Rail[Int](32, 0n);
                val q = new Rail[Int](32, 5n);
                clocked finish for (t in 0n..31n) clocked async {
                    var v:Int = t;
                    for (var r:Int = 0n; r < rounds; r++) {
                        if (mode > 0n) {
                            if (mode > 1n) {
                                s(t) = v;
                                Clock.advanceAll();
                                v = s((t + 1n) % 32n) + q(t);
                                Clock.advanceAll();
                            } else {
                                s(t) = v * 2n;
                                Clock.advanceAll();
                                v = s(31n - t);
                                Clock.advanceAll();
                            }
                        } else v++;
                    }
                    out(block * 32n + t) = v;
                }
            }
        }
        val f = get(out);
        var v:Rail[Int] = new Rail[Int](32, (i:Long)=>i as Int);
        for (r in 1n..rounds) {
            val old = v;
            val md = mode;
            v = new Rail[Int](32, (i:Long)=> md > 1n ? old((i + 1) % 32) + 5n : md > 0n ? old(31 - i) * 2n : old(i) + 1n);
        }
        var right:Boolean = true;
        for (i in 0..63) if (f(i) != v(i % 32)) right = false;
        say("nested " + mode, right);
    }
    @CUDA static def pick(i:Int):Int {
        switch (i % 5n) {
            case 0n: return 10n;
            case 1n:
            case 2n: return 20n + i;
            case 3n: break;
            default: return -1n;
        }
        return K;
    }
    static def switches(p:Place) {
        val out = CUDAUtilities.makeGlobalRail[Int](p, 64);
        finish async at (p) @CUDA {
            finish for (block in 0n..1n) async {
                clocked finish for (t in 0n..31n) clocked async {
                    val i = block * 32n + t;
                    var x:Int = 0n;
                    switch (i % 4n) {
                        case 0n: x += 1n;
                        case 1n: x += 10n; break;
                        case 2n: x = pick(i); break;
                        default: x = K;
                    }
                    out(i) = x;
                }
            }
        }
        val f = get(out);
        var right:Boolean = true;
        for (l in 0..63) {
            val i = l as Int;
            var x:Int = 0n;
            switch (i % 4n) {
                case 0n: x += 1n;
                case 1n: x += 10n; break;
                case 2n: x = pick(i); break;
                default: x = K;
            }
            if (x != f(l)) right = false;
        }
        say("switch", right);
    }
    // types
    static def types(p:Place) {
        val n = 64;
        val by = CUDAUtilities.makeGlobalRail[Byte](p, n);
        val ub = CUDAUtilities.makeGlobalRail[UByte](p, n);
        val sh = CUDAUtilities.makeGlobalRail[Short](p, n);
        val us = CUDAUtilities.makeGlobalRail[UShort](p, n);
        val ui = CUDAUtilities.makeGlobalRail[UInt](p, n);
        val ul = CUDAUtilities.makeGlobalRail[ULong](p, n);
        val bo = CUDAUtilities.makeGlobalRail[Boolean](p, n);
        val ch = CUDAUtilities.makeGlobalRail[Char](p, n);
        val fl = CUDAUtilities.makeGlobalRail[Float](p, n);
        val db = CUDAUtilities.makeGlobalRail[Double](p, n);
        val text = new Rail[Char](n, (i:Long)=>Char.chr(97n + (i % 26) as Int));
        val flag = true; val letter = 'x'; val tiny = 3y; val big = 0xFFFFFFFFFFFFFFF0ul; val sm = 7s; val ubv = 250uy; val usv = 65530us; val uiv = 4000000000un;
        finish async at (p) @CUDA {
            finish for (block in 0n..1n) async {
                clocked finish for (t in 0n..31n) clocked async {
                    val i = block * 32n + t;
                    by(i) = (tiny * (i as Byte)) as Byte;
                    ub(i) = ubv + (i as UByte);
                    sh(i) = (sm * (i as Short) * (1000n as Short)) as Short;
                    us(i) = usv + (i as UShort);
                    ui(i) = uiv + (i as UInt) * 10000000un;
                    ul(i) = big + (i as ULong);
                    bo(i) = flag && (i % 3n == 0n) ^ (i % 2n == 0n);
                    ch(i) = i % 2n == 0n ? text(i) : letter;
                    fl(i) = (i as Float) / 3.0f + Math.sqrt(i as Double) as Float;
                    db(i) = Math.pow(i as Double, 1.5) - Math.abs(-(i as Double));
                }
            }
        }
        val a = get(by); val b = get(ub); val c = get(sh); val d = get(us); val e = get(ui); val f = get(ul); val g = get(bo); val h = get(ch); val k = get(fl); val l = get(db);
        var right:Boolean = true;
        for (li in 0..63) {
            val i = li as Int;
            if (a(i) != ((tiny * (i as Byte)) as Byte)) { right = false; Console.OUT.println("byte"); }
            if (b(i) != ubv + (i as UByte)) { right = false; Console.OUT.println("ubyte"); }
            if (c(i) != ((sm * (i as Short) * (1000n as Short)) as Short)) { right = false; Console.OUT.println("short"); }
            if (d(i) != usv + (i as UShort)) { right = false; Console.OUT.println("ushort"); }
            if (e(i) != uiv + (i as UInt) * 10000000un) { right = false; Console.OUT.println("uint"); }
            if (f(i) != big + (i as ULong)) { right = false; Console.OUT.println("ulong"); }
            if (g(i) != (flag && (i % 3n == 0n) ^ (i % 2n == 0n))) { right = false; Console.OUT.println("bool"); }
            if (h(i) != (i % 2n == 0n ? text(i) : letter)) { right = false; Console.OUT.println("char"); }
            if (Math.abs(k(i) - ((i as Float) / 3.0f + Math.sqrt(i as Double) as Float)) > 1e-4f) { right = false; Console.OUT.println("float"); }
            if (Math.abs(l(i) - (Math.pow(i as Double, 1.5) - Math.abs(-(i as Double)))) > 1e-9) { right = false; Console.OUT.println("double"); }
        }
        say("types", right);
    }
    // structs
    static def structs(p:Place) {
        val n = 50;
        val src = new Rail[Body](n, (i:Long)=>Body(i as Float, 2.0f * i, i * 1.5, i * 1000000000000, i % 2 == 0, 'a' + (i as Int), (i as Byte)));
        val dst = CUDAUtilities.makeGlobalRail[Body](p, n, new Rail[Body](n, (i:Long)=>Body(0f,0f,0.0,0,false,'z',0y)));
        val en = CUDAUtilities.makeGlobalRail[Double](p, n);
        val pr = CUDAUtilities.makeGlobalRail[Pair](p, n, new Rail[Pair](n, (i:Long)=>Pair(0n,0n)));
        val start = Pair(1n, 2n);
        val shift = Body(1f, 2f, 3.0, 4, true, 'b', 5y);
        finish async at (p) @CUDA {
            finish for (block in 0n..4n) async {
                val tile = new Rail[Pair](10, start);
                clocked finish for (t in 0n..9n) clocked async {
                    val i = block * 10n + t;
                    val b = src(i);
                    tile(t) = tile(t) + Pair(i, -i);
                    Clock.advanceAll();
                    val nb = tile(9n - t);
                    pr(i) = nb + Pair(100n, 100n);
                    dst(i) = Body(b.x + shift.x, b.y + shift.y, b.m + shift.m, b.id + shift.id, b.ok && shift.ok, b.c, (b.b + shift.b) as Byte);
                    en(i) = b.energy() + src(i).m;
                }
            }
        }
        val f = get(dst); val e = get(en); val q = get(pr);
        var right:Boolean = true;
        for (i in 0..(n-1)) {
            val b = src(i);
            if (f(i) != Body(b.x + 1f, b.y + 2f, b.m + 3.0, b.id + 4, b.ok, b.c, (b.b + 5y) as Byte)) right = false;
            if (Math.abs(e(i) - (b.energy() + b.m)) > 1e-6) right = false;
            val o = (i / 10) * 10 + 9 - i % 10;
            if (q(i) != Pair(101n + (o as Int), 102n - (o as Int))) right = false;
        }
        say("structs", right);
    }
    public static def main(args:Rail[String]) {
        val p = place();
        triangle(p); collatz(p);
        nested(p, 0n, 3n); nested(p, 1n, 3n); nested(p, 2n, 5n);
        switches(p); types(p); structs(p);
    }
}
