import x10.compiler.*;
import x10.util.*;

// places: 2
// status: 1
// stderr: apg: place 1 ended unexpectedly

/** A place ends while a kernel of another one waits for its message: one error says so, and the program ends. */
public class slots_lost {
    public static def main(Rail[String]) {
        val kernelPlace = SlotGroup.kernelPlaces(here)(0);
        val other = Place.places()(1);
        val group = SlotGroup.make([SlotsAt(other, 1, 0), SlotsAt(kernelPlace, 0, 2)]);
        val blocks = group.blocks(kernelPlace);
        val data = GlobalRail.allocate[Long](kernelPlace, 2);
        Console.OUT.println("the kernel starts");
        Console.OUT.flush();
        finish {
            at (other) async {
                val room = new Rail[Long](1);
                group.activities(here)(0).recv(Slot.ANY_SOURCE, room, 0, 1);
                System.killHere();
            }
            async at (kernelPlace) @CUDA {
                finish for (block in 0n..1n) async {
                    clocked finish for (thread in 0n..31n) clocked async {
                        if (block == 0n) blocks(block).send(0, data, 0, 1);
                        blocks(block).recv(0, data, block, 1);
                    }
                }
            }
        }
        Console.OUT.println("not reached");
    }
}
