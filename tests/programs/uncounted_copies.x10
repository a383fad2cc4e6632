// places: 1 2 4
/** The notifier of an uncounted copy runs where the elements have arrived. */
public class uncounted_copies {
    public static def main(args:Rail[String]) {
        val there = Place(Place.numPlaces() - 1);
        val done = PlaceLocalHandle.make[Cell[Boolean]](Place.places(), ()=>new Cell[Boolean](false));
        val source = new Rail[Long](100, (i:Long)=>i * i);
        val remote = at (there) new GlobalRail[Long](new Rail[Long](100));

        Rail.uncountedCopy(source, 0, remote, 0, 100, ()=>{ atomic done()() = true; });
        val last = at (there) { when (done()()) { done()() = false; } remote(99) };
        Console.OUT.println(last);

        val back = new Rail[Long](100);
        Rail.uncountedCopy(remote, 0, back, 0, 100, ()=>{ atomic done()() = true; });
        when (done()()) Console.OUT.println(back(99));
    }
}
