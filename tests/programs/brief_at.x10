import x10.io.CustomSerialization;
import x10.io.Deserializer;
import x10.io.Serializer;
import x10.util.concurrent.AtomicLong;

/** Bodies of `at` that may run where their message is read give what others give: values, exceptions, what copies itself, many at once. */
public class brief_at {
    static class Point(x:Long, y:Long) {
        def this(x:Long, y:Long) { property(x, y); }
    }

    /** Counts how it travels. */
    static class Parcel implements CustomSerialization {
        val trips:Long;
        def this(trips:Long) { this.trips = trips; }
        def this(from:Deserializer) { this.trips = (from.readAny() as Long) + 1; }
        public def serialize(to:Serializer) { to.writeAny(trips); }
    }

    static class Odd extends Exception {
        val parcel:Parcel;
        def this(parcel:Parcel) { super("odd"); this.parcel = parcel; }
    }

    static def attempt(name:String, body:()=>Long) {
        try {
            Console.OUT.println(name + ": " + body());
        } catch (e:Odd) {
            Console.OUT.println(name + ": " + e.getMessage() + (e.parcel.trips > 0 ? ", and has travelled" : ", here all along"));
        } catch (e:ArithmeticException) {
            Console.OUT.println(name + ": an ArithmeticException");
        } catch (e:ArrayIndexOutOfBoundsException) {
            Console.OUT.println(name + ": an ArrayIndexOutOfBoundsException");
        } catch (e:NullPointerException) {
            Console.OUT.println(name + ": a NullPointerException");
        }
    }

    public static def main(Rail[String]) {
        val next = Place.places().next(here);
        val zero = Long.parse("0");
        attempt("a place", () => at (next) here.id == next.id ? 1 : 0);
        attempt("a quotient", () => at (next) 7 / zero);
        attempt("an element", () => { val rail = new Rail[Long](3, (i:Long) => i * i); return at (next) rail(2 + zero); });
        attempt("no element", () => { val rail = new Rail[Long](3); return at (next) rail(3 + zero); });
        attempt("nothing", () => { val p:Point = zero == 1 ? new Point(1, 2) : null; return at (next) p.x; });
        attempt("an object", () => { val p = at (next) new Point(3 + zero, 4); return p.x * 10 + p.y; });
        attempt("a parcel there", () => { val p = new Parcel(0); return at (next) p.trips; });
        attempt("a parcel there and back", () => { val p = new Parcel(0); return (at (next) p).trips; });
        attempt("a parcel in an exception", () => {
            val p = new Parcel(zero);
            at (next) { if (zero == 0) throw new Odd(p); }
            return 0;
        });
        val rail = new Rail[Long](100000, (i:Long) => i);
        attempt("a long rail there and back", () => (at (next) rail)(99999));
        // All places at once, each to all others, with what makes the collector run.
        val count = GlobalRef(new AtomicLong(0));
        finish for (p in Place.places()) async at (p) {
            for (i in 1..2000) {
                val q = Place((here.id + i) % Place.numPlaces());
                val box = new Rail[Long](200, (j:Long) => i + j);
                val sum = at (q) box(0) + box(199);
                if (sum != 2 * i + 199) Console.OUT.println("wrong: " + sum);
                at (count.home) { count().incrementAndGet(); }
            }
        }
        Console.OUT.println(count().get() == 2000 * Place.numPlaces() ? "all counted" : "some are missing");
        // A body that starts something is not brief, and its finish waits.
        val more = new AtomicLong(0);
        val known = GlobalRef(more);
        finish for (i in 1..100) at (next) { async at (known.home) known().incrementAndGet(); }
        Console.OUT.println(more.get());
        // An activity that has gone on works while messages come.
        val busy = new AtomicLong(0);
        val from = GlobalRef(busy);
        finish {
            async for (i in 1..20) at (next) { at (from.home) from().incrementAndGet(); }
            at (next) { }
            var x:Long = 0;
            for (i in 1..30000000) x += i % 7;
            Console.OUT.println(x);
        }
        Console.OUT.println(busy.get());
    }
}
