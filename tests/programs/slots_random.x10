import x10.util.*;

/**
 * Random programs of messages, matched by construction: each round has messages between random slots, of random sizes and tags. A slot
 * begins its receives, by source or from any source, and its sends, and waits for them in another order. What it has received is
 * the same at any number of places.
 */
public class slots_random {
    static SLOTS = 8;
    static ROUNDS = 12;
    static SEEDS = [1, 2, 3, 4, 5];
    static SIZES = [0, 1, 3, 100, 1023, 1024, 1025, 5000];
    /**
     * Tags from here on, one for each round, have messages that are received from any source. With one tag for all, a message of a later
     * round could take the receive of an earlier one, and both senders would wait.
     */
    static FIRST_ANY_TAG = 10n;

    static struct Message(source:Long, target:Long, tag:Int, size:Long, number:Long) {
        def this(source:Long, target:Long, tag:Int, size:Long, number:Long) { property(source, target, tag, size, number); }
        /** Element i of the message. */
        def element(i:Long):Long = number * 100000 + source * 1000 + i;
    }

    public static def main(Rail[String]) {
        val group = SlotGroup.make(SLOTS / Place.numPlaces(), 0);
        for (seed in SEEDS) {
            val sums = GlobalRef(new Rail[Long](SLOTS));
            finish for (p in Place.places()) at (p) async {
                val slots = group.activities(here);
                for (i in 0..(slots.count - 1)) async {
                    val me = slots(i);
                    val sum = run(me, seed);
                    val rank = me.rank;
                    at (sums) sums()(rank) = sum;
                }
            }
            var text:String = "seed " + seed + ":";
            for (sum in sums()) text += " " + sum;
            Console.OUT.println(text);
        }
        group.delete();
    }

    /** The messages of a round: of each pair and tag in the order of their numbers. */
    static def messages(random:Random, round:Long):Rail[Message] {
        val count = 1 + random.nextLong(3 * SLOTS);
        return new Rail[Message](count, (number:Long)=>{
            val source = random.nextLong(SLOTS);
            val target = random.nextLong(SLOTS);
            val tag = random.nextLong(3) == 0 ? FIRST_ANY_TAG + round as Int : random.nextLong(2) as Int;
            return Message(source, target, tag, SIZES(random.nextLong(SIZES.size)), number);
        });
    }

    /** What a slot receives in all rounds, as a sum. */
    static def run(me:Slot, seed:Long):Long {
        val random = new Random(seed);
        var sum:Long = 0;
        for (round in 1..ROUNDS) {
            val all = messages(random, round);
            val requests = new ArrayList[SlotRequest]();
            val buffers = new ArrayList[Rail[Long]]();
            for (it in all) if (it.target == me.rank) {
                // Any of the messages with this tag may come first.
                val isAny = it.tag >= FIRST_ANY_TAG;
                val buffer = new Rail[Long](isAny ? 5000 : it.size);
                buffers.add(buffer);
                requests.add(me.asyncRecv(isAny ? Slot.ANY_SOURCE : it.source, buffer, 0, buffer.size, it.tag));
            }
            val received = requests.size();
            for (it in all) if (it.source == me.rank) {
                val buffer = new Rail[Long](it.size, (i:Long)=>it.element(i));
                requests.add(me.asyncSend(it.target, buffer, 0, it.size, it.tag));
            }
            for (var i:Long = requests.size() - 1; i >= 0; --i) {
                val status = me.wait(requests(i));
                if (i < received) {
                    for (j in 0..(status.elements - 1)) sum += buffers(i)(j) * (j + 1) % 1000003;
                    sum += status.elements;
                }
            }
            if (round % 4 == 0) me.barrier();
        }
        return sum;
    }
}
