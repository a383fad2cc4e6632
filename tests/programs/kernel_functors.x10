import x10.compiler.*;
import x10.util.*;
/** Kernels with type parameters that call what interfaces and function types promise of them; each is made for the types at hand. */
public class kernel_functors {
    static interface Op[T] {
        def apply(a:T, b:T):T;
        def neutral():T;
    }
    static struct Sum[T]{T haszero, T <: Arithmetic[T]} implements Op[T] {
        @CUDA public def apply(a:T, b:T):T = a + b;
        @CUDA public def neutral():T = Zero.get[T]();
    }
    static struct Least implements Op[Double] {
        @CUDA public def apply(a:Double, b:Double):Double = Math.min(a, b);
        @CUDA public def neutral():Double = Double.MAX_VALUE;
    }
    /** With a field, and a wider one behind a narrow one. */
    static struct Clamped(small:Byte, most:Long) implements Op[Long] {
        @CUDA public def apply(a:Long, b:Long):Long = Math.min(a + b + small, most);
        @CUDA public def neutral():Long = 0;
    }
    /** Two in one: what they promise is known only where both are. */
    static struct Both[S,T,F,G]{S haszero, T haszero, F <: Op[S], G <: Op[T]} implements Op[Two[S,T]] {
        val f:F; val g:G;
        @CUDA def this(f:F, g:G) { this.f = f; this.g = g; }
        @CUDA public def apply(a:Two[S,T], b:Two[S,T]):Two[S,T] = Two[S,T](f.apply(a.s, b.s), g.apply(a.t, b.t));
        @CUDA public def neutral():Two[S,T] = Two[S,T](f.neutral(), g.neutral());
    }
    static struct Two[S,T]{S haszero, T haszero} {
        val s:S; val t:T;
        @CUDA def this(s:S, t:T) { this.s = s; this.t = t; }
    }
    /** Numbers of a struct's own. */
    static struct Complex(re:Int, im:Int) implements Arithmetic[Complex] {
        @CUDA public operator +this:Complex = this;
        @CUDA public operator -this:Complex = Complex(-re, -im);
        @CUDA public operator this + (that:Complex):Complex = Complex(re + that.re, im + that.im);
        @CUDA public operator this - (that:Complex):Complex = Complex(re - that.re, im - that.im);
        @CUDA public operator this * (that:Complex):Complex = Complex(re * that.re - im * that.im, re * that.im + im * that.re);
        @CUDA public operator this / (that:Complex):Complex = this;
    }
    static interface Map[A,B] { def of[W](i:Int, a:A, w:W):B; }
    static struct Half implements Map[Int,Float], Map[Short,Int] {
        @CUDA public def of[W](i:Int, a:Int, w:W):Float = a * 0.5f + i;
        @CUDA public def of[W](i:Int, a:Short, w:W):Int = a + i;
    }
    static struct Affine(k:Int, c:Int) implements (Int)=>Int, (Double)=>Double {
        @CUDA public operator this(x:Int):Int = k * x + c;
        @CUDA public operator this(x:Double):Double = k * x - c;
    }
    static struct Odd implements (Int)=>Boolean {
        @CUDA public operator this(x:Int):Boolean = x % 2n != 0n;
    }

    @CUDA static def fold[T,O](op:O, r:Rail[T], from:Int, step:Int){O <: Op[T]}:T {
        var x:T = op.neutral();
        for (var i:Long = from; i < r.size; i += step) x = op.apply(x, r(i));
        return x;
    }
    static def get[T](g:GlobalRail[T]){T haszero}:Rail[T] {
        val r = new Rail[T](g.size);
        finish Rail.asyncCopy(g, 0, r, 0, g.size);
        CUDAUtilities.deleteGlobalRail(g);
        return r;
    }
    static def reduce[T,O](p:Place, op:O, r:Rail[T]){T haszero, O <: Op[T]}:T {
        val part = CUDAUtilities.makeGlobalRail[T](p, 4), neutral = op.neutral();
        finish async at (p) @CUDA {
            finish for (b in 0n..3n) async {
                val s = new Rail[T](32, neutral);
                clocked finish for (t in 0n..31n) clocked async {
                    s(t) = fold[T,O](op, r, b * 32n + t, 128n);
                    for (var h:Int = 16n; h > 0n; h >>= 1n) {
                        Clock.advanceAll();
                        if (t < h) s(t) = op.apply(s(t), s(t + h));
                    }
                    if (t == 0n) part(b) = s(0);
                }
            }
        }
        return fold[T,O](op, get[T](part), 0n, 1n);
    }
    /** The library's own. */
    static def reduced[T,R](p:Place, op:R, r:Rail[T]){T haszero, R <: Reducible[T]}:T {
        val part = CUDAUtilities.makeGlobalRail[T](p, 64), n = r.size;
        finish async at (p) @CUDA {
            finish for (b in 0n..1n) async clocked finish for (t in 0n..31n) clocked async {
                var x:T = op.zero();
                for (var i:Long = b * 32 + t; i < n; i += 64) x = op(x, r(i));
                part(b * 32 + t) = x;
            }
        }
        return RailUtils.reduce(get[T](part), (a:T, b:T) => op(a, b), op.zero());
    }
    static def power[T](p:Place, r:Rail[T], n:Int){T haszero, T <: Arithmetic[T]}:Rail[T] {
        val out = CUDAUtilities.makeGlobalRail[T](p, r.size), size = r.size;
        finish async at (p) @CUDA finish for (b in 0n..((size as Int - 1n) / 16n)) async clocked finish for (t in 0n..15n) clocked async {
            val i = b * 16 + t;
            if (i < size) { var x:T = r(i); for (k in 2n..n) x = x * r(i); out(i) = -x; }
        }
        return get[T](out);
    }
    static class Mapper[A,B,F]{A haszero, B haszero, F <: Map[A,B]} {
        val f:F;
        def this(f:F) { this.f = f; }
        def all(p:Place, r:Rail[A]):Rail[B] {
            val out = CUDAUtilities.makeGlobalRail[B](p, r.size), n = r.size, f = this.f;
            finish async at (p) @CUDA finish for (b in 0n..((n as Int - 1n) / 8n)) async clocked finish for (t in 0n..7n) clocked async {
                val i = b * 8n + t;
                if (i < n) out(i) = f.of[Long](i, r(i), 3);
            }
            return get[B](out);
        }
    }
    static def count[T,P](p:Place, is:P, r:Rail[T]){T haszero, P <: (T)=>Boolean}:Int {
        val out = CUDAUtilities.makeGlobalRail[Int](p, 1), n = r.size;
        finish async at (p) @CUDA finish for (b in 0n..2n) async clocked finish for (t in 0n..31n) clocked async {
            val i = b * 32n + t;
            val all = CUDABlock.count(i < n && is(r(i < n ? i : 0n)));
            if (t == 0n) CUDAAtomic.add(out, 0, all);
        }
        return get[Int](out)(0);
    }
    static def apply[T,F](p:Place, f:F, r:Rail[T]){T haszero, F <: (T)=>T}:Rail[T] {
        val out = CUDAUtilities.makeGlobalRail[T](p, r.size), n = r.size;
        finish async at (p) @CUDA finish for (b in 0n..2n) async clocked finish for (t in 0n..31n) clocked async {
            val i = b * 32n + t;
            if (i < n) out(i) = f(f(r(i)));
        }
        return get[T](out);
    }
    static def where[T](p:Place, r:Rail[T], x:T){T haszero, T <: Comparable[T]}:Rail[Int] {
        val out = CUDAUtilities.makeGlobalRail[Int](p, r.size), n = r.size;
        finish async at (p) @CUDA finish for (b in 0n..2n) async clocked finish for (t in 0n..31n) clocked async {
            val i = b * 32n + t;
            if (i < n) out(i) = (r(i) == x ? 100n : 0n) + r(i).compareTo(x);
        }
        return get[Int](out);
    }
    static struct Version(major:Byte, minor:Int) implements Comparable[Version] {
        @CUDA public def compareTo(that:Version):Int = major != that.major ? major - that.major : minor - that.minor;
    }
    static def say(name:String, ok:Boolean) { Console.OUT.println(name + (ok ? " ok" : " FAILED")); }
    public static def main(args:Rail[String]) {
        val top = PlaceTopology.getTopology();
        val p = top.numChildren(here) == 0 ? here : top.getChild(here, 0);
        val ints = new Rail[Int](1000, (i:Long) => (i - 3) as Int), longs = new Rail[Long](1000, (i:Long) => i);
        val doubles = new Rail[Double](1000, (i:Long) => (i * 37 % 1000 - 250) as Double);
        say("sums", reduce[Int,Sum[Int]](p, Sum[Int](), ints) == 496500n && reduce(p, Sum[Double](), doubles) == 249500.0
            && reduce[UByte,Sum[UByte]](p, Sum[UByte](), new Rail[UByte](300, 1uy)) == 44uy);
        say("least", reduce[Double,Least](p, Least(), doubles) == -250.0);
        say("clamped", reduce[Long,Clamped](p, Clamped(0y, 400000), longs) == 400000 && reduce[Long,Clamped](p, Clamped(0y, 500000), longs) == 499500);
        val pairs = new Rail[Two[Int,Double]](1000, (i:Long) => Two[Int,Double](ints(i), doubles(i)));
        val both = reduce[Two[Int,Double],Both[Int,Double,Sum[Int],Least]](p, Both[Int,Double,Sum[Int],Least](Sum[Int](), Least()), pairs);
        say("both", both.s == 496500n && both.t == -250.0);
        say("library", reduced[Int,Reducible.SumReducer[Int]](p, Reducible.SumReducer[Int](), ints) == 496500n
            && reduced[Double,Reducible.MaxReducer[Double]](p, Reducible.MaxReducer[Double](-1e300), doubles) == 749.0
            && reduced[Long,Reducible.MinReducer[Long]](p, Reducible.MinReducer[Long](Long.MAX_VALUE), longs) == 0
            && reduced[Boolean,Reducible.AndReducer](p, Reducible.AndReducer(), new Rail[Boolean](70, true))
            && !reduced[Boolean,Reducible.OrReducer](p, Reducible.OrReducer(), new Rail[Boolean](70)));
        val squares = power[Complex](p, new Rail[Complex](40, (i:Long) => Complex(i as Int, 1n)), 2n), cubes = power[Float](p, [1f, 2f, 3f], 3n);
        var ok:Boolean = cubes(2) == -27f;
        for (i in squares.range()) if (squares(i) != Complex(1n - (i * i) as Int, -2n * i as Int)) ok = false;
        say("powers", ok);
        val halves = new Mapper[Int,Float,Half](Half()).all(p, ints), wholes = new Mapper[Short,Int,Half](Half()).all(p, new Rail[Short](50, (i:Long) => i as Short));
        ok = true;
        for (i in halves.range()) if (halves(i) != ints(i) * 0.5f + i) ok = false;
        for (i in wholes.range()) if (wholes(i) != 2n * i as Int) ok = false;
        say("maps", ok);
        val few = new Rail[Int](77, (i:Long) => i as Int), fewer = new Rail[Double](50, (i:Long) => i * 0.25);
        val affine = apply[Int,Affine](p, Affine(3n, 2n), few), other = apply[Double,Affine](p, Affine(3n, 2n), fewer);
        ok = count[Int,Odd](p, Odd(), few) == 38n;
        for (i in affine.range()) if (affine(i) != 9n * i as Int + 8n) ok = false;
        for (i in other.range()) if (other(i) != 9.0 * 0.25 * i - 8.0) ok = false;
        say("functions", ok);
        val versions = where[Version](p, new Rail[Version](60, (i:Long) => Version((i / 10) as Byte, (i % 10) as Int)), Version(3y, 4n));
        val halfs = where[Double](p, new Rail[Double](60, (i:Long) => i * 0.5), 17.0);
        ok = true;
        for (i in versions.range()) {
            val order = i / 10 != 3 ? i / 10 - 3 : i % 10 - 4;
            if (versions(i) != (i == 34 ? 100n : order as Int) || halfs(i) != (i == 34 ? 100n : i < 34 ? -1n : 1n)) ok = false;
        }
        say("orders", ok);
    }
}
