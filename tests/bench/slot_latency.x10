import x10.compiler.*;
import x10.util.*;

/**
 * Times of messages between blocks of a kernel, with an activity of this host, and between the blocks of two accelerators: round trips by
 * size, collective operations, and messages of many blocks to one activity and to each other.
 *
 * apg run slot_latency.x10 --accels all [-- BLOCKS]
 */
public class slot_latency {
    static ROUNDS = 2000;
    static SIZES = [0, 8, 1024, 8192, 16384, 65536, 1048576, 16777216];
    static DEVICE_SIZES = [0, 8, 1024, 8192, 16384, 65536, 262144, 1048576, 67108864];

    public static def main(args:Rail[String]) {
        val blocks = args.size > 0 ? Int.parse(args(0)) : 132n;
        val place = SlotGroup.kernelPlaces(here)(0);
        for (size in SIZES) roundTrip(place, size);
        for (size in SIZES) if (size <= 1048576) betweenBlocks(place, size);
        if (SlotGroup.kernelPlaces(here).size > 1) for (size in DEVICE_SIZES) betweenDevices(size);
        barrier(place, blocks);
        blocksAlone(place, blocks);
        rate(place, blocks);
        rateBetweenBlocks(place, blocks);
    }

    static def roundTrip(place:Place, size:Long) {
        val rounds = size > 100000 ? ROUNDS / 50 : ROUNDS;
        val group = SlotGroup.make([SlotsAt(here, 1, 0), SlotsAt(place, 0, 1)]);
        val blocks = group.blocks(place);
        val me = group.activities(here)(0);
        val data = GlobalRail.allocate[Byte](place, 2 * size);
        val own = new Rail[Byte](size);
        var nanoseconds:Long = 0;
        finish {
            async at (place) @CUDA {
                finish for (block in 0n..0n) async {
                    clocked finish for (thread in 0n..127n) clocked async {
                        val mine = blocks(block);
                        for (var round:Long = 0; round <= rounds; ++round) {
                            mine.sendRecv(0, data, 0, size, 0, data, size, size);
                        }
                    }
                }
            }
            // The first waits until the kernel runs.
            for (round in 0..rounds) {
                if (round == 1) nanoseconds = -System.nanoTime();
                me.recv(1, own, 0, size);
                me.send(1, own, 0, size);
            }
            nanoseconds += System.nanoTime();
        }
        data.free();
        group.delete();
        val trip = nanoseconds / 1e3 / rounds;
        Console.OUT.println("from a block to an activity and back, " + size + " bytes: " + trip + " us" + (size > 0 ? ", " + (2e-3 * size / trip) + " GB/s" : ""));
    }

    /** Two blocks of one kernel, with the launch. */
    static def betweenBlocks(place:Place, size:Long) {
        val rounds = size > 100000 ? ROUNDS / 50 : ROUNDS;
        val group = SlotGroup.make([SlotsAt(place, 0, 2)]);
        val blocks = group.blocks(place);
        val data = GlobalRail.allocate[Byte](place, 2 * size);
        val run = (rounds:Long) => {
            finish async at (place) @CUDA {
                finish for (block in 0n..1n) async {
                    clocked finish for (thread in 0n..127n) clocked async {
                        val mine = blocks(block);
                        for (var round:Long = 0; round < rounds; ++round) {
                            if (block == 0n) mine.send(1, data, 0, size);
                            mine.recv(1 - block, data, block * size, size);
                            if (block == 1n) mine.send(0, data, size, size);
                        }
                    }
                }
            }
        };
        run(1);
        val begun = System.nanoTime();
        run(rounds);
        val trip = (System.nanoTime() - begun) / 1e3 / rounds;
        data.free();
        group.delete();
        Console.OUT.println("from a block to another and back, " + size + " bytes: " + trip + " us");
    }

    /** Blocks of the kernels of two accelerators. */
    static def betweenDevices(size:Long) {
        val rounds = size > 100000 ? ROUNDS / 50 : ROUNDS;
        val places = SlotGroup.kernelPlaces(here);
        val group = SlotGroup.make([SlotsAt(here, 1, 0), SlotsAt(places(0), 0, 1), SlotsAt(places(1), 0, 1)]);
        val me = group.activities(here)(0);
        val ended = new Rail[Byte](1);
        var nanoseconds:Long = 0;
        finish {
            for (g in 0..1) async {
                val place = places(g);
                val blocks = group.blocks(place);
                val data = GlobalRail.allocate[Byte](place, 2 * size);
                finish async at (place) @CUDA {
                    finish for (block in 0n..0n) async {
                        clocked finish for (thread in 0n..255n) clocked async {
                            val mine = blocks(block);
                            for (var round:Long = 0; round <= rounds; ++round) {
                                if (g == 0) mine.send(2, data, 0, size);
                                mine.recv(2 - g, data, size, size);
                                if (g == 1) mine.send(1, data, size, size);
                                // The first waits until both kernels run.
                                if (g == 0 && (round == 0 || round == rounds)) mine.send(0, data, 0, 0);
                            }
                        }
                    }
                }
                data.free();
            }
            me.recv(1, ended, 0, 0);
            nanoseconds = -System.nanoTime();
            me.recv(1, ended, 0, 0);
            nanoseconds += System.nanoTime();
        }
        group.delete();
        val trip = nanoseconds / 1e3 / rounds;
        Console.OUT.println("from an accelerator to another and back, " + size + " bytes: " + trip + " us" + (size > 0 ? ", " + (2e-3 * size / trip) + " GB/s" : ""));
    }

    static def barrier(place:Place, count:Int) {
        val group = SlotGroup.make([SlotsAt(here, 1, 0), SlotsAt(place, 0, count as Long)]);
        val blocks = group.blocks(place);
        val me = group.activities(here)(0);
        var nanoseconds:Long = 0;
        finish {
            async at (place) @CUDA {
                finish for (block in 0n..(count - 1n)) async {
                    clocked finish for (thread in 0n..127n) clocked async {
                        for (var round:Long = 0; round <= ROUNDS; ++round) blocks(block).barrier();
                    }
                }
            }
            for (round in 0..ROUNDS) {
                if (round == 1) nanoseconds = -System.nanoTime();
                me.barrier();
            }
            nanoseconds += System.nanoTime();
        }
        group.delete();
        Console.OUT.println("barrier of " + count + " blocks and an activity: " + (nanoseconds / 1e3 / ROUNDS) + " us");
    }

    /** Barriers and broadcasts of the blocks of one kernel, with the launch. */
    static def blocksAlone(place:Place, count:Int) {
        val group = SlotGroup.make([SlotsAt(place, 0, count as Long)]);
        val blocks = group.blocks(place);
        val data = GlobalRail.allocate[Long](place, 1024 * count);
        val barriers = (rounds:Long) => {
            finish async at (place) @CUDA {
                finish for (block in 0n..(count - 1n)) async {
                    clocked finish for (thread in 0n..127n) clocked async {
                        for (var round:Long = 0; round < rounds; ++round) blocks(block).barrier();
                    }
                }
            }
        };
        val broadcasts = (rounds:Long) => {
            finish async at (place) @CUDA {
                finish for (block in 0n..(count - 1n)) async {
                    clocked finish for (thread in 0n..127n) clocked async {
                        for (var round:Long = 0; round < rounds; ++round) blocks(block).broadcast(0, data, 1024 * block, 1024);
                    }
                }
            }
        };
        val sums = (rounds:Long) => {
            finish async at (place) @CUDA {
                finish for (block in 0n..(count - 1n)) async {
                    clocked finish for (thread in 0n..127n) clocked async {
                        for (var round:Long = 0; round < rounds; ++round) blocks(block).allreduce(data, 1024 * block, data, 1024 * block, 1024, Team.MAX);
                    }
                }
            }
        };
        barriers(1);
        var begun:Long = System.nanoTime();
        barriers(ROUNDS);
        Console.OUT.println("barrier of " + count + " blocks: " + ((System.nanoTime() - begun) / 1e3 / ROUNDS) + " us");
        broadcasts(1);
        begun = System.nanoTime();
        broadcasts(ROUNDS);
        Console.OUT.println("broadcast of 8 KiB to " + count + " blocks: " + ((System.nanoTime() - begun) / 1e3 / ROUNDS) + " us");
        sums(1);
        begun = System.nanoTime();
        sums(ROUNDS);
        Console.OUT.println("allreduce of 8 KiB of " + count + " blocks: " + ((System.nanoTime() - begun) / 1e3 / ROUNDS) + " us");
        data.free();
        group.delete();
    }

    /** Each block sends to the next and receives from the one before, with the launch. */
    static def rateBetweenBlocks(place:Place, count:Int) {
        val group = SlotGroup.make([SlotsAt(place, 0, count as Long)]);
        val blocks = group.blocks(place);
        val data = GlobalRail.allocate[Long](place, 2 * count);
        val run = (rounds:Long) => {
            finish async at (place) @CUDA {
                finish for (block in 0n..(count - 1n)) async {
                    clocked finish for (thread in 0n..127n) clocked async {
                        for (var round:Long = 0; round < rounds; ++round) {
                            blocks(block).sendRecv((block + 1n) % count, data, block, 1, (block + count - 1n) % count, data, count + block, 1);
                        }
                    }
                }
            }
        };
        run(1);
        val begun = System.nanoTime();
        run(ROUNDS);
        val nanoseconds = System.nanoTime() - begun;
        data.free();
        group.delete();
        Console.OUT.println("messages between " + count + " blocks: " + (1e3 * ROUNDS * count / nanoseconds) + " million a second");
    }

    static def rate(place:Place, count:Int) {
        val group = SlotGroup.make([SlotsAt(here, 1, 0), SlotsAt(place, 0, count as Long)]);
        val blocks = group.blocks(place);
        val me = group.activities(here)(0);
        val data = GlobalRail.allocate[Long](place, count);
        var nanoseconds:Long = 0;
        finish {
            async at (place) @CUDA {
                finish for (block in 0n..(count - 1n)) async {
                    clocked finish for (thread in 0n..127n) clocked async {
                        blocks(block).barrier();
                        for (var round:Long = 0; round < ROUNDS; ++round) blocks(block).send(0, data, block, 1);
                    }
                }
            }
            me.barrier();
            val room = new Rail[Long](1);
            nanoseconds = -System.nanoTime();
            for (message in 1..(ROUNDS * count)) me.recv(Slot.ANY_SOURCE, room, 0, 1);
            nanoseconds += System.nanoTime();
        }
        data.free();
        group.delete();
        Console.OUT.println("messages of " + count + " blocks to one activity: " + (1e3 * ROUNDS * count / nanoseconds) + " million a second");
    }
}
