import x10.util.GrowableRail;
import x10.compiler.WorkerLocal;

/** What MultipleExceptions can be asked, and small things of x10.lang. */
public class many_exceptions {
  static def show(what:String, value:Any) { Console.OUT.println(what + ": " + value); }
  static def raising():MultipleExceptions {
    try {
      finish {
        async throw new IllegalArgumentException("a");
        async { finish { async throw new IllegalStateException("b"); async throw new IllegalArgumentException("c"); } }
        async throw new UnsupportedOperationException("d");
      }
    } catch (e:MultipleExceptions) { return e; }
    return null;
  }
  public static def main(Rail[String]) {
    val all = raising();
    show("all", all.exceptions().size + " " + all.flatten().exceptions().size);
    show("typed", all.getExceptionsOfType[IllegalArgumentException]().size + " " + all.getExceptionsOfType[IllegalArgumentException](false).size);
    show("left", all.filterExceptionsOfType[IllegalArgumentException]().flatten().exceptions().size + " " + all.filterExceptionsOfType[Exception](false));
    show("none", MultipleExceptions.make(null as CheckedThrowable) + " " + MultipleExceptions.make(new GrowableRail[CheckedThrowable]()));
    val seen = new Cell[Long](0);
    try {
      MultipleExceptions.operator try[IllegalArgumentException](()=>{ throw raising(); }, (found:Rail[IllegalArgumentException])=>{ seen() = found.size; }, ()=>{ seen.value += 10; });
    } catch (e:MultipleExceptions) { show("rest", e.flatten().exceptions().size + " " + seen()); }
    MultipleExceptions.operator try[IllegalStateException,CheckedThrowable](()=>{ throw raising(); },
      (found:IllegalStateException)=>{ show("state", found.getMessage()); }, (found:CheckedThrowable)=>{ show("other", found instanceof Exception); });
    show("wrapped", Exception.ensureException(new Error("x")).typeName() + " " + Exception.ensureException(new Exception("y")).getMessage());

    val next = Place.places().next(here);
    val cell = GlobalCell.make[Long](5);
    at (next) { cell() = cell() + 1; }
    show("cell", cell());
    val ref = GlobalRef[Cell[Long]](new Cell[Long](7));
    show("ref", at (next) ref.getLocalOrCopy()() + ref.evalAtHome[Long]((c:Cell[Long])=>c() * 2));
    val rail = new GlobalRail[Long](new Rail[Long](2));
    finish for (p in Place.places()) at (p) async { GlobalRail.remoteAdd(rail, 0, 5); GlobalRail.remoteOr(rail, 1, 6); GlobalRail.remoteXor(rail, 1, 0); }
    show("remote", (rail()(0) == 5 * Place.numPlaces()) + " " + rail()(1));
    val source = [1, 2, 3];
    val done = new Cell[Boolean](false);
    val target = new GlobalRail[Long](new Rail[Long](3));
    Rail.uncountedCopy(source, 0, target, 0, 3, ()=>{ atomic done() = true; });
    when (done()) { }
    show("copied", target());
    val handle = PlaceLocalHandle.make[Cell[Long]](Place.places(), ()=>new Cell[Long](here.id));
    show("handle", at (next) handle()() == next.id);
    val sum = new Accumulator[Long](Reducible.SumReducer[Long]());
    finish for (p in Place.places()) at (p) async { sum <- 3; sum <- 4; }
    show("sum", sum() == 7 * Place.numPlaces());
    val mine = new WorkerLocal[Cell[Long]](()=>new Cell[Long](0));
    finish for (i in 1..100) async mine().value++;
    show("worker", mine.reduce((a:Cell[Long], b:Cell[Long])=>new Cell[Long](a() + b()))());
    show("environment", System.getenv().containsKey("PATH") + " " + System.getenv("PATH").equals(System.getenv()("PATH")));
    show("sparse", new SparsePlaceGroup([here, next]).indexOf(here) + " " + new SparsePlaceGroup(Place.places()).equals(Place.places()));
  }
}
