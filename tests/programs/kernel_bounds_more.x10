import x10.compiler.CUDA;
import x10.util.CUDAUtilities;

/**
 * More forms as in kernel_bounds: what guards say of values made from others, locals that take iterations, differences that a guard
 * bounds, and code that looks like one of these and is not.
 */
public class kernel_bounds_more {
    static def place():Place {
        val topology = PlaceTopology.getTopology();
        return topology.numChildren(here) > 0 ? topology.getChild(here, 0) : here;
    }

    static def host_sequential(out:Rail[Int], n:Int, w:Int):Boolean {
        try {
            for (id in 0n..23n) { if (id < n) { if (id > 0n) out(id - 1n) = 1n; if (id > w) out(id - w) = 1n; out(id) = 1n; } }
            return false;
        } catch (e:ArrayIndexOutOfBoundsException) {
            return true;
        }
    }

    static def kernel_sequential(p:Place, out:GlobalRail[Int]{self.home() == p}, n:Int, w:Int) {
        finish async at (p) @CUDA {
            finish for (block in 0n..2n) async {
                clocked finish for (thread in 0n..7n) clocked async {
                    val id = block * 8n + thread;
                    if (id < n) { if (id > 0n) out(id - 1n) = 1n; if (id > w) out(id - w) = 1n; out(id) = 1n; }
                }
            }
        }
    }

    static def host_definition(out:Rail[Int], n:Int, w:Int):Boolean {
        try {
            for (id in 0n..23n) { val row = id / 6n; val col = id % 6n; val cell = row * w + col; if (row > 0n && row < n && col > 0n && col < w) out(cell - w - 1n) = 1n; }
            return false;
        } catch (e:ArrayIndexOutOfBoundsException) {
            return true;
        }
    }

    static def kernel_definition(p:Place, out:GlobalRail[Int]{self.home() == p}, n:Int, w:Int) {
        finish async at (p) @CUDA {
            finish for (block in 0n..2n) async {
                clocked finish for (thread in 0n..7n) clocked async {
                    val id = block * 8n + thread;
                    val row = id / 6n; val col = id % 6n; val cell = row * w + col; if (row > 0n && row < n && col > 0n && col < w) out(cell - w - 1n) = 1n;
                }
            }
        }
    }

    static def host_turns(out:Rail[Int], n:Int, w:Int):Boolean {
        try {
            for (id in 0n..23n) { var a:Int = 0n; var b:Int = 1n; for (var k:Int = 1n; k < w; k++) { val t = a; a = b; b = t; } if (id < n) out(a * n + id) = 1n; }
            return false;
        } catch (e:ArrayIndexOutOfBoundsException) {
            return true;
        }
    }

    static def kernel_turns(p:Place, out:GlobalRail[Int]{self.home() == p}, n:Int, w:Int) {
        finish async at (p) @CUDA {
            finish for (block in 0n..2n) async {
                clocked finish for (thread in 0n..7n) clocked async {
                    val id = block * 8n + thread;
                    var a:Int = 0n; var b:Int = 1n; for (var k:Int = 1n; k < w; k++) { val t = a; a = b; b = t; } if (id < n) out(a * n + id) = 1n;
                }
            }
        }
    }

    static def host_mirror(out:Rail[Int], n:Int, w:Int):Boolean {
        try {
            for (id in 0n..23n) { var a:Int = 0n; for (k in 1n..w) a = 1n - a; if (id < n) out(a * n + id) = 1n; }
            return false;
        } catch (e:ArrayIndexOutOfBoundsException) {
            return true;
        }
    }

    static def kernel_mirror(p:Place, out:GlobalRail[Int]{self.home() == p}, n:Int, w:Int) {
        finish async at (p) @CUDA {
            finish for (block in 0n..2n) async {
                clocked finish for (thread in 0n..7n) clocked async {
                    val id = block * 8n + thread;
                    var a:Int = 0n; for (k in 1n..w) a = 1n - a; if (id < n) out(a * n + id) = 1n;
                }
            }
        }
    }

    static def host_mirror3(out:Rail[Int], n:Int, w:Int):Boolean {
        try {
            for (id in 0n..23n) { var a:Int = 1n; for (k in 1n..w) a = 3n - a; if (id < n) out(a * 4n + id) = 1n; }
            return false;
        } catch (e:ArrayIndexOutOfBoundsException) {
            return true;
        }
    }

    static def kernel_mirror3(p:Place, out:GlobalRail[Int]{self.home() == p}, n:Int, w:Int) {
        finish async at (p) @CUDA {
            finish for (block in 0n..2n) async {
                clocked finish for (thread in 0n..7n) clocked async {
                    val id = block * 8n + thread;
                    var a:Int = 1n; for (k in 1n..w) a = 3n - a; if (id < n) out(a * 4n + id) = 1n;
                }
            }
        }
    }

    static def host_flip(out:Rail[Int], n:Int, w:Int):Boolean {
        try {
            for (id in 0n..23n) { var a:Int = 1n; for (k in 1n..w) a ^= 6n; if (id < n) out(a + id) = 1n; }
            return false;
        } catch (e:ArrayIndexOutOfBoundsException) {
            return true;
        }
    }

    static def kernel_flip(p:Place, out:GlobalRail[Int]{self.home() == p}, n:Int, w:Int) {
        finish async at (p) @CUDA {
            finish for (block in 0n..2n) async {
                clocked finish for (thread in 0n..7n) clocked async {
                    val id = block * 8n + thread;
                    var a:Int = 1n; for (k in 1n..w) a ^= 6n; if (id < n) out(a + id) = 1n;
                }
            }
        }
    }

    static def host_pivot(out:Rail[Int], n:Int, w:Int):Boolean {
        try {
            for (id in 0n..23n) { var best:Int = id; for (i in (id + 1n)..(w + id)) if (i % 3n == 0n) best = i; out(best) = 1n; }
            return false;
        } catch (e:ArrayIndexOutOfBoundsException) {
            return true;
        }
    }

    static def kernel_pivot(p:Place, out:GlobalRail[Int]{self.home() == p}, n:Int, w:Int) {
        finish async at (p) @CUDA {
            finish for (block in 0n..2n) async {
                clocked finish for (thread in 0n..7n) clocked async {
                    val id = block * 8n + thread;
                    var best:Int = id; for (i in (id + 1n)..(w + id)) if (i % 3n == 0n) best = i; out(best) = 1n;
                }
            }
        }
    }

    static def host_late(out:Rail[Int], n:Int, w:Int):Boolean {
        try {
            for (id in 0n..23n) { var best:Int = 0n; var i:Int = 0n; while (i < w) { i++; best = i; } if (id < n) out(best + id) = 1n; }
            return false;
        } catch (e:ArrayIndexOutOfBoundsException) {
            return true;
        }
    }

    static def kernel_late(p:Place, out:GlobalRail[Int]{self.home() == p}, n:Int, w:Int) {
        finish async at (p) @CUDA {
            finish for (block in 0n..2n) async {
                clocked finish for (thread in 0n..7n) clocked async {
                    val id = block * 8n + thread;
                    var best:Int = 0n; var i:Int = 0n; while (i < w) { i++; best = i; } if (id < n) out(best + id) = 1n;
                }
            }
        }
    }

    static def host_below(out:Rail[Int], n:Int, w:Int):Boolean {
        try {
            for (id in 0n..23n) { if (id >= w) out(id - w) = 1n; }
            return false;
        } catch (e:ArrayIndexOutOfBoundsException) {
            return true;
        }
    }

    static def kernel_below(p:Place, out:GlobalRail[Int]{self.home() == p}, n:Int, w:Int) {
        finish async at (p) @CUDA {
            finish for (block in 0n..2n) async {
                clocked finish for (thread in 0n..7n) clocked async {
                    val id = block * 8n + thread;
                    if (id >= w) out(id - w) = 1n;
                }
            }
        }
    }

    static def host_beyond(out:Rail[Int], n:Int, w:Int):Boolean {
        try {
            for (id in 0n..23n) { if (id + w < n) out(id + w) = 1n; }
            return false;
        } catch (e:ArrayIndexOutOfBoundsException) {
            return true;
        }
    }

    static def kernel_beyond(p:Place, out:GlobalRail[Int]{self.home() == p}, n:Int, w:Int) {
        finish async at (p) @CUDA {
            finish for (block in 0n..2n) async {
                clocked finish for (thread in 0n..7n) clocked async {
                    val id = block * 8n + thread;
                    if (id + w < n) out(id + w) = 1n;
                }
            }
        }
    }

    static def host_gap(out:Rail[Int], n:Int, w:Int):Boolean {
        try {
            for (id in 0n..23n) { for (var s:Int = w; s < n; s++) if (id < s) out(s - id - 1n) = 1n; }
            return false;
        } catch (e:ArrayIndexOutOfBoundsException) {
            return true;
        }
    }

    static def kernel_gap(p:Place, out:GlobalRail[Int]{self.home() == p}, n:Int, w:Int) {
        finish async at (p) @CUDA {
            finish for (block in 0n..2n) async {
                clocked finish for (thread in 0n..7n) clocked async {
                    val id = block * 8n + thread;
                    for (var s:Int = w; s < n; s++) if (id < s) out(s - id - 1n) = 1n;
                }
            }
        }
    }

    static def host_triangle(out:Rail[Int], n:Int, w:Int):Boolean {
        try {
            for (id in 0n..23n) { for (j in w..id) out(id - j) = 1n; }
            return false;
        } catch (e:ArrayIndexOutOfBoundsException) {
            return true;
        }
    }

    static def kernel_triangle(p:Place, out:GlobalRail[Int]{self.home() == p}, n:Int, w:Int) {
        finish async at (p) @CUDA {
            finish for (block in 0n..2n) async {
                clocked finish for (thread in 0n..7n) clocked async {
                    val id = block * 8n + thread;
                    for (j in w..id) out(id - j) = 1n;
                }
            }
        }
    }

    static def host_xor(out:Rail[Int], n:Int, w:Int):Boolean {
        try {
            for (id in 0n..23n) { out(id ^ w) = 1n; }
            return false;
        } catch (e:ArrayIndexOutOfBoundsException) {
            return true;
        }
    }

    static def kernel_xor(p:Place, out:GlobalRail[Int]{self.home() == p}, n:Int, w:Int) {
        finish async at (p) @CUDA {
            finish for (block in 0n..2n) async {
                clocked finish for (thread in 0n..7n) clocked async {
                    val id = block * 8n + thread;
                    out(id ^ w) = 1n;
                }
            }
        }
    }

    static def host_or(out:Rail[Int], n:Int, w:Int):Boolean {
        try {
            for (id in 0n..23n) { if (id < n) out(id | w) = 1n; }
            return false;
        } catch (e:ArrayIndexOutOfBoundsException) {
            return true;
        }
    }

    static def kernel_or(p:Place, out:GlobalRail[Int]{self.home() == p}, n:Int, w:Int) {
        finish async at (p) @CUDA {
            finish for (block in 0n..2n) async {
                clocked finish for (thread in 0n..7n) clocked async {
                    val id = block * 8n + thread;
                    if (id < n) out(id | w) = 1n;
                }
            }
        }
    }

    static def host_clamp(out:Rail[Int], n:Int, w:Int):Boolean {
        try {
            for (id in 0n..23n) { val q = id - w < 0n ? 0n : id - w > n - 1n ? n - 1n : id - w; out(q) = 1n; }
            return false;
        } catch (e:ArrayIndexOutOfBoundsException) {
            return true;
        }
    }

    static def kernel_clamp(p:Place, out:GlobalRail[Int]{self.home() == p}, n:Int, w:Int) {
        finish async at (p) @CUDA {
            finish for (block in 0n..2n) async {
                clocked finish for (thread in 0n..7n) clocked async {
                    val id = block * 8n + thread;
                    val q = id - w < 0n ? 0n : id - w > n - 1n ? n - 1n : id - w; out(q) = 1n;
                }
            }
        }
    }

    static def host_ternary(out:Rail[Int], n:Int, w:Int):Boolean {
        try {
            for (id in 0n..23n) { val q = id < w ? id : w - 1n; out(q) = 1n; }
            return false;
        } catch (e:ArrayIndexOutOfBoundsException) {
            return true;
        }
    }

    static def kernel_ternary(p:Place, out:GlobalRail[Int]{self.home() == p}, n:Int, w:Int) {
        finish async at (p) @CUDA {
            finish for (block in 0n..2n) async {
                clocked finish for (thread in 0n..7n) clocked async {
                    val id = block * 8n + thread;
                    val q = id < w ? id : w - 1n; out(q) = 1n;
                }
            }
        }
    }

    static def host_part(out:Rail[Int], n:Int, w:Int):Boolean {
        try {
            for (id in 0n..23n) { for (i in (id * w)..((id + 1n) * w - 1n)) out(i) = 1n; }
            return false;
        } catch (e:ArrayIndexOutOfBoundsException) {
            return true;
        }
    }

    static def kernel_part(p:Place, out:GlobalRail[Int]{self.home() == p}, n:Int, w:Int) {
        finish async at (p) @CUDA {
            finish for (block in 0n..2n) async {
                clocked finish for (thread in 0n..7n) clocked async {
                    val id = block * 8n + thread;
                    for (i in (id * w)..((id + 1n) * w - 1n)) out(i) = 1n;
                }
            }
        }
    }

    static def host_changed(out:Rail[Int], n:Int, w:Int):Boolean {
        try {
            for (id in 0n..23n) { var x:Int = id; if (x < n) { if (id % 2n == 0n) { x = x + w; } out(x) = 1n; } }
            return false;
        } catch (e:ArrayIndexOutOfBoundsException) {
            return true;
        }
    }

    static def kernel_changed(p:Place, out:GlobalRail[Int]{self.home() == p}, n:Int, w:Int) {
        finish async at (p) @CUDA {
            finish for (block in 0n..2n) async {
                clocked finish for (thread in 0n..7n) clocked async {
                    val id = block * 8n + thread;
                    var x:Int = id; if (x < n) { if (id % 2n == 0n) { x = x + w; } out(x) = 1n; }
                }
            }
        }
    }

    static def host_behind(out:Rail[Int], n:Int, w:Int):Boolean {
        try {
            for (id in 0n..23n) { var x:Int = id; val y = x; x = x + w; if (x < n) out(y) = 1n; }
            return false;
        } catch (e:ArrayIndexOutOfBoundsException) {
            return true;
        }
    }

    static def kernel_behind(p:Place, out:GlobalRail[Int]{self.home() == p}, n:Int, w:Int) {
        finish async at (p) @CUDA {
            finish for (block in 0n..2n) async {
                clocked finish for (thread in 0n..7n) clocked async {
                    val id = block * 8n + thread;
                    var x:Int = id; val y = x; x = x + w; if (x < n) out(y) = 1n;
                }
            }
        }
    }

    static def host_ahead(out:Rail[Int], n:Int, w:Int):Boolean {
        try {
            for (id in 0n..23n) { var x:Int = id; val y = x + 1n; if (y < n) { x += w; out(x + 1n) = 1n; } }
            return false;
        } catch (e:ArrayIndexOutOfBoundsException) {
            return true;
        }
    }

    static def kernel_ahead(p:Place, out:GlobalRail[Int]{self.home() == p}, n:Int, w:Int) {
        finish async at (p) @CUDA {
            finish for (block in 0n..2n) async {
                clocked finish for (thread in 0n..7n) clocked async {
                    val id = block * 8n + thread;
                    var x:Int = id; val y = x + 1n; if (y < n) { x += w; out(x + 1n) = 1n; }
                }
            }
        }
    }

    static def host_butterfly(out:Rail[Int], n:Int, w:Int):Boolean {
        try {
            for (id in 0n..23n) { for (var k:Int = 2n; k <= n; k <<= 1) for (var j:Int = k >> 1; j > 0n; j >>= 1) out(id ^ j) = 1n; }
            return false;
        } catch (e:ArrayIndexOutOfBoundsException) {
            return true;
        }
    }

    static def kernel_butterfly(p:Place, out:GlobalRail[Int]{self.home() == p}, n:Int, w:Int) {
        finish async at (p) @CUDA {
            finish for (block in 0n..2n) async {
                clocked finish for (thread in 0n..7n) clocked async {
                    val id = block * 8n + thread;
                    for (var k:Int = 2n; k <= n; k <<= 1) for (var j:Int = k >> 1; j > 0n; j >>= 1) out(id ^ j) = 1n;
                }
            }
        }
    }

    static def host_bounded(out:Rail[Int], n:Int, w:Int):Boolean {
        try {
            for (id in 0n..23n) { for (i in 0n..(n - 1n)) { val x = i; if (x > w) out(x - w) = 1n; out(i + id - id) = 1n; } }
            return false;
        } catch (e:ArrayIndexOutOfBoundsException) {
            return true;
        }
    }

    static def kernel_bounded(p:Place, out:GlobalRail[Int]{self.home() == p}, n:Int, w:Int) {
        finish async at (p) @CUDA {
            finish for (block in 0n..2n) async {
                clocked finish for (thread in 0n..7n) clocked async {
                    val id = block * 8n + thread;
                    for (i in 0n..(n - 1n)) { val x = i; if (x > w) out(x - w) = 1n; out(i + id - id) = 1n; }
                }
            }
        }
    }

    static def check(name:String, p:Place, host:(Rail[Int], Int, Int)=>Boolean, kernel:(GlobalRail[Int]{self.home() == p}, Int, Int)=>void) {
        var wrong:Int = 0n;
        var raised:Int = 0n;
        for (size in [1, 5, 23, 24, 25, 40]) for (n in [-1n, 0n, 1n, 5n, 23n, 24n, 25n, 39n, 40n, 41n]) for (w in [1n, 2n, 6n]) {
            val there = CUDAUtilities.makeGlobalRail[Int](p, size);
            val expected = host(new Rail[Int](size), n, w);
            var found:Boolean = false;
            try {
                kernel(there, n, w);
            } catch (e:MultipleExceptions) {
                found = e.getExceptionsOfType[ArrayIndexOutOfBoundsException]().size > 0;
            }
            CUDAUtilities.deleteGlobalRail(there);
            if (expected) raised++;
            if (expected != found) {
                if (wrong < 3n) Console.OUT.println(name + ": size " + size + ", n " + n + ", w " + w + ": " + found);
                wrong++;
            }
        }
        Console.OUT.println(name + ": " + raised + " raised, " + wrong + " wrong");
    }


    public static def main(Rail[String]) {
        val p = place();
        check("sequential", p, (out:Rail[Int], n:Int, w:Int)=>host_sequential(out, n, w),
              (out:GlobalRail[Int]{self.home() == p}, n:Int, w:Int)=>{ kernel_sequential(p, out, n, w); });
        check("definition", p, (out:Rail[Int], n:Int, w:Int)=>host_definition(out, n, w),
              (out:GlobalRail[Int]{self.home() == p}, n:Int, w:Int)=>{ kernel_definition(p, out, n, w); });
        check("turns", p, (out:Rail[Int], n:Int, w:Int)=>host_turns(out, n, w),
              (out:GlobalRail[Int]{self.home() == p}, n:Int, w:Int)=>{ kernel_turns(p, out, n, w); });
        check("mirror", p, (out:Rail[Int], n:Int, w:Int)=>host_mirror(out, n, w),
              (out:GlobalRail[Int]{self.home() == p}, n:Int, w:Int)=>{ kernel_mirror(p, out, n, w); });
        check("mirror3", p, (out:Rail[Int], n:Int, w:Int)=>host_mirror3(out, n, w),
              (out:GlobalRail[Int]{self.home() == p}, n:Int, w:Int)=>{ kernel_mirror3(p, out, n, w); });
        check("flip", p, (out:Rail[Int], n:Int, w:Int)=>host_flip(out, n, w),
              (out:GlobalRail[Int]{self.home() == p}, n:Int, w:Int)=>{ kernel_flip(p, out, n, w); });
        check("pivot", p, (out:Rail[Int], n:Int, w:Int)=>host_pivot(out, n, w),
              (out:GlobalRail[Int]{self.home() == p}, n:Int, w:Int)=>{ kernel_pivot(p, out, n, w); });
        check("late", p, (out:Rail[Int], n:Int, w:Int)=>host_late(out, n, w),
              (out:GlobalRail[Int]{self.home() == p}, n:Int, w:Int)=>{ kernel_late(p, out, n, w); });
        check("below", p, (out:Rail[Int], n:Int, w:Int)=>host_below(out, n, w),
              (out:GlobalRail[Int]{self.home() == p}, n:Int, w:Int)=>{ kernel_below(p, out, n, w); });
        check("beyond", p, (out:Rail[Int], n:Int, w:Int)=>host_beyond(out, n, w),
              (out:GlobalRail[Int]{self.home() == p}, n:Int, w:Int)=>{ kernel_beyond(p, out, n, w); });
        check("gap", p, (out:Rail[Int], n:Int, w:Int)=>host_gap(out, n, w),
              (out:GlobalRail[Int]{self.home() == p}, n:Int, w:Int)=>{ kernel_gap(p, out, n, w); });
        check("triangle", p, (out:Rail[Int], n:Int, w:Int)=>host_triangle(out, n, w),
              (out:GlobalRail[Int]{self.home() == p}, n:Int, w:Int)=>{ kernel_triangle(p, out, n, w); });
        check("xor", p, (out:Rail[Int], n:Int, w:Int)=>host_xor(out, n, w),
              (out:GlobalRail[Int]{self.home() == p}, n:Int, w:Int)=>{ kernel_xor(p, out, n, w); });
        check("or", p, (out:Rail[Int], n:Int, w:Int)=>host_or(out, n, w),
              (out:GlobalRail[Int]{self.home() == p}, n:Int, w:Int)=>{ kernel_or(p, out, n, w); });
        check("clamp", p, (out:Rail[Int], n:Int, w:Int)=>host_clamp(out, n, w),
              (out:GlobalRail[Int]{self.home() == p}, n:Int, w:Int)=>{ kernel_clamp(p, out, n, w); });
        check("ternary", p, (out:Rail[Int], n:Int, w:Int)=>host_ternary(out, n, w),
              (out:GlobalRail[Int]{self.home() == p}, n:Int, w:Int)=>{ kernel_ternary(p, out, n, w); });
        check("part", p, (out:Rail[Int], n:Int, w:Int)=>host_part(out, n, w),
              (out:GlobalRail[Int]{self.home() == p}, n:Int, w:Int)=>{ kernel_part(p, out, n, w); });
        check("changed", p, (out:Rail[Int], n:Int, w:Int)=>host_changed(out, n, w),
              (out:GlobalRail[Int]{self.home() == p}, n:Int, w:Int)=>{ kernel_changed(p, out, n, w); });
        check("behind", p, (out:Rail[Int], n:Int, w:Int)=>host_behind(out, n, w),
              (out:GlobalRail[Int]{self.home() == p}, n:Int, w:Int)=>{ kernel_behind(p, out, n, w); });
        check("ahead", p, (out:Rail[Int], n:Int, w:Int)=>host_ahead(out, n, w),
              (out:GlobalRail[Int]{self.home() == p}, n:Int, w:Int)=>{ kernel_ahead(p, out, n, w); });
        check("butterfly", p, (out:Rail[Int], n:Int, w:Int)=>host_butterfly(out, n, w),
              (out:GlobalRail[Int]{self.home() == p}, n:Int, w:Int)=>{ kernel_butterfly(p, out, n, w); });
        check("bounded", p, (out:Rail[Int], n:Int, w:Int)=>host_bounded(out, n, w),
              (out:GlobalRail[Int]{self.home() == p}, n:Int, w:Int)=>{ kernel_bounded(p, out, n, w); });
    }
}
// without: thread
// Threads of some kernels write the same value into the same element.
