// Computations in steps (x10.util.resilient): at all places together, and from one place.
import x10.util.HashMap;
import x10.util.Team;
import x10.util.resilient.PlaceManager;
import x10.util.resilient.PlaceManager.ChangeDescription;
import x10.util.resilient.iterative.*;
import x10.util.resilient.localstore.Cloneable;
import x10.util.resilient.localstore.ResilientStore;
import x10.util.resilient.localstore.Snapshottable;
import x10.util.resilient.store.Store;
import x10.xrx.Runtime;

public class iterative {
    static class Number(value:Long) implements Cloneable {
        public def clone():Cloneable = new Number(value);
    }

    /** Adds up 1 to 10, a part at each place. */
    static class Sum implements SPMDResilientIterativeApp {
        val step = PlaceLocalHandle.make[Cell[Long]](Place.places(), () => new Cell[Long](0));
        val sums = PlaceLocalHandle.make[Cell[Long]](Place.places(), () => new Cell[Long](0));

        public def isFinished_local():Boolean = step()() == 10;
        public def step_local():void {
            step()() = step()() + 1;
            if (step()() % Place.numPlaces() == here.id) sums()() = sums()() + step()();
        }
        public def getCheckpointData_local() = new HashMap[String,Cloneable]();
        public def remake(changes:ChangeDescription, newTeam:Team):void {}
        public def restore_local(restoreDataMap:HashMap[String,Cloneable], lastCheckpointIter:Long):void {}
        def total():Long {
            val parts = sums;
            var total:Long = 0;
            for (p in Place.places()) total += at (p) parts()();
            return total;
        }
    }

    static class Halves implements GlobalResilientIterativeApp, Snapshottable {
        var rest:Double = 1.0;

        public def isFinished():Boolean = rest < 0.01;
        public def step():void { rest /= 2.0; }
        public def checkpoint(store:ApplicationSnapshotStore):void { store.save("rest", this); }
        public def remake(changes:ChangeDescription, lastCkptIter:Long):void {}
        public def makeSnapshot_local():Cloneable = new Number(1);
        public def restoreSnapshot_local(snapshot:Cloneable):void {}
    }

    public static def main(Rail[String]) {
        val sum = new Sum();
        val together = new SPMDResilientIterativeExecutor(5, 0, false, false);
        together.run(sum);
        Console.OUT.println(sum.total() + " " + together.activePlaces().equals(Place.places()));

        val halves = new Halves();
        new GlobalResilientIterativeExecutor(0, 0, false).run(halves);
        Console.OUT.println(halves.rest);

        val changes = new PlaceManager().rebuildActivePlaces();
        Console.OUT.println(changes.somethingChanged() + " " + changes.removedPlaces.size());

        val store = Store.make[Number]("numbers", Place.places());
        val last = Place.places()(Place.numPlaces() - 1);
        store.set2("one", new Number(1), last, "two", new Number(2));
        Console.OUT.println(store.get("one").value + " " + store.getRemote(last, "two").value + " " + store.get("three"));
        val map = ResilientStore.make(Place.places()).makeMap("more");
        map.set("a", new Number(7));
        map.delete("b");
        Console.OUT.println((map.get("a") as Number).value + " " + map.keySet().size());

        val job = Runtime.submit(() => { for (p in Place.places()) at (p) async System.sleep(1); });
        job.await();
        val failing = Runtime.submit(() => { throw new Exception("no"); });
        try { failing.await(); } catch (e:MultipleExceptions) { Console.OUT.println(e.exceptions(0)); }

        val congruent = Runtime.MemoryAllocator.requestAllocator(false, true);
        val made = PlaceLocalHandle.make[Rail[Long]](Place.places(), () => {
            val rail = new Rail[Long](4, congruent);
            rail(0) = 10 + Place.numPlaces() - here.id;
            return rail;
        });
        val sibling = Unsafe.getCongruentSibling(made() as Rail[Long]{self!=null}, last);
        val copy = new Rail[Long](4);
        finish Rail.asyncCopy(sibling, 0, copy, 0, 4);
        Console.OUT.println(copy + " " + (sibling.home() == last));
        Console.OUT.println(new Rail[Double](2, Runtime.MemoryAllocator.DEFAULT_ALLOCATOR));
    }
}
