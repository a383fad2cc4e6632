// Reads and changes of objects of another place.
public class remote_objects {
    static class Cell {
        var value:Long = 1;
        var next:Cell = null;
        val all = new Rail[Long](4);
        def double():Long { value *= 2; return value; }
    }

    private val root = GlobalRef[Cell](new Cell());

    def own(q:Place) {
        at (q) {
            root().value = 5;
            root().double();
            Console.OUT.println("own " + root().value);
        }
    }

    public static def main(Rail[String]) {
        val cell = new Cell();
        cell.next = new Cell();
        val g = GlobalRef[Cell](cell);
        val numbers = GlobalRail[Long](new Rail[Long](4, (i:Long) => i));
        val q = Place.places().next(here);
        val two = 2;
        at (q) {
            g().value = 7;
            g().value += 7;
            g().value++;
            if (g().value > 3) --g().value;
            g().all(two) = two * 10 + 1;
            g().all(1) += g().all(two);
            g().next.value = g().next.value + two;
            val doubled = g().double() + 1;
            for (i in 1..numbers(two)) numbers(i) = numbers(i - 1) + i * two;
            numbers(0)--;
            Console.OUT.println(doubled + " " + g().next.value + " " + -numbers(1));
            async g().all(0) = 4;
        }
        finish at (q) async { g().all(3)++; }
        Console.OUT.println(cell.value + " " + cell.next.value + " " + cell.all(1) + " " + cell.all(2) + " " + cell.all(3));
        at (q) Console.OUT.println(numbers(0) + numbers(1) + numbers(2) + numbers(3));
        new remote_objects().own(q);
    }
}
