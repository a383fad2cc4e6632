import x10.compiler.*;
import x10.util.*;

/** Calls beyond what slots allow: one clear exception each, and the next group works. */
public class slots_limits {
    public static def main(Rail[String]) {
        attempt("outstanding", ()=>{
            val group = SlotGroup.make(new SparsePlaceGroup(here), 2, 0);
            val me = group.activities(here)(0);
            val buffer = new Rail[Byte](1);
            for (i in 1..100000) me.asyncSend(1, buffer, 0, 1);
        });
        attempt("two blocks", ()=>{
            val group = SlotGroup.make(new SparsePlaceGroup(here), 1, 2);
            val place = SlotGroup.kernelPlaces(here)(0);
            val blocks = group.blocks(place);
            val me = group.activities(here)(0);
            val data = GlobalRail.allocate[Int](place, 2);
            val same = me.rank * 2;
            // Both blocks wait in calls of one slot.
            finish async at (place) @CUDA {
                finish for (block in 0n..1n) async {
                    clocked finish for (thread in 0n..31n) clocked async {
                        blocks(same * block).recv(me.rank, data, block, 1);
                    }
                }
            }
        });
        val group = SlotGroup.make(new SparsePlaceGroup(here), 2, 0);
        val sums = new Rail[Long](2);
        finish for (i in 0..1) async group.activities(here)(i).allreduce([i + 1], 0, sums, i, 1, Team.ADD);
        Console.OUT.println("afterwards: " + sums);
        group.delete();
    }

    static def attempt(what:String, body:()=>void) {
        try {
            finish body();
            Console.OUT.println(what + ": nothing was raised");
        } catch (e:MultipleExceptions) {
            for (it in e.exceptions()) first(what, it);
        }
    }

    /** The failure itself, not those of calls in the group that has failed. */
    static def first(what:String, e:CheckedThrowable):void {
        if (e instanceof MultipleExceptions) {
            for (it in (e as MultipleExceptions).exceptions()) first(what, it);
        } else if (!e.getMessage().startsWith("the group of slots has failed")) {
            val message = e.getMessage();
            // Which block waits first is open.
            val begin = message.indexOf("a slot belongs");
            // A device says block and line behind it.
            val end = message.indexOf("; block ");
            Console.OUT.println(what + ": " + message.substring(begin < 0n ? 0n : begin, end < 0n ? message.length() : end));
        }
    }
}
