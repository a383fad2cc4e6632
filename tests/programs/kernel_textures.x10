import x10.compiler.CUDA;
import x10.util.CUDATextureRail;
import x10.util.CUDAUtilities;

/** Textures of one to three axes, in all modes, sampled by kernels and, at their home, by the host's own code. */
public class kernel_textures {
    static val NEAREST = CUDATextureRail.NEAREST;
    static val FILTERED = CUDATextureRail.FILTERED;
    static val NORMALIZED = CUDATextureRail.NORMALIZED;

    /** Two textures and a number: textures travel inside of structs. */
    static struct Pictures(first:CUDATextureRail[Float]{self.rank==2}, second:CUDATextureRail[Float]{self.rank==2}, share:Float) {
        @CUDA def mixed(x:Float, y:Float):Float = share * first(x, y) + (1.0f - share) * second(x, y);
    }

    @CUDA static def along[T](t:CUDATextureRail[T]{self.rank==1}, x:Float):T = t(x);

    static def show(name:String, p:Place, n:Long, out:GlobalRail[Float]{self.home()==p}) {
        val copy = new Rail[Float](n);
        finish Rail.asyncCopy(out, 0, copy, 0, n);
        var line:String = name + ":";
        for (x in copy) line += " " + Math.round(x * 10000.0f) / 10000.0;
        Console.OUT.println(line);
    }

    static def line(p:Place, name:String, mode:Int, from:Float, step:Float) {
        val source = new Rail[Float](5, (i:Long) => (i * i + 1) as Float);
        val t = CUDAUtilities.makeTextureRail[Float](p, source, 5, mode);
        val n = 24n;
        val out = CUDAUtilities.makeGlobalRail[Float](p, n);
        finish async at (p) @CUDA {
            finish for (block in 0n..0n) async {
                clocked finish for (thread in 0n..31n) clocked async {
                    if (thread < n) out(thread) = along[Float](t, from + step * thread);
                }
            }
        }
        show(name, p, n, out);
        CUDAUtilities.deleteTextureRail(t);
        CUDAUtilities.deleteGlobalRail(out);
    }

    static def lines(p:Place) {
        line(p, "nearest", NEAREST, -1.25f, 0.3125f);
        line(p, "nearest border", CUDATextureRail.BORDER, -1.25f, 0.3125f);
        line(p, "filtered", FILTERED, -1.25f, 0.375f);
        line(p, "filtered border", FILTERED | CUDATextureRail.BORDER, -1.25f, 0.375f);
        line(p, "normalized", NORMALIZED, -0.3125f, 0.078125f);
        line(p, "normalized filtered", NORMALIZED | FILTERED, -0.3125f, 0.078125f);
        line(p, "wrap", NORMALIZED | CUDATextureRail.WRAP, -1.0625f, 0.125f);
        line(p, "wrap filtered", NORMALIZED | FILTERED | CUDATextureRail.WRAP, -1.0625f, 0.125f);
        line(p, "mirror", NORMALIZED | CUDATextureRail.MIRROR, -1.0625f, 0.125f);
        line(p, "mirror filtered", NORMALIZED | FILTERED | CUDATextureRail.MIRROR, -1.0625f, 0.125f);
    }

    /** Elements of other types are what they were. */
    static def numbers(p:Place) {
        val bytes = CUDAUtilities.makeTextureRail[Byte](p, new Rail[Byte](3, (i:Long) => (i - 2) as Byte), 3, NEAREST);
        val unsigned = CUDAUtilities.makeTextureRail[UByte](p, new Rail[UByte](3, (i:Long) => (255 - i) as UByte), 3, NEAREST);
        val shorts = CUDAUtilities.makeTextureRail[Short](p, new Rail[Short](3, (i:Long) => (i * -10000) as Short), 3, NEAREST);
        val large = CUDAUtilities.makeTextureRail[UShort](p, new Rail[UShort](3, (i:Long) => (65535 - i) as UShort), 3, NEAREST);
        val ints = CUDAUtilities.makeTextureRail[Int](p, new Rail[Int](3, (i:Long) => (i * -1000000007) as Int), 3, NEAREST);
        val words = CUDAUtilities.makeTextureRail[UInt](p, new Rail[UInt](3, (i:Long) => (4294967295L - i) as UInt), 3, NEAREST);
        val out = CUDAUtilities.makeGlobalRail[Long](p, 18);
        finish async at (p) @CUDA {
            finish for (block in 0n..0n) async {
                clocked finish for (thread in 0n..2n) clocked async {
                    val x = thread + 0.5f;
                    out(thread) = bytes(x);
                    out(3n + thread) = unsigned(x) as Long;
                    out(6n + thread) = shorts(x);
                    out(9n + thread) = large(x) as Long;
                    out(12n + thread) = along[Int](ints, x);
                    out(15n + thread) = words(x) as Long;
                }
            }
        }
        val copy = new Rail[Long](18);
        finish Rail.asyncCopy(out, 0, copy, 0, 18);
        Console.OUT.println("numbers: " + copy);
        CUDAUtilities.deleteTextureRail(bytes);
        CUDAUtilities.deleteTextureRail(unsigned);
        CUDAUtilities.deleteTextureRail(shorts);
        CUDAUtilities.deleteTextureRail(large);
        CUDAUtilities.deleteTextureRail(ints);
        CUDAUtilities.deleteTextureRail(words);
        CUDAUtilities.deleteGlobalRail(out);
    }

    /** A picture turned by a kernel, and a second kernel that samples what the first has made. */
    static def picture(p:Place) {
        val width = 40, height = 24;
        val source = new Rail[Float](width * height, (i:Long) => ((i * 37) % 101) as Float);
        val t = CUDAUtilities.makeTextureRail[Float](p, source, width, height, FILTERED);
        val turned = CUDAUtilities.makeTextureRail[Float](p, new Rail[Float](width * height), width, height, FILTERED);
        val out = CUDAUtilities.makeGlobalRail[Float](p, width * height);
        finish async at (p) @CUDA {
            finish for ([by, bx] in 0n..2n * 0n..4n) async {
                clocked finish for ([ty, tx] in 0n..7n * 0n..7n) clocked async {
                    val x = bx * 8n + tx, y = by * 8n + ty;
                    out(y * 40n + x) = t(0.5f * y + 8.25f, 0.5f * x + 2.75f);
                }
            }
        }
        CUDAUtilities.fillTextureRail(turned, out);
        val both = Pictures(t, turned, 0.25f);
        finish async at (p) @CUDA {
            finish for (by in 0n..23n) async {
                clocked finish for (x in 0n..39n) clocked async {
                    out(by * 40n + x) = both.mixed(x + 0.25f, by + 0.75f);
                }
            }
        }
        val copy = new Rail[Float](width * height);
        finish Rail.asyncCopy(out, 0, copy, 0, copy.size);
        var sum:Double = 0.0;
        for (i in copy.range()) sum += copy(i) * (1 + i % 7);
        Console.OUT.println("picture: " + Math.round(sum * 1000.0) / 1000.0);
        CUDAUtilities.deleteTextureRail(t);
        CUDAUtilities.deleteTextureRail(turned);
        CUDAUtilities.deleteGlobalRail(out);
    }

    /** Filtering in three axes against its definition, at points where the 8 bits of a device matter. */
    static def volume(p:Place) {
        val n = 6, points = 2000n;
        val source = new Rail[Float](n * n * n, (i:Long) => ((i * 29) % 64) as Float);
        val t = CUDAUtilities.makeTextureRail[Float](p, source, n, n, n, FILTERED);
        val out = CUDAUtilities.makeGlobalRail[Float](p, points);
        finish async at (p) @CUDA {
            finish for (block in 0n..7n) async {
                clocked finish for (thread in 0n..255n) clocked async {
                    val i = block * 256n + thread;
                    if (i < points) out(i) = t(i * 0.0037f, i * 0.0029f - 0.3f, 6.2f - i * 0.0031f);
                }
            }
        }
        val copy = new Rail[Float](points);
        finish Rail.asyncCopy(out, 0, copy, 0, copy.size);
        var worst:Double = 0.0;
        for (i in 0n..(points - 1n)) {
            val exact = between(source, n, i * 0.0037f, i * 0.0029f - 0.3f, 6.2f - i * 0.0031f);
            worst = Math.max(worst, Math.abs(exact - copy(i)));
        }
        // Three coordinates, each off by half a step of 256, between elements that differ by up to 63.
        Console.OUT.println("volume: " + (worst <= 3 * 63.0 / 512 + 0.01 ? "within the filter's steps" : "off by " + worst));
        CUDAUtilities.deleteTextureRail(t);
        CUDAUtilities.deleteGlobalRail(out);
    }

    static def between(source:Rail[Float], n:Long, x:Float, y:Float, z:Float):Double {
        var sum:Double = 0.0;
        for (corner in 0..7) {
            var weight:Double = 1.0;
            var index:Long = 0;
            for (axis in 0..2) {
                val c = (axis == 0 ? z : axis == 1 ? y : x) - 0.5;
                val low = Math.floor(c);
                val high = (corner >> axis & 1) == 1;
                weight *= high ? c - low : 1 - (c - low);
                index = index * n + Math.min(n - 1, Math.max(0, (low as Long) + (high ? 1 : 0)));
            }
            sum += weight * source(index);
        }
        return sum;
    }

    static def wrong(p:Place) {
        val two = new Rail[Float](2);
        refused(() => { CUDAUtilities.makeTextureRail[Float](p, two, 3, NEAREST); });
        refused(() => { CUDAUtilities.makeTextureRail[Float](p, two, 2, 0, NEAREST); });
        refused(() => { CUDAUtilities.makeTextureRail[Float](p, two, 2, CUDATextureRail.WRAP); });
        refused(() => { CUDAUtilities.makeTextureRail[Int](p, new Rail[Int](2), 2, FILTERED); });
        refused(() => { CUDAUtilities.makeTextureRail[Double](p, new Rail[Double](2), 2, NEAREST); });
        refused(() => { CUDAUtilities.makeTextureRail[Float](p, two, 1L << 31, NEAREST); });
        val gone = CUDAUtilities.makeTextureRail[Float](p, two, 2, NEAREST);
        CUDAUtilities.deleteTextureRail(gone);
        refused(() => { CUDAUtilities.deleteTextureRail(gone); });
        val out = CUDAUtilities.makeGlobalRail[Float](p, 1);
        try {
            finish async at (p) @CUDA {
                finish for (block in 0n..0n) async {
                    clocked finish for (thread in 0n..0n) clocked async {
                        out(thread) = gone(0.5f);
                    }
                }
            }
        } catch (e:MultipleExceptions) {
            Console.OUT.println(e.exceptions()(0).typeName());
        }
        CUDAUtilities.deleteGlobalRail(out);
    }

    static def refused(work:() => void) {
        try {
            work();
            Console.OUT.println("not refused");
        } catch (e:CheckedThrowable) {
            Console.OUT.println(e.typeName() + ": " + e.getMessage());
        }
    }

    /** At its home a texture is there for every activity. */
    static def host() {
        val t = CUDAUtilities.makeTextureRail[Float](here, [1.0f, 2.0f, 4.0f, 8.0f], 2, 2, FILTERED);
        Console.OUT.println("host: " + t(1.0f, 1.0f) + " " + t(0.5f, 1.5f) + " of " + t.width + " x " + t.height);
        CUDAUtilities.fillTextureRail(t, [0.0f, 0.0f, 0.0f, 4.0f]);
        Console.OUT.println("host: " + t(1.0f, 1.0f));
        CUDAUtilities.deleteTextureRail(t);
        refused(() => { t(1.0f, 1.0f); });
    }

    public static def main(Rail[String]) {
        val topology = PlaceTopology.getTopology();
        val p = topology.numChildren(here) > 0 ? topology.getChild(here, 0) : here;
        lines(p);
        numbers(p);
        picture(p);
        volume(p);
        wrong(p);
        host();
    }
}
