/** Collecting finish: values offered by activities at all places, by methods, in generic code, one inside another. */
public class collecting_finish {
    static def upTo(n:Long) offers Long { for (i in 1..n) async offer i; }

    static class Pairwise[T] {
        def both(a:T, b:T) offers T { offer a; offer b; }
        def reduce(r:Reducible[T], a:T, b:T):T {
            val x = finish (r) { both(a, b); both(a, b); };
            return x;
        }
    }

    static struct Joined implements Reducible[String] {
        public def zero() = "";
        public operator this(a:String, b:String) = a + b;
    }

    /** Subsets of 1..n with a sum: only where one is found something is offered, the finish is around the first call. */
    static class Subsets(wanted:Long, n:Long) {
        def search() { extend(1, 0); }
        def extend(first:Long, sum:Long) {
            found(sum);
            for (next in first..n) if (sum + next <= wanted) async extend(next + 1, sum + next);
        }
        def found(sum:Long) offers Long { if (sum == wanted) offer 1; }
        def everywhere() { for (p in Place.places()) at (p) async found(wanted); }
        def there() { at (Place.places().next(here)) found(wanted); }
        static def generic[T](p:Pairwise[T], a:T) { val both = () => { p.both(a, a); }; both(); }
        def inner() {
            val own = finish (Reducible.SumReducer[Long]()) { search(); };
            for (i in 1..own) found(wanted);
        }
    }

    static def collectedByCallers() {
        val subsets = new Subsets(10, 7);
        Console.OUT.println(finish (Reducible.SumReducer[Long]()) { subsets.search(); });
        val places = finish (Reducible.SumReducer[Long]()) { subsets.everywhere(); subsets.there(); };
        Console.OUT.println(places == Place.numPlaces() + 1);
        Console.OUT.println(finish (Joined()) { Subsets.generic[String](new Pairwise[String](), "c"); });
        Console.OUT.println(finish (Reducible.SumReducer[Long]()) { subsets.inner(); subsets.inner(); });
        try { subsets.search(); } catch (IllegalOperationException) { Console.OUT.println("nobody collects"); }
        catch (e:MultipleExceptions) { Console.OUT.println("nobody collects"); }
        try {
            val text = finish (Joined()) { subsets.there(); };
            Console.OUT.println(text);
        } catch (e:MultipleExceptions) { Console.OUT.println(e.exceptions(0).getMessage()); }
    }

    public static def main(args:Rail[String]) {
        val sum = finish (Reducible.SumReducer[Long]()) {
            for (p in Place.places()) at (p) async { for (i in 1..100) async offer i; }
            upTo(10);
        };
        Console.OUT.println(sum == 5050 * Place.numPlaces() + 55);
        Console.OUT.println(new Pairwise[Long]().reduce(Reducible.SumReducer[Long](), 4, 5));
        Console.OUT.println(new Pairwise[String]().reduce(Joined(), "a", "b"));
        val most = finish (Reducible.MaxReducer[Long](Long.MIN_VALUE)) {
            for (i in 1..20) async {
                val least = finish (Reducible.MinReducer[Long](Long.MAX_VALUE)) { for (k in i..30) async offer k; };
                offer least;
            }
        };
        Console.OUT.println(most);
        Console.OUT.println(finish (Reducible.AndReducer()) { offer true; });
        val last = (n:Long) => { finish (Reducible.SumReducer[Long]()) { upTo(n); } };
        val there = at (Place.places().next(here)) { val n = 4; finish (Reducible.SumReducer[Long]()) { upTo(n); } };
        Console.OUT.println(last(3) + " " + there);
        try {
            val lost = finish (Joined()) { async { throw new Exception("lost"); } };
            Console.OUT.println(lost);
        } catch (e:MultipleExceptions) {
            Console.OUT.println(e.exceptions(0).getMessage());
        }
        finish collectedByCallers();
    }
}
