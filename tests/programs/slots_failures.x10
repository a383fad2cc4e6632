import x10.compiler.*;
import x10.util.*;

/** What is wrong with calls of slots is raised by the finish, and the next group works. */
public class slots_failures {
    static val GOOD_TAG = 3n;

    public static def main(Rail[String]) {
        // A rank that the group has not.
        attempt("rank", ()=>{
            val group = SlotGroup.make(new SparsePlaceGroup(here), 2, 0);
            finish {
                async group.activities(here)(1).recv(0, new Rail[Int](1), 0, 1);
                group.activities(here)(0).send(99, new Rail[Int](1), 0, 1);
            }
        });
        // A receive that is too short, in a kernel; another block waits.
        attempt("length", ()=>{
            val group = SlotGroup.make(new SparsePlaceGroup(here), 1, 2);
            val place = SlotGroup.kernelPlaces(here)(0);
            val blocks = group.blocks(place);
            val me = group.activities(here)(0);
            val data = GlobalRail.allocate[Int](place, 4);
            finish {
                async at (place) @CUDA {
                    finish for (block in 0n..1n) async {
                        clocked finish for (thread in 0n..31n) clocked async {
                            val mine = blocks(block);
                            mine.recv(me.rank, data, 2 * block, 2);
                        }
                    }
                }
                me.send(blocks.firstRank(), new Rail[Int](3), 0, hidden(3));
            }
        });
        // Slots that disagree.
        attempt("root", ()=>{
            val group = SlotGroup.make(new SparsePlaceGroup(here), 2, 0);
            finish for (i in 0..1) async group.activities(here)(i).broadcast(hidden(i), new Rail[Long](5), 0, 5);
        });
        attempt("operation", ()=>{
            val group = SlotGroup.make(new SparsePlaceGroup(here), 2, 0);
            finish {
                async group.activities(here)(0).barrier();
                group.activities(here)(1).allreduce(new Rail[Int](1), 0, new Rail[Int](1), 0, 1, Team.ADD);
            }
        });
        // A block without a slot, a type that differs, an index outside.
        attempt("slot", ()=>{
            val group = SlotGroup.make(new SparsePlaceGroup(here), 0, hidden(1));
            val place = SlotGroup.kernelPlaces(here)(0);
            val blocks = group.blocks(place);
            finish async at (place) @CUDA {
                finish for (block in 0n..1n) async {
                    clocked finish for (thread in 0n..31n) clocked async {
                        blocks(block).barrier();
                    }
                }
            }
        });
        attempt("type", ()=>{
            val group = SlotGroup.make(new SparsePlaceGroup(here), 2, 0);
            finish {
                async group.activities(here)(0).send(1, new Rail[Int](1), 0, 1);
                group.activities(here)(1).recv(0, new Rail[Long](1), 0, 1);
            }
        });
        attempt("begun", ()=>{
            val group = SlotGroup.make(new SparsePlaceGroup(here), 0, 1);
            val place = SlotGroup.kernelPlaces(here)(0);
            val blocks = group.blocks(place);
            val data = GlobalRail.allocate[Int](place, 4);
            finish async at (place) @CUDA {
                finish for (block in 0n..0n) async {
                    clocked finish for (thread in 0n..31n) clocked async {
                        blocks(block).asyncRecv(0, data, 0, 1);
                    }
                }
            }
        });
        // Objects, and a tag.
        val group = SlotGroup.make(new SparsePlaceGroup(here), 2, 0);
        finish {
            async group.activities(here)(0).send(1, ["a message", "of objects"], 0, 2, GOOD_TAG);
            val room = new Rail[String](3);
            val status = group.activities(here)(1).recv(0, room, 1, 2, GOOD_TAG);
            Console.OUT.println(status + ": " + room(1) + " " + room(2));
        }
        group.delete();
    }

    /** A number that is not known before the program runs. */
    static def hidden(number:Long):Long = number;

    static def attempt(what:String, body:()=>void) {
        try {
            finish body();
            Console.OUT.println(what + ": nothing was raised");
        } catch (e:MultipleExceptions) {
            for (it in e.exceptions()) first(what, it);
        }
    }
    static def first(what:String, e:CheckedThrowable):void {
        if (e instanceof MultipleExceptions) {
            for (it in (e as MultipleExceptions).exceptions()) first(what, it);
        } else if (!(e instanceof IllegalOperationException) || what.equals("begun")) {
            val message = e.getMessage();
            // A device says block and line behind it.
            var end:Int = message.length();
            for (it in [message.indexOf(": slot"), message.indexOf("; block ")]) if (it >= 0n && it < end) end = it;
            Console.OUT.println(what + ": " + message.substring(0n, end));
        }
    }
}
