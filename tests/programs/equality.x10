/** `==`: operands are evaluated whatever their type turns out to be, values are equal if all that they hold is, behind `Any` and
    interfaces too, and no `equals` of the program is asked. */
import x10.util.ArrayList;
import x10.util.HashMap;
import x10.util.Pair;

public class equality {
    static interface Sided {}
    static struct Square(side:Long) implements Sided {}
    static struct Circle(side:Long) implements Sided {}
    static struct Holder(held:Any) {}
    static struct OfSided(held:Sided) {}
    static struct Optional[T] {
        val value:T;
        def this(value:T) {
            this.value = value;
        }
    }
    static struct Mixed[A, B](number:Long) {
        val first:A;
        val second:B;
        def this(number:Long, first:A, second:B) {
            property(number);
            this.first = first;
            this.second = second;
        }
    }
    static struct Lenient(value:Long) implements Sided {
        public def equals(that:Any):Boolean = true;
        public def hashCode():Int = 1n;
    }
    static class Item {
        public def equals(that:Any):Boolean = true;
        public def hashCode():Int = 1n;
    }

    static class Asked[T] {
        val value:() => T;
        def this(value:() => T) {
            this.value = value;
        }
        def answers():String = (value() == null) + " " + (value() != null) + " " + (null == value());
    }

    static def nulls() {
        val calls = new Cell[Long](0);
        val five = () => {
            calls() = calls() + 1;
            return 5;
        };
        val none = () => {
            calls() = calls() + 1;
            return null as String;
        };
        Console.OUT.println(new Asked[Long](five).answers() + ", calls: " + calls());
        Console.OUT.println(new Asked[String](none).answers() + ", calls: " + calls());
    }

    static def same[T](a:T, b:T) = a == b;

    static def show(what:String, answers:Rail[Boolean]) {
        var line:String = what + ":";
        for (answer in answers) line += " " + answer;
        Console.OUT.println(line);
    }

    static def fields() {
        show("any", [Holder(5) == Holder(5), Holder(5) == Holder(6), Holder(5) == Holder(5n), Holder(5) != Holder(5),
            Holder(5).equals(Holder(5)), Holder(null) == Holder(null), Holder(null) == Holder(5), Holder(5) == Holder(null)]);
        show("interface", [OfSided(Square(1)) == OfSided(Square(1)), OfSided(Square(1)) == OfSided(Circle(1))]);
        show("parameter", [Optional[Any](1) == Optional[Any](1), Optional[Long](1) == Optional[Long](1),
            Optional[Comparable[Long]](1) == Optional[Comparable[Long]](2)]);
        show("nested", [Optional[Optional[Any]](Optional[Any](2)) == Optional[Optional[Any]](Optional[Any](2)),
            Optional[Any](Optional[Any](2)) == Optional[Any](Optional[Any](2)),
            Optional[Any](Optional[Any](2)) == Optional[Any](Optional[Any](3))]);
        val item = new Item();
        show("objects", [Holder(item) == Holder(item), Holder(item) == Holder(new Item())]);
        val mixed = Mixed[Any,String](1, 2, "q");
        show("mixed", [mixed == Mixed[Any,String](1, 2, "q"), mixed == mixed, mixed == Mixed[Any,String](2, 2, "q")]);
    }

    static def containers() {
        val map = new HashMap[Pair[Any,Any],Long]();
        map(Pair[Any,Any](1, 2)) = 3;
        show("keys", [map.containsKey(Pair[Any,Any](1, 2)), map.containsKey(Pair[Any,Any](1, 3))]);
        val list = new ArrayList[Optional[Any]]();
        list.add(Optional[Any](1));
        show("list", [list.contains(Optional[Any](1)), list.contains(Optional[Any](2))]);
    }

    static def behindAny() {
        val one:Any = Lenient(1);
        val two:Any = Lenient(2);
        val sided:Sided = Lenient(1);
        show("own equals", [one == two, one == Lenient(1), sided == Lenient(2) as Sided, Lenient(1) == Lenient(2), one.equals(two)]);
        show("in fields", [Holder(one) == Holder(two), Holder(one) == Holder(Lenient(1)), Holder(one).equals(Holder(two))]);
        val item:Any = new Item();
        show("own equals of objects", [item == new Item() as Any, item == item, item == one, one == item]);
        val held:Any = Holder(5);
        show("generic", [same[Any](held, Holder(5)), same[Any](5, 5), same[Any](5, 5n), same[Sided](Square(1), Square(1)),
            same[Holder](Holder(2), Holder(2))]);
        val odd:Any = Double.NaN;
        show("no number", [odd == odd, Double.NaN == Double.NaN, Holder(odd) == Holder(odd)]);
    }

    public static def main(args:Rail[String]) {
        nulls();
        fields();
        containers();
        behindAny();
    }
}
