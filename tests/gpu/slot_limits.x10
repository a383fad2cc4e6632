// status: 0
import x10.compiler.CUDA;
import x10.util.*;

/** What a device cannot do with slots is an exception at the finish, and the device continues. */
public class slot_limits {
    static def said(name:String, needles:Rail[String], run:()=>void) {
        try {
            run();
            Console.OUT.println(name + " WRONG: no exception");
        } catch (e:MultipleExceptions) {
            look(name, needles, e);
        }
    }
    static def look(name:String, needles:Rail[String], e:CheckedThrowable):void {
        if (e instanceof MultipleExceptions) {
            for (it in (e as MultipleExceptions).exceptions()) look(name, needles, it);
        } else {
            val message = e.getMessage();
            for (needle in needles) {
                if (message.indexOf(needle) >= 0n) Console.OUT.println(name + ": " + needle);
            }
        }
    }

    static def barrier(p:Place, blocks:Int) {
        val group = SlotGroup.make([SlotsAt(p, 0, blocks as Long)]);
        val slots = group.blocks(p);
        finish async at (p) @CUDA {
            finish for (block in 0n..(blocks - 1n)) async {
                clocked finish for (thread in 0n..255n) clocked async {
                    slots(block).barrier();
                    slots(block).barrier();
                }
            }
        }
        group.delete();
    }

    public static def main(args:Rail[String]) {
        val p = PlaceTopology.getTopology().getChild(here, 0);
        said("grid", ["100000 blocks that make calls of slots", "at the same time", "residentBlocks"], ()=>{ barrier(p, 100000n); });
        barrier(p, 132n);
        Console.OUT.println("usable");

        // A second kernel while the first waits for a message.
        said("second", ["one at a time"], ()=>{
            val group = SlotGroup.make([SlotsAt(here, 1, 0), SlotsAt(p, 0, 1)]);
            val slots = group.blocks(p);
            val me = group.activities(here)(0);
            val data = GlobalRail.allocate[Int](p, 1);
            finish {
                async at (p) @CUDA {
                    finish for (block in 0n..0n) async {
                        clocked finish for (thread in 0n..31n) clocked async {
                            slots(block).barrier();
                            slots(block).recv(0, data, 0, 1);
                        }
                    }
                }
                me.barrier();
                try {
                    barrier(p, 1n);
                } finally {
                    me.send(1, new Rail[Int](1), 0, 1);
                }
            }
        });

        // A check fails in one block; the others wait for it.
        said("check", ["Index 7 out of range (Rail size 4)"], ()=>{
            val group = SlotGroup.make([SlotsAt(p, 0, 3)]);
            val slots = group.blocks(p);
            val data = GlobalRail.allocate[Int](p, 4);
            finish async at (p) @CUDA {
                finish for (block in 0n..2n) async {
                    clocked finish for (thread in 0n..31n) clocked async {
                        slots(block).barrier();
                        if (block == 1n && thread == 3n) data(thread + 4) = thread;
                        slots(block).barrier();
                    }
                }
            }
        });

        // A range that is not in its rail.
        said("range", ["5 elements for each of 1 from index 0 on are not within a rail of 4"], ()=>{
            val group = SlotGroup.make([SlotsAt(p, 0, 2)]);
            val slots = group.blocks(p);
            val data = GlobalRail.allocate[Int](p, 4);
            finish async at (p) @CUDA {
                finish for (block in 0n..1n) async {
                    clocked finish for (thread in 0n..31n) clocked async {
                        slots(block).recv(Slot.ANY_SOURCE, data, 0, 5);
                    }
                }
            }
        });
        barrier(p, 132n);
        Console.OUT.println("usable");
    }
}
