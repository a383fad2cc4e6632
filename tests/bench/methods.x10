import x10.compiler.CUDA;
import x10.compiler.StackAllocate;
import x10.util.ArrayList;
import x10.util.CUDAAtomic;
import x10.util.CUDABlock;
import x10.util.CUDAUtilities;

/**
 * Methods of several fields as one writes them first, with the integers that X10's literals have (Long), beside those of cuda/methods.cu, which
 * have int as one writes it there: medians of 21 launches and waits, in milliseconds, and a sum over the results. Argument: small, to try it.
 */
public class methods {
    static def make[T](p:Place, n:Long, init:(Long)=>T){T haszero} = CUDAUtilities.makeGlobalRail[T](p, n, new Rail[T](n, init));

    static def measure(name:String, sum:()=>Double, run:()=>void) {
        for (i in 1..3) run();
        val times = new ArrayList[Long]();
        for (i in 1..21) {
            val start = System.nanoTime();
            run();
            times.add(System.nanoTime() - start);
        }
        times.sort((a:Long, b:Long)=>a.compareTo(b));
        Console.OUT.printf("%s: median %.4f ms, sum %.6e\n", name, times(10) / 1.0E6, sum());
    }

    static def sum[T](remote:GlobalRail[T], value:(T)=>Double){T haszero}:Double {
        val rail = new Rail[T](remote.size);
        finish Rail.asyncCopy(remote, 0, rail, 0, remote.size);
        var all:Double = 0.0;
        for (element in rail) all += value(element);
        return all;
    }

    /** y = a * x + y, an element a thread. */
    static def axpy(p:Place, n:Long, a:Float, x:GlobalRail[Float]{home==p}, y:GlobalRail[Float]{home==p}) {
        finish async at (p) @CUDA {
            finish for (block in 0n..(((n + 255) / 256 - 1) as Int)) async
                clocked finish for (thread in 0n..255n) clocked async {
                    val i = block * 256 + thread;
                    if (i < n) y(i) = a * x(i) + y(i);
                }
        }
    }

    /** Seven points of a cube of n cells a side, blocks of 32 by 8 that go through all planes. */
    static def jacobi(p:Place, n:Long, from:GlobalRail[Float]{home==p}, to:GlobalRail[Float]{home==p}) {
        finish async at (p) @CUDA {
            finish for ([by, bx] in 0n..(((n + 7) / 8 - 1) as Int) * 0n..(((n + 31) / 32 - 1) as Int)) async
                clocked finish for ([ty, tx] in 0n..7n * 0n..31n) clocked async {
                    val x = bx * 32 + tx;
                    val y = by * 8 + ty;
                    if (x > 0 && x < n - 1 && y > 0 && y < n - 1) {
                        for (z in 1..(n - 2)) {
                            val i = (z * n + y) * n + x;
                            to(i) = 0.4f * from(i) + 0.1f * (from(i - 1) + from(i + 1) + from(i - n) + from(i + n) + from(i - n * n) + from(i + n * n));
                        }
                    }
                }
        }
    }

    /** Sums of blocks by tree reduction in shared memory, two elements a thread at first. */
    static def halves(p:Place, blocks:Long, from:GlobalRail[Float]{home==p}, to:GlobalRail[Float]{home==p}) {
        finish async at (p) @CUDA {
            finish for (block in 0n..((blocks - 1) as Int)) async {
                val part = new Rail[Float](256);
                clocked finish for (thread in 0n..255n) clocked async {
                    val i = block * 512 + thread;
                    part(thread) = from(i) + from(i + 256);
                    Clock.advanceAll();
                    for (var s:Long = 128; s > 0; s /= 2) {
                        if (thread < s) part(thread) += part(thread + s);
                        Clock.advanceAll();
                    }
                    if (thread == 0n) to(block) = part(0);
                }
            }
        }
    }

    /** Sorts each 1,024 keys in shared memory (Batcher's bitonic network), two a thread. */
    static def bitonic(p:Place, blocks:Long, keys:GlobalRail[Int]{home==p}, to:GlobalRail[Int]{home==p}) {
        finish async at (p) @CUDA {
            finish for (block in 0n..((blocks - 1) as Int)) async {
                val part = new Rail[Int](1024);
                clocked finish for (thread in 0n..511n) clocked async {
                    part(thread) = keys(block * 1024 + thread);
                    part(thread + 512) = keys(block * 1024 + thread + 512);
                    for (var size:Long = 2; size <= 1024; size *= 2) {
                        for (var stride:Long = size / 2; stride > 0; stride /= 2) {
                            Clock.advanceAll();
                            val low = 2 * thread - (thread & (stride - 1));
                            val upward = (low & size) == 0;
                            val a = part(low);
                            val b = part(low + stride);
                            if ((a > b) == upward) {
                                part(low) = b;
                                part(low + stride) = a;
                            }
                        }
                    }
                    Clock.advanceAll();
                    to(block * 1024 + thread) = part(thread);
                    to(block * 1024 + thread + 512) = part(thread + 512);
                }
            }
        }
    }

    static struct Vec(x:Float, y:Float, z:Float) {
        @CUDA operator this + (o:Vec) = Vec(x + o.x, y + o.y, z + o.z);
        @CUDA operator this - (o:Vec) = Vec(x - o.x, y - o.y, z - o.z);
        @CUDA operator this * (k:Float) = Vec(x * k, y * k, z * k);
        @CUDA def dot(o:Vec) = x * o.x + y * o.y + z * o.z;
        @CUDA def unit() = this * (1.0f / Math.sqrtf(dot(this)));
    }

    static struct Sphere(centre:Vec, radius:Float, shade:Float) {
        /** How far away the ray meets it, or a negative number. */
        @CUDA def meets(origin:Vec, direction:Vec):Float {
            val to = centre - origin;
            val along = to.dot(direction);
            val under = radius * radius - (to.dot(to) - along * along);
            if (under < 0.0f) return -1.0f;
            return along - Math.sqrtf(under);
        }
    }

    /** An image of spheres, a ray a pixel. */
    static def spheres(p:Place, w:Long, h:Long, all:GlobalRail[Sphere]{home==p}, image:GlobalRail[Float]{home==p}) {
        val count = all.size;
        finish async at (p) @CUDA {
            finish for ([by, bx] in 0n..((h / 8 - 1) as Int) * 0n..((w / 32 - 1) as Int)) async
                clocked finish for ([ty, tx] in 0n..7n * 0n..31n) clocked async {
                    val x = bx * 32 + tx;
                    val y = by * 8 + ty;
                    val origin = Vec(0.0f, 0.0f, -4.0f);
                    val direction = Vec((x - w / 2) as Float / w, (y - h / 2) as Float / w, 1.0f).unit();
                    var nearest:Float = 1.0E30f;
                    var shade:Float = 0.0f;
                    for (k in 0..(count - 1)) {
                        val far = all(k).meets(origin, direction);
                        if (far > 0.0f && far < nearest) {
                            nearest = far;
                            val normal = (origin + direction * far - all(k).centre).unit();
                            shade = all(k).shade * Math.max(0.0f, -normal.dot(direction));
                        }
                    }
                    image(y * w + x) = shade;
                }
        }
    }

    /** A step of a lattice of Boltzmann, D2Q9, on a torus: pull and collide. The nine densities stand one array after the other. */
    static def boltzmann(p:Place, w:Long, h:Long, omega:Float, from:GlobalRail[Float]{home==p}, to:GlobalRail[Float]{home==p}) {
        val cells = w * h;
        finish async at (p) @CUDA {
            finish for ([y, bx] in 0n..((h - 1) as Int) * 0n..((w / 128 - 1) as Int)) async
                clocked finish for (tx in 0n..127n) clocked async {
                    val x = bx * 128 + tx;
                    val l = x == 0 ? w - 1 : x - 1;
                    val r = x == w - 1 ? 0 : x + 1;
                    val u = y == 0 ? h - 1 : y - 1;
                    val d = y == h - 1 ? 0 : y + 1;
                    val f0 = from(y * w + x);
                    val f1 = from(cells + y * w + l);
                    val f2 = from(2 * cells + u * w + x);
                    val f3 = from(3 * cells + y * w + r);
                    val f4 = from(4 * cells + d * w + x);
                    val f5 = from(5 * cells + u * w + l);
                    val f6 = from(6 * cells + u * w + r);
                    val f7 = from(7 * cells + d * w + r);
                    val f8 = from(8 * cells + d * w + l);
                    val rho = f0 + f1 + f2 + f3 + f4 + f5 + f6 + f7 + f8;
                    val vx = (f1 + f5 + f8 - f3 - f6 - f7) / rho;
                    val vy = (f2 + f5 + f6 - f4 - f7 - f8) / rho;
                    val square = 1.0f - 1.5f * (vx * vx + vy * vy);
                    val i = y * w + x;
                    to(i) = f0 + omega * (4.0f / 9.0f * rho * square - f0);
                    to(cells + i) = f1 + omega * (rho / 9.0f * (square + 3.0f * vx + 4.5f * vx * vx) - f1);
                    to(2 * cells + i) = f2 + omega * (rho / 9.0f * (square + 3.0f * vy + 4.5f * vy * vy) - f2);
                    to(3 * cells + i) = f3 + omega * (rho / 9.0f * (square - 3.0f * vx + 4.5f * vx * vx) - f3);
                    to(4 * cells + i) = f4 + omega * (rho / 9.0f * (square - 3.0f * vy + 4.5f * vy * vy) - f4);
                    val a = vx + vy;
                    val b = vx - vy;
                    to(5 * cells + i) = f5 + omega * (rho / 36.0f * (square + 3.0f * a + 4.5f * a * a) - f5);
                    to(6 * cells + i) = f6 + omega * (rho / 36.0f * (square - 3.0f * b + 4.5f * b * b) - f6);
                    to(7 * cells + i) = f7 + omega * (rho / 36.0f * (square - 3.0f * a + 4.5f * a * a) - f7);
                    to(8 * cells + i) = f8 + omega * (rho / 36.0f * (square + 3.0f * b + 4.5f * b * b) - f8);
                }
        }
    }

    /** Points inside of a quarter of a circle, by Marsaglia's xorshift of 64 bits. */
    static def circle(p:Place, blocks:Long, tries:Long, hits:GlobalRail[Long]{home==p}) {
        finish async at (p) @CUDA {
            finish for (block in 0n..((blocks - 1) as Int)) async
                clocked finish for (thread in 0n..255n) clocked async {
                    val me = block * 256 + thread;
                    var state:ULong = (me as ULong) * 2685821657736338717ul + 1ul;
                    var inside:Long = 0;
                    for (i in 1..tries) {
                        state ^= state >> 12;
                        state ^= state << 25;
                        state ^= state >> 27;
                        val x = ((state >> 40) as Int) * (1.0f / 16777216.0f);
                        val y = (((state >> 16) & 0xFFFFFFul) as Int) * (1.0f / 16777216.0f);
                        if (x * x + y * y < 1.0f) inside++;
                    }
                    hits(me) = inside;
                }
        }
    }

    /** A generation of Conway's game on a torus of bytes. */
    static def life(p:Place, w:Long, h:Long, from:GlobalRail[Byte]{home==p}, to:GlobalRail[Byte]{home==p}) {
        finish async at (p) @CUDA {
            finish for ([by, bx] in 0n..((h / 8 - 1) as Int) * 0n..((w / 32 - 1) as Int)) async
                clocked finish for ([ty, tx] in 0n..7n * 0n..31n) clocked async {
                    val x = bx * 32 + tx;
                    val y = by * 8 + ty;
                    var around:Int = 0n;
                    for (dy in -1..1)
                        for (dx in -1..1)
                            if (dx != 0 || dy != 0)
                                around += from(((y + dy + h) % h) * w + (x + dx + w) % w) as Int;
                    val alive = from(y * w + x) == 1y;
                    to(y * w + x) = (around == 3n || (alive && around == 2n)) ? 1y : 0y;
                }
        }
    }

    static struct Number(re:Float, im:Float) {
        @CUDA operator this + (o:Number) = Number(re + o.re, im + o.im);
        @CUDA operator this - (o:Number) = Number(re - o.re, im - o.im);
        @CUDA operator this * (o:Number) = Number(re * o.re - im * o.im, re * o.im + im * o.re);
    }

    /** Fourier transforms of 1,024 numbers each, in shared memory: bits reversed, then ten rounds of 512 butterflies. */
    static def fourier(p:Place, blocks:Long, data:GlobalRail[Number]{home==p}, roots:GlobalRail[Number]{home==p}, to:GlobalRail[Number]{home==p}) {
        finish async at (p) @CUDA {
            finish for (block in 0n..((blocks - 1) as Int)) async {
                val part = new Rail[Number](1024);
                clocked finish for (thread in 0n..511n) clocked async {
                    for (var k:Long = thread; k < 1024; k += 512) {
                        var reversed:Long = 0;
                        for (bit in 0..9) reversed |= ((k >> bit) & 1) << (9 - bit);
                        part(reversed) = data(block * 1024 + k);
                    }
                    for (var half:Long = 1; half < 1024; half *= 2) {
                        Clock.advanceAll();
                        val k = thread % half;
                        val low = (thread / half) * 2 * half + k;
                        val even = part(low);
                        val odd = part(low + half) * roots(k * (512 / half));
                        part(low) = even + odd;
                        part(low + half) = even - odd;
                    }
                    Clock.advanceAll();
                    to(block * 1024 + thread) = part(thread);
                    to(block * 1024 + thread + 512) = part(thread + 512);
                }
            }
        }
    }

    /** Forces of Lennard and Jones between a particle and those in its list, `most` of which there are for each. */
    static def forces(p:Place, n:Long, most:Long, x:GlobalRail[Double]{home==p}, y:GlobalRail[Double]{home==p}, z:GlobalRail[Double]{home==p},
            lists:GlobalRail[Int]{home==p}, fx:GlobalRail[Double]{home==p}, fy:GlobalRail[Double]{home==p}, fz:GlobalRail[Double]{home==p}) {
        finish async at (p) @CUDA {
            finish for (block in 0n..(((n + 127) / 128 - 1) as Int)) async
                clocked finish for (thread in 0n..127n) clocked async {
                    val i = block * 128 + thread;
                    if (i < n) {
                        val xi = x(i), yi = y(i), zi = z(i);
                        var ax:Double = 0.0, ay:Double = 0.0, az:Double = 0.0;
                        for (k in 0..(most - 1)) {
                            val j = lists(k * n + i);
                            val dx = xi - x(j), dy = yi - y(j), dz = zi - z(j);
                            val square = dx * dx + dy * dy + dz * dz;
                            if (square < 9.0) {
                                val inverse = 1.0 / square;
                                val sixth = inverse * inverse * inverse;
                                val force = 24.0 * inverse * sixth * (2.0 * sixth - 1.0);
                                ax += dx * force;
                                ay += dy * force;
                                az += dz * force;
                            }
                        }
                        fx(i) = ax;
                        fy(i) = ay;
                        fz(i) = az;
                    }
                }
        }
    }

    @CUDA static def turn(x:UInt, by:Int) = (x >> by) | (x << (32n - by));

    /** A block of SHA-256 for each thread, whose first word is its number. */
    static def hashes(p:Place, n:Long, constants:GlobalRail[UInt]{home==p}, to:GlobalRail[UInt]{home==p}) {
        finish async at (p) @CUDA {
            finish for (block in 0n..((n / 256 - 1) as Int)) async
                clocked finish for (thread in 0n..255n) clocked async {
                    val me = block * 256 + thread;
                    @StackAllocate val w = @StackAllocate new Rail[UInt](16);
                    w(0) = me as UInt;
                    for (i in 1..14) w(i) = 0un;
                    w(1) = 0x80000000un;
                    w(15) = 32un;
                    var a:UInt = 0x6a09e667un, b:UInt = 0xbb67ae85un, c:UInt = 0x3c6ef372un, d:UInt = 0xa54ff53aun;
                    var e:UInt = 0x510e527fun, f:UInt = 0x9b05688cun, g:UInt = 0x1f83d9abun, h:UInt = 0x5be0cd19un;
                    for (i in 0..63) {
                        if (i >= 16) {
                            val s = w((i + 1) & 15), t = w((i + 14) & 15);
                            w(i & 15) += (turn(s, 7n) ^ turn(s, 18n) ^ (s >> 3)) + w((i + 9) & 15) + (turn(t, 17n) ^ turn(t, 19n) ^ (t >> 10));
                        }
                        val one = h + (turn(e, 6n) ^ turn(e, 11n) ^ turn(e, 25n)) + ((e & f) ^ (~e & g)) + constants(i) + w(i & 15);
                        val two = (turn(a, 2n) ^ turn(a, 13n) ^ turn(a, 22n)) + ((a & b) ^ (a & c) ^ (b & c));
                        h = g; g = f; f = e; e = d + one; d = c; c = b; b = a; a = one + two;
                    }
                    to(me) = a + 0x6a09e667un;
                }
        }
    }

    /** Distances of pairs of words of 32 letters by Levenshtein, a pair a thread, letter k of all words together. */
    static def distances(p:Place, n:Long, left:GlobalRail[Byte]{home==p}, right:GlobalRail[Byte]{home==p}, to:GlobalRail[Int]{home==p}) {
        finish async at (p) @CUDA {
            finish for (block in 0n..((n / 128 - 1) as Int)) async
                clocked finish for (thread in 0n..127n) clocked async {
                    val me = block * 128 + thread;
                    @StackAllocate val row = @StackAllocate new Rail[Int](33);
                    for (j in 0..32) row(j) = j as Int;
                    for (i in 0..31) {
                        val letter = left(i * n + me);
                        var before:Int = row(0);
                        row(0) = (i + 1) as Int;
                        for (j in 0..31) {
                            val other = before + (letter == right(j * n + me) ? 0n : 1n);
                            before = row(j + 1);
                            row(j + 1) = Math.min(other, Math.min(before, row(j)) + 1n);
                        }
                    }
                    to(me) = row(32);
                }
        }
    }

    /** Rows of an image with 17 weights, a piece of 256 pixels and its halo in shared memory. */
    static def blur(p:Place, w:Long, h:Long, weights:GlobalRail[Float]{home==p}, from:GlobalRail[Float]{home==p}, to:GlobalRail[Float]{home==p}) {
        finish async at (p) @CUDA {
            finish for ([y, bx] in 0n..((h - 1) as Int) * 0n..((w / 256 - 1) as Int)) async {
                val line = new Rail[Float](256 + 16);
                val weight = new Rail[Float](17);
                clocked finish for (tx in 0n..255n) clocked async {
                    val x = bx * 256 + tx;
                    line(tx + 8) = from(y * w + x);
                    if (tx < 8) {
                        line(tx) = x >= 8 ? from(y * w + x - 8) : 0.0f;
                        line(tx + 264) = x + 256 < w ? from(y * w + x + 256) : 0.0f;
                    }
                    if (tx < 17) weight(tx) = weights(tx);
                    Clock.advanceAll();
                    var all:Float = 0.0f;
                    for (k in 0..16) all += weight(k) * line(tx + k);
                    to(y * w + x) = all;
                }
            }
        }
    }

    /** The exponentials of each row's 1,024 numbers, divided by their sum, a block of 256 threads a row. */
    static def softmax(p:Place, rows:Long, from:GlobalRail[Float]{home==p}, to:GlobalRail[Float]{home==p}) {
        finish async at (p) @CUDA {
            finish for (row in 0n..((rows - 1) as Int)) async {
                val part = new Rail[Float](256);
                clocked finish for (thread in 0n..255n) clocked async {
                    var most:Float = -1.0E30f;
                    for (var i:Long = thread; i < 1024; i += 256) most = Math.max(most, from(row * 1024 + i));
                    part(thread) = most;
                    Clock.advanceAll();
                    for (var s:Long = 128; s > 0; s >>= 1) {
                        if (thread < s) part(thread) = Math.max(part(thread), part(thread + s));
                        Clock.advanceAll();
                    }
                    most = part(0);
                    Clock.advanceAll();
                    var all:Float = 0.0f;
                    for (var i:Long = thread; i < 1024; i += 256) all += Math.expf(from(row * 1024 + i) - most);
                    part(thread) = all;
                    Clock.advanceAll();
                    for (var s:Long = 128; s > 0; s >>= 1) {
                        if (thread < s) part(thread) += part(thread + s);
                        Clock.advanceAll();
                    }
                    all = part(0);
                    for (var i:Long = thread; i < 1024; i += 256) to(row * 1024 + i) = Math.expf(from(row * 1024 + i) - most) / all;
                }
            }
        }
    }

    /** What is over a limit, one after the other in any order. */
    static def select(p:Place, n:Long, limit:Int, from:GlobalRail[Int]{home==p}, to:GlobalRail[Int]{home==p}, count:GlobalRail[Int]{home==p}) {
        finish async at (p) @CUDA {
            finish for (block in 0n..(((n + 255) / 256 - 1) as Int)) async
                clocked finish for (thread in 0n..255n) clocked async {
                    val i = block * 256 + thread;
                    if (i < n && from(i) > limit) to(CUDAAtomic.add(count, 0, 1n)) = from(i);
                }
        }
    }

    public static def main(args:Rail[String]) {
        val small = args.size > 0 && args(0).equals("small");
        val topology = PlaceTopology.getTopology();
        val p = topology.numChildren(here) > 0 ? topology.getChild(here, 0) : here;
        val real = (x:Float)=>x as Double;
        val whole = (x:Int)=>x as Double;
        val mixed = (i:Long)=>((i * 7919) % 10007) as Int;

        val n = small ? 10000 : 1 << 26;
        val x = make[Float](p, n, (i:Long)=>(i % 1000) as Float * 0.001f);
        val y = make[Float](p, n, (i:Long)=>(i % 777) as Float * 0.001f);
        measure("axpy of " + n, ()=>sum(y, real), ()=>{ axpy(p, n, 0.5f, x, y); });
        val blocks = n / 512;
        val sums = make[Float](p, blocks, (i:Long)=>0.0f);
        measure("sums by halves of " + n, ()=>sum(sums, real), ()=>{ halves(p, blocks, x, sums); });
        val rows = n / 1024;
        measure("softmax of " + rows + " rows", ()=>sum(y, real), ()=>{ softmax(p, rows, x, y); });
        val width = small ? 1024 : 8192;
        val height = n / width;
        val weights = make[Float](p, 17, (i:Long)=>(9 - Math.abs(i - 8)) as Float / 81.0f);
        measure("rows of " + width + " by " + height, ()=>sum(y, real), ()=>{ blur(p, width, height, weights, x, y); });
        CUDAUtilities.deleteGlobalRail(x);
        CUDAUtilities.deleteGlobalRail(y);

        val side = small ? 40 : 400;
        val cube = make[Float](p, side * side * side, (i:Long)=>(i % 1000) as Float), other = make[Float](p, side * side * side, (i:Long)=>0.0f);
        measure("seven points, a side of " + side, ()=>sum(other, real), ()=>{ jacobi(p, side, cube, other); });
        CUDAUtilities.deleteGlobalRail(cube);
        CUDAUtilities.deleteGlobalRail(other);

        val keys = make[Int](p, small ? 10240 : 1 << 24, mixed), sorted = make[Int](p, keys.size, mixed), counter = make[Int](p, 1, (i:Long)=>0n);
        measure("sorted pieces of " + keys.size, ()=>sum(sorted, whole), ()=>{ bitonic(p, keys.size / 1024, keys, sorted); });
        measure("selection of " + keys.size, ()=>sum(counter, (c:Int)=>(c % keys.size) as Double), ()=>{
            finish async at (p) @CUDA { finish for (b in 0n..0n) async clocked finish for (t in 0n..0n) clocked async { counter(0) = 0n; } }
            select(p, keys.size, 9000n, keys, sorted, counter);
        });

        val screen = small ? 128 : 2048;
        val scene = make[Sphere](p, 100, (i:Long)=>Sphere(Vec((i % 10 - 5) * 0.4f, (i / 10 - 5) * 0.4f, (i % 7) * 0.3f), 0.2f, 0.5f + (i % 5) * 0.1f));
        val image = make[Float](p, screen * screen, (i:Long)=>0.0f);
        measure("spheres in " + screen + " by " + screen, ()=>sum(image, real), ()=>{ spheres(p, screen, screen, scene, image); });

        val lattice = small ? 128 : 2048;
        val densities = make[Float](p, 9 * lattice * lattice, (i:Long)=>1.0f / (1 + i / (lattice * lattice)) + (i % 10) * 0.01f);
        val next = make[Float](p, densities.size, (i:Long)=>0.0f);
        measure("lattice of " + lattice, ()=>sum(next, real), ()=>{ boltzmann(p, lattice, lattice, 1.2f, densities, next); });

        val throwers = small ? 4L : 4096L, tries = small ? 100 : 1000;
        val hits = make[Long](p, throwers * 256, (i:Long)=>0);
        measure("points in a circle", ()=>sum(hits, (h:Long)=>h as Double), ()=>{ circle(p, throwers, tries, hits); });

        val field = small ? 128 : 8192;
        val cells = make[Byte](p, field * field, (i:Long)=>(mixed(i) % 3n == 0n ? 1y : 0y)), grown = make[Byte](p, field * field, (i:Long)=>0y);
        measure("game of " + field, ()=>sum(grown, (b:Byte)=>b as Double), ()=>{ life(p, field, field, cells, grown); });

        val transforms = small ? 4L : 16384L;
        val signal = make[Number](p, transforms * 1024, (i:Long)=>Number((i % 100) as Float * 0.01f, 0.0f)), spectrum = make[Number](p, signal.size, (i:Long)=>Number(0.0f, 0.0f));
        val roots = make[Number](p, 512, (i:Long)=>Number(Math.cos(-Math.PI * i / 512) as Float, Math.sin(-Math.PI * i / 512) as Float));
        measure(transforms + " transforms", ()=>sum(spectrum, (v:Number)=>Math.abs(v.re as Double)), ()=>{ fourier(p, transforms, signal, roots, spectrum); });

        val particles = small ? 1000L : 1000000L, neighbours = 64;
        val px = make[Double](p, particles, (i:Long)=>(i % 100) * 1.1), py = make[Double](p, particles, (i:Long)=>(i / 100 % 100) * 1.1), pz = make[Double](p, particles, (i:Long)=>(i / 10000) * 1.1);
        val fx = make[Double](p, particles, (i:Long)=>0.0), fy = make[Double](p, particles, (i:Long)=>0.0), fz = make[Double](p, particles, (i:Long)=>0.0);
        val lists = make[Int](p, particles * neighbours, (i:Long)=>((i % particles + 1 + i / particles * 31) % particles) as Int);
        measure("forces on " + particles, ()=>sum(fx, (f:Double)=>f) + sum(fy, (f:Double)=>f), ()=>{ forces(p, particles, neighbours, px, py, pz, lists, fx, fy, fz); });

        val messages = small ? 1024L : 1L << 24;
        val constants = make[UInt](p, 64, (i:Long)=>(i * 2654435761l + 0x428a2f98l) as UInt);
        val digests = make[UInt](p, messages, (i:Long)=>0un);
        measure("hashes of " + messages, ()=>sum(digests, (d:UInt)=>d as Double), ()=>{ hashes(p, messages, constants, digests); });

        val words = small ? 1024L : 1L << 20;
        val left = make[Byte](p, words * 32, (i:Long)=>(mixed(i) % 4n) as Byte), right = make[Byte](p, words * 32, (i:Long)=>(mixed(i + 5) % 4n) as Byte);
        val distance = make[Int](p, words, (i:Long)=>0n);
        measure("distances of " + words, ()=>sum(distance, whole), ()=>{ distances(p, words, left, right, distance); });
    }
}
