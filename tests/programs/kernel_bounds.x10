import x10.compiler.CUDA;
import x10.util.CUDAUtilities;

/**
 * Loop and guard forms of kernels at many sizes: a kernel raises exactly where the same code raises in an ordinary method.
 * What the compiler leaves out because it believes it proven would show here as a check that is missing.
 */
public class kernel_bounds {
    static def place():Place {
        val topology = PlaceTopology.getTopology();
        return topology.numChildren(here) > 0 ? topology.getChild(here, 0) : here;
    }

    static def host_guard(out:Rail[Int], n:Int, w:Int):Boolean {
        try {
            for (id in 0n..23n) { if (id < n) out(id) = 1n; }
            return false;
        } catch (e:ArrayIndexOutOfBoundsException) {
            return true;
        }
    }

    static def kernel_guard(p:Place, out:GlobalRail[Int]{self.home() == p}, n:Int, w:Int) {
        finish async at (p) @CUDA {
            finish for (block in 0n..2n) async {
                clocked finish for (thread in 0n..7n) clocked async {
                    val id = block * 8n + thread;
                    if (id < n) out(id) = 1n;
                }
            }
        }
    }

    static def host_guard2(out:Rail[Int], n:Int, w:Int):Boolean {
        try {
            for (id in 0n..23n) { val row = id / 6n; val col = id % 6n; if (row < n && col < w) out(row * w + col) = 1n; }
            return false;
        } catch (e:ArrayIndexOutOfBoundsException) {
            return true;
        }
    }

    static def kernel_guard2(p:Place, out:GlobalRail[Int]{self.home() == p}, n:Int, w:Int) {
        finish async at (p) @CUDA {
            finish for (block in 0n..2n) async {
                clocked finish for (thread in 0n..7n) clocked async {
                    val id = block * 8n + thread;
                    val row = id / 6n; val col = id % 6n; if (row < n && col < w) out(row * w + col) = 1n;
                }
            }
        }
    }

    static def host_stride(out:Rail[Int], n:Int, w:Int):Boolean {
        try {
            for (id in 0n..23n) { for (var i:Int = id; i < n; i += w) out(i) = 1n; }
            return false;
        } catch (e:ArrayIndexOutOfBoundsException) {
            return true;
        }
    }

    static def kernel_stride(p:Place, out:GlobalRail[Int]{self.home() == p}, n:Int, w:Int) {
        finish async at (p) @CUDA {
            finish for (block in 0n..2n) async {
                clocked finish for (thread in 0n..7n) clocked async {
                    val id = block * 8n + thread;
                    for (var i:Int = id; i < n; i += w) out(i) = 1n;
                }
            }
        }
    }

    static def host_inclusive(out:Rail[Int], n:Int, w:Int):Boolean {
        try {
            for (id in 0n..23n) { for (var i:Long = id; i <= n; i += 24) out(i) = 1n; }
            return false;
        } catch (e:ArrayIndexOutOfBoundsException) {
            return true;
        }
    }

    static def kernel_inclusive(p:Place, out:GlobalRail[Int]{self.home() == p}, n:Int, w:Int) {
        finish async at (p) @CUDA {
            finish for (block in 0n..2n) async {
                clocked finish for (thread in 0n..7n) clocked async {
                    val id = block * 8n + thread;
                    for (var i:Long = id; i <= n; i += 24) out(i) = 1n;
                }
            }
        }
    }

    static def host_down(out:Rail[Int], n:Int, w:Int):Boolean {
        try {
            for (id in 0n..23n) { for (var i:Int = n - 1n; i >= 0n; i--) out(i) = 1n; }
            return false;
        } catch (e:ArrayIndexOutOfBoundsException) {
            return true;
        }
    }

    static def kernel_down(p:Place, out:GlobalRail[Int]{self.home() == p}, n:Int, w:Int) {
        finish async at (p) @CUDA {
            finish for (block in 0n..2n) async {
                clocked finish for (thread in 0n..7n) clocked async {
                    val id = block * 8n + thread;
                    for (var i:Int = n - 1n; i >= 0n; i--) out(i) = 1n;
                }
            }
        }
    }

    static def host_down2(out:Rail[Int], n:Int, w:Int):Boolean {
        try {
            for (id in 0n..23n) { for (var i:Int = n; i > w; i -= w) out(i - w) = 1n; }
            return false;
        } catch (e:ArrayIndexOutOfBoundsException) {
            return true;
        }
    }

    static def kernel_down2(p:Place, out:GlobalRail[Int]{self.home() == p}, n:Int, w:Int) {
        finish async at (p) @CUDA {
            finish for (block in 0n..2n) async {
                clocked finish for (thread in 0n..7n) clocked async {
                    val id = block * 8n + thread;
                    for (var i:Int = n; i > w; i -= w) out(i - w) = 1n;
                }
            }
        }
    }

    static def host_doubling(out:Rail[Int], n:Int, w:Int):Boolean {
        try {
            for (id in 0n..23n) { for (var s:Int = 1n; s < n; s *= 2n) out(s) = 1n; }
            return false;
        } catch (e:ArrayIndexOutOfBoundsException) {
            return true;
        }
    }

    static def kernel_doubling(p:Place, out:GlobalRail[Int]{self.home() == p}, n:Int, w:Int) {
        finish async at (p) @CUDA {
            finish for (block in 0n..2n) async {
                clocked finish for (thread in 0n..7n) clocked async {
                    val id = block * 8n + thread;
                    for (var s:Int = 1n; s < n; s *= 2n) out(s) = 1n;
                }
            }
        }
    }

    static def host_shifting(out:Rail[Int], n:Int, w:Int):Boolean {
        try {
            for (id in 0n..23n) { for (var s:Int = 1n; s <= n; s <<= 1n) { out(s - 1n) = 1n; } }
            return false;
        } catch (e:ArrayIndexOutOfBoundsException) {
            return true;
        }
    }

    static def kernel_shifting(p:Place, out:GlobalRail[Int]{self.home() == p}, n:Int, w:Int) {
        finish async at (p) @CUDA {
            finish for (block in 0n..2n) async {
                clocked finish for (thread in 0n..7n) clocked async {
                    val id = block * 8n + thread;
                    for (var s:Int = 1n; s <= n; s <<= 1n) { out(s - 1n) = 1n; }
                }
            }
        }
    }

    static def host_halving(out:Rail[Int], n:Int, w:Int):Boolean {
        try {
            for (id in 0n..23n) { for (var half:Int = w; half > 0n; half /= 2n) if (id < half) out(id + half) = 1n; }
            return false;
        } catch (e:ArrayIndexOutOfBoundsException) {
            return true;
        }
    }

    static def kernel_halving(p:Place, out:GlobalRail[Int]{self.home() == p}, n:Int, w:Int) {
        finish async at (p) @CUDA {
            finish for (block in 0n..2n) async {
                clocked finish for (thread in 0n..7n) clocked async {
                    val id = block * 8n + thread;
                    for (var half:Int = w; half > 0n; half /= 2n) if (id < half) out(id + half) = 1n;
                }
            }
        }
    }

    static def host_divide(out:Rail[Int], n:Int, w:Int):Boolean {
        try {
            for (id in 0n..23n) { out((id / w) * w + id % w) = 1n; }
            return false;
        } catch (e:ArrayIndexOutOfBoundsException) {
            return true;
        }
    }

    static def kernel_divide(p:Place, out:GlobalRail[Int]{self.home() == p}, n:Int, w:Int) {
        finish async at (p) @CUDA {
            finish for (block in 0n..2n) async {
                clocked finish for (thread in 0n..7n) clocked async {
                    val id = block * 8n + thread;
                    out((id / w) * w + id % w) = 1n;
                }
            }
        }
    }

    static def host_dowhile(out:Rail[Int], n:Int, w:Int):Boolean {
        try {
            for (id in 0n..23n) { var spot:Int = id; do { out(spot) = 1n; spot += w; } while (spot < n); }
            return false;
        } catch (e:ArrayIndexOutOfBoundsException) {
            return true;
        }
    }

    static def kernel_dowhile(p:Place, out:GlobalRail[Int]{self.home() == p}, n:Int, w:Int) {
        finish async at (p) @CUDA {
            finish for (block in 0n..2n) async {
                clocked finish for (thread in 0n..7n) clocked async {
                    val id = block * 8n + thread;
                    var spot:Int = id; do { out(spot) = 1n; spot += w; } while (spot < n);
                }
            }
        }
    }

    static def host_range(out:Rail[Int], n:Int, w:Int):Boolean {
        try {
            for (id in 0n..23n) { for (j in 0n..(n - 1n)) out(j) = 1n; }
            return false;
        } catch (e:ArrayIndexOutOfBoundsException) {
            return true;
        }
    }

    static def kernel_range(p:Place, out:GlobalRail[Int]{self.home() == p}, n:Int, w:Int) {
        finish async at (p) @CUDA {
            finish for (block in 0n..2n) async {
                clocked finish for (thread in 0n..7n) clocked async {
                    val id = block * 8n + thread;
                    for (j in 0n..(n - 1n)) out(j) = 1n;
                }
            }
        }
    }

    static def host_range2(out:Rail[Int], n:Int, w:Int):Boolean {
        try {
            for (id in 0n..23n) { for (j in id..(id + w)) out(j) = 1n; }
            return false;
        } catch (e:ArrayIndexOutOfBoundsException) {
            return true;
        }
    }

    static def kernel_range2(p:Place, out:GlobalRail[Int]{self.home() == p}, n:Int, w:Int) {
        finish async at (p) @CUDA {
            finish for (block in 0n..2n) async {
                clocked finish for (thread in 0n..7n) clocked async {
                    val id = block * 8n + thread;
                    for (j in id..(id + w)) out(j) = 1n;
                }
            }
        }
    }

    static def host_nested(out:Rail[Int], n:Int, w:Int):Boolean {
        try {
            for (id in 0n..23n) { var k:Int = 0n; for (i in 1n..w) for (j in 1n..3n) { out(k) = 1n; k++; } }
            return false;
        } catch (e:ArrayIndexOutOfBoundsException) {
            return true;
        }
    }

    static def kernel_nested(p:Place, out:GlobalRail[Int]{self.home() == p}, n:Int, w:Int) {
        finish async at (p) @CUDA {
            finish for (block in 0n..2n) async {
                clocked finish for (thread in 0n..7n) clocked async {
                    val id = block * 8n + thread;
                    var k:Int = 0n; for (i in 1n..w) for (j in 1n..3n) { out(k) = 1n; k++; }
                }
            }
        }
    }

    static def host_induction(out:Rail[Int], n:Int, w:Int):Boolean {
        try {
            for (id in 0n..23n) { var k:Int = id; for (i in 1n..w) { out(k) = 1n; k += 2n; } }
            return false;
        } catch (e:ArrayIndexOutOfBoundsException) {
            return true;
        }
    }

    static def kernel_induction(p:Place, out:GlobalRail[Int]{self.home() == p}, n:Int, w:Int) {
        finish async at (p) @CUDA {
            finish for (block in 0n..2n) async {
                clocked finish for (thread in 0n..7n) clocked async {
                    val id = block * 8n + thread;
                    var k:Int = id; for (i in 1n..w) { out(k) = 1n; k += 2n; }
                }
            }
        }
    }

    static def host_skip(out:Rail[Int], n:Int, w:Int):Boolean {
        try {
            for (id in 0n..23n) { if (id >= n) { } else out(id) = 1n; }
            return false;
        } catch (e:ArrayIndexOutOfBoundsException) {
            return true;
        }
    }

    static def kernel_skip(p:Place, out:GlobalRail[Int]{self.home() == p}, n:Int, w:Int) {
        finish async at (p) @CUDA {
            finish for (block in 0n..2n) async {
                clocked finish for (thread in 0n..7n) clocked async {
                    val id = block * 8n + thread;
                    if (id >= n) { } else out(id) = 1n;
                }
            }
        }
    }

    static def host_continued(out:Rail[Int], n:Int, w:Int):Boolean {
        try {
            for (id in 0n..23n) { for (var i:Int = 0n; i < n; i++) { if (i % 3n == 0n) continue; out(i - 1n) = 1n; } }
            return false;
        } catch (e:ArrayIndexOutOfBoundsException) {
            return true;
        }
    }

    static def kernel_continued(p:Place, out:GlobalRail[Int]{self.home() == p}, n:Int, w:Int) {
        finish async at (p) @CUDA {
            finish for (block in 0n..2n) async {
                clocked finish for (thread in 0n..7n) clocked async {
                    val id = block * 8n + thread;
                    for (var i:Int = 0n; i < n; i++) { if (i % 3n == 0n) continue; out(i - 1n) = 1n; }
                }
            }
        }
    }

    static def host_broken(out:Rail[Int], n:Int, w:Int):Boolean {
        try {
            for (id in 0n..23n) { var i:Int = 0n; while (true) { if (i >= n) break; out(i) = 1n; i += 1n; } }
            return false;
        } catch (e:ArrayIndexOutOfBoundsException) {
            return true;
        }
    }

    static def kernel_broken(p:Place, out:GlobalRail[Int]{self.home() == p}, n:Int, w:Int) {
        finish async at (p) @CUDA {
            finish for (block in 0n..2n) async {
                clocked finish for (thread in 0n..7n) clocked async {
                    val id = block * 8n + thread;
                    var i:Int = 0n; while (true) { if (i >= n) break; out(i) = 1n; i += 1n; }
                }
            }
        }
    }

    static def host_brokenlate(out:Rail[Int], n:Int, w:Int):Boolean {
        try {
            for (id in 0n..23n) { for (var i:Int = 0n; i < 1000n; i++) { if (i * w > n) break; out(i) = 1n; } }
            return false;
        } catch (e:ArrayIndexOutOfBoundsException) {
            return true;
        }
    }

    static def kernel_brokenlate(p:Place, out:GlobalRail[Int]{self.home() == p}, n:Int, w:Int) {
        finish async at (p) @CUDA {
            finish for (block in 0n..2n) async {
                clocked finish for (thread in 0n..7n) clocked async {
                    val id = block * 8n + thread;
                    for (var i:Int = 0n; i < 1000n; i++) { if (i * w > n) break; out(i) = 1n; }
                }
            }
        }
    }

    static def host_least(out:Rail[Int], n:Int, w:Int):Boolean {
        try {
            for (id in 0n..23n) { out(Math.min(id, n)) = 1n; out(Math.max(0n, id - w)) = 1n; }
            return false;
        } catch (e:ArrayIndexOutOfBoundsException) {
            return true;
        }
    }

    static def kernel_least(p:Place, out:GlobalRail[Int]{self.home() == p}, n:Int, w:Int) {
        finish async at (p) @CUDA {
            finish for (block in 0n..2n) async {
                clocked finish for (thread in 0n..7n) clocked async {
                    val id = block * 8n + thread;
                    out(Math.min(id, n)) = 1n; out(Math.max(0n, id - w)) = 1n;
                }
            }
        }
    }

    static def host_select(out:Rail[Int], n:Int, w:Int):Boolean {
        try {
            for (id in 0n..23n) { out(id < w ? id : n) = 1n; }
            return false;
        } catch (e:ArrayIndexOutOfBoundsException) {
            return true;
        }
    }

    static def kernel_select(p:Place, out:GlobalRail[Int]{self.home() == p}, n:Int, w:Int) {
        finish async at (p) @CUDA {
            finish for (block in 0n..2n) async {
                clocked finish for (thread in 0n..7n) clocked async {
                    val id = block * 8n + thread;
                    out(id < w ? id : n) = 1n;
                }
            }
        }
    }

    static def host_assigned(out:Rail[Int], n:Int, w:Int):Boolean {
        try {
            for (id in 0n..23n) { var i:Int = id; if (i > w) i = n - 1n; else i = i / 2n; if (i >= 0n) out(i) = 1n; }
            return false;
        } catch (e:ArrayIndexOutOfBoundsException) {
            return true;
        }
    }

    static def kernel_assigned(p:Place, out:GlobalRail[Int]{self.home() == p}, n:Int, w:Int) {
        finish async at (p) @CUDA {
            finish for (block in 0n..2n) async {
                clocked finish for (thread in 0n..7n) clocked async {
                    val id = block * 8n + thread;
                    var i:Int = id; if (i > w) i = n - 1n; else i = i / 2n; if (i >= 0n) out(i) = 1n;
                }
            }
        }
    }

    static def host_negated(out:Rail[Int], n:Int, w:Int):Boolean {
        try {
            for (id in 0n..23n) { if (!(id > n || id < w)) out(id - w) = 1n; }
            return false;
        } catch (e:ArrayIndexOutOfBoundsException) {
            return true;
        }
    }

    static def kernel_negated(p:Place, out:GlobalRail[Int]{self.home() == p}, n:Int, w:Int) {
        finish async at (p) @CUDA {
            finish for (block in 0n..2n) async {
                clocked finish for (thread in 0n..7n) clocked async {
                    val id = block * 8n + thread;
                    if (!(id > n || id < w)) out(id - w) = 1n;
                }
            }
        }
    }

    static def host_wrap(out:Rail[Int], n:Int, w:Int):Boolean {
        try {
            for (id in 0n..23n) { val far = id * 400000000n; if (far >= 0n && far < n) out(far) = 1n; }
            return false;
        } catch (e:ArrayIndexOutOfBoundsException) {
            return true;
        }
    }

    static def kernel_wrap(p:Place, out:GlobalRail[Int]{self.home() == p}, n:Int, w:Int) {
        finish async at (p) @CUDA {
            finish for (block in 0n..2n) async {
                clocked finish for (thread in 0n..7n) clocked async {
                    val id = block * 8n + thread;
                    val far = id * 400000000n; if (far >= 0n && far < n) out(far) = 1n;
                }
            }
        }
    }

    static def host_wrap2(out:Rail[Int], n:Int, w:Int):Boolean {
        try {
            for (id in 0n..23n) { out((id * 65536n * 65536n) + id) = 1n; }
            return false;
        } catch (e:ArrayIndexOutOfBoundsException) {
            return true;
        }
    }

    static def kernel_wrap2(p:Place, out:GlobalRail[Int]{self.home() == p}, n:Int, w:Int) {
        finish async at (p) @CUDA {
            finish for (block in 0n..2n) async {
                clocked finish for (thread in 0n..7n) clocked async {
                    val id = block * 8n + thread;
                    out((id * 65536n * 65536n) + id) = 1n;
                }
            }
        }
    }

    static def host_masked(out:Rail[Int], n:Int, w:Int):Boolean {
        try {
            for (id in 0n..23n) { out(id & 15n) = 1n; out(id >> 1n) = 1n; }
            return false;
        } catch (e:ArrayIndexOutOfBoundsException) {
            return true;
        }
    }

    static def kernel_masked(p:Place, out:GlobalRail[Int]{self.home() == p}, n:Int, w:Int) {
        finish async at (p) @CUDA {
            finish for (block in 0n..2n) async {
                clocked finish for (thread in 0n..7n) clocked async {
                    val id = block * 8n + thread;
                    out(id & 15n) = 1n; out(id >> 1n) = 1n;
                }
            }
        }
    }

    static def host_switched(out:Rail[Int], n:Int, w:Int):Boolean {
        try {
            for (id in 0n..23n) { var i:Int = 0n; switch (id % 3n) { case 0n: i = n; case 1n: i += 1n; break; default: i = w; } out(i) = 1n; }
            return false;
        } catch (e:ArrayIndexOutOfBoundsException) {
            return true;
        }
    }

    static def kernel_switched(p:Place, out:GlobalRail[Int]{self.home() == p}, n:Int, w:Int) {
        finish async at (p) @CUDA {
            finish for (block in 0n..2n) async {
                clocked finish for (thread in 0n..7n) clocked async {
                    val id = block * 8n + thread;
                    var i:Int = 0n; switch (id % 3n) { case 0n: i = n; case 1n: i += 1n; break; default: i = w; } out(i) = 1n;
                }
            }
        }
    }

    static def host_product(out:Rail[Int], n:Int, w:Int):Boolean {
        try {
            for (id in 0n..23n) { if (id < n) for (j in 0n..(w - 1n)) out(id * w + j) = 1n; }
            return false;
        } catch (e:ArrayIndexOutOfBoundsException) {
            return true;
        }
    }

    static def kernel_product(p:Place, out:GlobalRail[Int]{self.home() == p}, n:Int, w:Int) {
        finish async at (p) @CUDA {
            finish for (block in 0n..2n) async {
                clocked finish for (thread in 0n..7n) clocked async {
                    val id = block * 8n + thread;
                    if (id < n) for (j in 0n..(w - 1n)) out(id * w + j) = 1n;
                }
            }
        }
    }

    static def host_tested(out:Rail[Int], n:Int, w:Int):Boolean {
        try {
            for (id in 0n..23n) { val inside = id < n && id > 2n; if (inside) out(id - 3n) = 1n; }
            return false;
        } catch (e:ArrayIndexOutOfBoundsException) {
            return true;
        }
    }

    static def kernel_tested(p:Place, out:GlobalRail[Int]{self.home() == p}, n:Int, w:Int) {
        finish async at (p) @CUDA {
            finish for (block in 0n..2n) async {
                clocked finish for (thread in 0n..7n) clocked async {
                    val id = block * 8n + thread;
                    val inside = id < n && id > 2n; if (inside) out(id - 3n) = 1n;
                }
            }
        }
    }

    static def host_twice(out:Rail[Int], n:Int, w:Int):Boolean {
        try {
            for (id in 0n..23n) { for (var i:Int = 0n; i < n; i++) { i += w; out(i) = 1n; } }
            return false;
        } catch (e:ArrayIndexOutOfBoundsException) {
            return true;
        }
    }

    static def kernel_twice(p:Place, out:GlobalRail[Int]{self.home() == p}, n:Int, w:Int) {
        finish async at (p) @CUDA {
            finish for (block in 0n..2n) async {
                clocked finish for (thread in 0n..7n) clocked async {
                    val id = block * 8n + thread;
                    for (var i:Int = 0n; i < n; i++) { i += w; out(i) = 1n; }
                }
            }
        }
    }

    static def host_uniform(out:Rail[Int], n:Int, w:Int):Boolean {
        try {
            for (id in 0n..23n) { if (n > 10n) out(id) = 1n; else out(id + 10n) = 1n; }
            return false;
        } catch (e:ArrayIndexOutOfBoundsException) {
            return true;
        }
    }

    static def kernel_uniform(p:Place, out:GlobalRail[Int]{self.home() == p}, n:Int, w:Int) {
        finish async at (p) @CUDA {
            finish for (block in 0n..2n) async {
                clocked finish for (thread in 0n..7n) clocked async {
                    val id = block * 8n + thread;
                    if (n > 10n) out(id) = 1n; else out(id + 10n) = 1n;
                }
            }
        }
    }

    static def host_condition(out:Rail[Int], n:Int, w:Int):Boolean {
        try {
            for (id in 0n..23n) { var i:Int = 0n; while (out(i) == 0n && i < n) i++; }
            return false;
        } catch (e:ArrayIndexOutOfBoundsException) {
            return true;
        }
    }

    static def kernel_condition(p:Place, out:GlobalRail[Int]{self.home() == p}, n:Int, w:Int) {
        finish async at (p) @CUDA {
            finish for (block in 0n..2n) async {
                clocked finish for (thread in 0n..7n) clocked async {
                    val id = block * 8n + thread;
                    var i:Int = 0n; while (out(i) == 0n && i < n) i++;
                }
            }
        }
    }

    static def host_condition2(out:Rail[Int], n:Int, w:Int):Boolean {
        try {
            for (id in 0n..23n) { var i:Int = 0n; while (i < n && out(i) == 0n) i++; }
            return false;
        } catch (e:ArrayIndexOutOfBoundsException) {
            return true;
        }
    }

    static def kernel_condition2(p:Place, out:GlobalRail[Int]{self.home() == p}, n:Int, w:Int) {
        finish async at (p) @CUDA {
            finish for (block in 0n..2n) async {
                clocked finish for (thread in 0n..7n) clocked async {
                    val id = block * 8n + thread;
                    var i:Int = 0n; while (i < n && out(i) == 0n) i++;
                }
            }
        }
    }

    static def host_narrowed(out:Rail[Int], n:Int, w:Int):Boolean {
        try {
            for (id in 0n..23n) { val b = (id * w) as Byte; if (b >= 0y) out(b) = 1n; }
            return false;
        } catch (e:ArrayIndexOutOfBoundsException) {
            return true;
        }
    }

    static def kernel_narrowed(p:Place, out:GlobalRail[Int]{self.home() == p}, n:Int, w:Int) {
        finish async at (p) @CUDA {
            finish for (block in 0n..2n) async {
                clocked finish for (thread in 0n..7n) clocked async {
                    val id = block * 8n + thread;
                    val b = (id * w) as Byte; if (b >= 0y) out(b) = 1n;
                }
            }
        }
    }

    static def host_long(out:Rail[Int], n:Int, w:Int):Boolean {
        try {
            for (id in 0n..23n) { val i = (id as Long) * n - w; if (i >= 0) out(i) = 1n; }
            return false;
        } catch (e:ArrayIndexOutOfBoundsException) {
            return true;
        }
    }

    static def kernel_long(p:Place, out:GlobalRail[Int]{self.home() == p}, n:Int, w:Int) {
        finish async at (p) @CUDA {
            finish for (block in 0n..2n) async {
                clocked finish for (thread in 0n..7n) clocked async {
                    val id = block * 8n + thread;
                    val i = (id as Long) * n - w; if (i >= 0) out(i) = 1n;
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

    public static def main(args:Rail[String]) {
        val p = place();
        check("guard", p, (out:Rail[Int], n:Int, w:Int)=>host_guard(out, n, w),
              (out:GlobalRail[Int]{self.home() == p}, n:Int, w:Int)=>{ kernel_guard(p, out, n, w); });
        check("guard2", p, (out:Rail[Int], n:Int, w:Int)=>host_guard2(out, n, w),
              (out:GlobalRail[Int]{self.home() == p}, n:Int, w:Int)=>{ kernel_guard2(p, out, n, w); });
        check("stride", p, (out:Rail[Int], n:Int, w:Int)=>host_stride(out, n, w),
              (out:GlobalRail[Int]{self.home() == p}, n:Int, w:Int)=>{ kernel_stride(p, out, n, w); });
        check("inclusive", p, (out:Rail[Int], n:Int, w:Int)=>host_inclusive(out, n, w),
              (out:GlobalRail[Int]{self.home() == p}, n:Int, w:Int)=>{ kernel_inclusive(p, out, n, w); });
        check("down", p, (out:Rail[Int], n:Int, w:Int)=>host_down(out, n, w),
              (out:GlobalRail[Int]{self.home() == p}, n:Int, w:Int)=>{ kernel_down(p, out, n, w); });
        check("down2", p, (out:Rail[Int], n:Int, w:Int)=>host_down2(out, n, w),
              (out:GlobalRail[Int]{self.home() == p}, n:Int, w:Int)=>{ kernel_down2(p, out, n, w); });
        check("doubling", p, (out:Rail[Int], n:Int, w:Int)=>host_doubling(out, n, w),
              (out:GlobalRail[Int]{self.home() == p}, n:Int, w:Int)=>{ kernel_doubling(p, out, n, w); });
        check("shifting", p, (out:Rail[Int], n:Int, w:Int)=>host_shifting(out, n, w),
              (out:GlobalRail[Int]{self.home() == p}, n:Int, w:Int)=>{ kernel_shifting(p, out, n, w); });
        check("halving", p, (out:Rail[Int], n:Int, w:Int)=>host_halving(out, n, w),
              (out:GlobalRail[Int]{self.home() == p}, n:Int, w:Int)=>{ kernel_halving(p, out, n, w); });
        check("divide", p, (out:Rail[Int], n:Int, w:Int)=>host_divide(out, n, w),
              (out:GlobalRail[Int]{self.home() == p}, n:Int, w:Int)=>{ kernel_divide(p, out, n, w); });
        check("dowhile", p, (out:Rail[Int], n:Int, w:Int)=>host_dowhile(out, n, w),
              (out:GlobalRail[Int]{self.home() == p}, n:Int, w:Int)=>{ kernel_dowhile(p, out, n, w); });
        check("range", p, (out:Rail[Int], n:Int, w:Int)=>host_range(out, n, w),
              (out:GlobalRail[Int]{self.home() == p}, n:Int, w:Int)=>{ kernel_range(p, out, n, w); });
        check("range2", p, (out:Rail[Int], n:Int, w:Int)=>host_range2(out, n, w),
              (out:GlobalRail[Int]{self.home() == p}, n:Int, w:Int)=>{ kernel_range2(p, out, n, w); });
        check("nested", p, (out:Rail[Int], n:Int, w:Int)=>host_nested(out, n, w),
              (out:GlobalRail[Int]{self.home() == p}, n:Int, w:Int)=>{ kernel_nested(p, out, n, w); });
        check("induction", p, (out:Rail[Int], n:Int, w:Int)=>host_induction(out, n, w),
              (out:GlobalRail[Int]{self.home() == p}, n:Int, w:Int)=>{ kernel_induction(p, out, n, w); });
        check("skip", p, (out:Rail[Int], n:Int, w:Int)=>host_skip(out, n, w),
              (out:GlobalRail[Int]{self.home() == p}, n:Int, w:Int)=>{ kernel_skip(p, out, n, w); });
        check("continued", p, (out:Rail[Int], n:Int, w:Int)=>host_continued(out, n, w),
              (out:GlobalRail[Int]{self.home() == p}, n:Int, w:Int)=>{ kernel_continued(p, out, n, w); });
        check("broken", p, (out:Rail[Int], n:Int, w:Int)=>host_broken(out, n, w),
              (out:GlobalRail[Int]{self.home() == p}, n:Int, w:Int)=>{ kernel_broken(p, out, n, w); });
        check("brokenlate", p, (out:Rail[Int], n:Int, w:Int)=>host_brokenlate(out, n, w),
              (out:GlobalRail[Int]{self.home() == p}, n:Int, w:Int)=>{ kernel_brokenlate(p, out, n, w); });
        check("least", p, (out:Rail[Int], n:Int, w:Int)=>host_least(out, n, w),
              (out:GlobalRail[Int]{self.home() == p}, n:Int, w:Int)=>{ kernel_least(p, out, n, w); });
        check("select", p, (out:Rail[Int], n:Int, w:Int)=>host_select(out, n, w),
              (out:GlobalRail[Int]{self.home() == p}, n:Int, w:Int)=>{ kernel_select(p, out, n, w); });
        check("assigned", p, (out:Rail[Int], n:Int, w:Int)=>host_assigned(out, n, w),
              (out:GlobalRail[Int]{self.home() == p}, n:Int, w:Int)=>{ kernel_assigned(p, out, n, w); });
        check("negated", p, (out:Rail[Int], n:Int, w:Int)=>host_negated(out, n, w),
              (out:GlobalRail[Int]{self.home() == p}, n:Int, w:Int)=>{ kernel_negated(p, out, n, w); });
        check("wrap", p, (out:Rail[Int], n:Int, w:Int)=>host_wrap(out, n, w),
              (out:GlobalRail[Int]{self.home() == p}, n:Int, w:Int)=>{ kernel_wrap(p, out, n, w); });
        check("wrap2", p, (out:Rail[Int], n:Int, w:Int)=>host_wrap2(out, n, w),
              (out:GlobalRail[Int]{self.home() == p}, n:Int, w:Int)=>{ kernel_wrap2(p, out, n, w); });
        check("masked", p, (out:Rail[Int], n:Int, w:Int)=>host_masked(out, n, w),
              (out:GlobalRail[Int]{self.home() == p}, n:Int, w:Int)=>{ kernel_masked(p, out, n, w); });
        check("switched", p, (out:Rail[Int], n:Int, w:Int)=>host_switched(out, n, w),
              (out:GlobalRail[Int]{self.home() == p}, n:Int, w:Int)=>{ kernel_switched(p, out, n, w); });
        check("product", p, (out:Rail[Int], n:Int, w:Int)=>host_product(out, n, w),
              (out:GlobalRail[Int]{self.home() == p}, n:Int, w:Int)=>{ kernel_product(p, out, n, w); });
        check("tested", p, (out:Rail[Int], n:Int, w:Int)=>host_tested(out, n, w),
              (out:GlobalRail[Int]{self.home() == p}, n:Int, w:Int)=>{ kernel_tested(p, out, n, w); });
        check("twice", p, (out:Rail[Int], n:Int, w:Int)=>host_twice(out, n, w),
              (out:GlobalRail[Int]{self.home() == p}, n:Int, w:Int)=>{ kernel_twice(p, out, n, w); });
        check("uniform", p, (out:Rail[Int], n:Int, w:Int)=>host_uniform(out, n, w),
              (out:GlobalRail[Int]{self.home() == p}, n:Int, w:Int)=>{ kernel_uniform(p, out, n, w); });
        check("condition", p, (out:Rail[Int], n:Int, w:Int)=>host_condition(out, n, w),
              (out:GlobalRail[Int]{self.home() == p}, n:Int, w:Int)=>{ kernel_condition(p, out, n, w); });
        check("condition2", p, (out:Rail[Int], n:Int, w:Int)=>host_condition2(out, n, w),
              (out:GlobalRail[Int]{self.home() == p}, n:Int, w:Int)=>{ kernel_condition2(p, out, n, w); });
        check("narrowed", p, (out:Rail[Int], n:Int, w:Int)=>host_narrowed(out, n, w),
              (out:GlobalRail[Int]{self.home() == p}, n:Int, w:Int)=>{ kernel_narrowed(p, out, n, w); });
        check("long", p, (out:Rail[Int], n:Int, w:Int)=>host_long(out, n, w),
              (out:GlobalRail[Int]{self.home() == p}, n:Int, w:Int)=>{ kernel_long(p, out, n, w); });
    }
}
// without: thread
// Threads of some kernels write the same value into the same element.
