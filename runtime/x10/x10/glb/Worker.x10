package x10.glb;

import x10.compiler.Intrinsic;
import x10.compiler.Uncounted;
import x10.util.ArrayList;
import x10.util.Random;

/**
 * The load balancer at one place. While the place has tasks, one activity does them, and between them answers other places' requests for
 * tasks. When it has none left it asks random places, then its lifelines: places that remember it and send tasks as soon as they have
 * some to spare. When those have none either, the activity ends, and tasks that come later start another one. So all work is done when
 * no activity is left.
 *
 * The queue belongs to the activity at work. All else is read and written in atomic sections.
 */
final class Worker[Queue, R]{Queue<:TaskQueue[Queue, R]} {
    val queue:Queue;
    val logger = new Logger(true);
    private val parameters:GLBParameters;
    private val random = new Random(here.id);
    private val victims:Rail[Long];
    /** The places that send tasks here when they have some, and which of them know that they shall. */
    private val lifelines:Rail[Long];
    private val asked:Rail[Boolean];
    /** Whom this place shall send tasks when it has some. */
    private val dependants = new ArrayList[Long]();
    /** Who waits for an answer: random thieves, and those whose lifeline this place is. */
    private val thieves = new ArrayList[Long]();
    private val lifelineThieves = new ArrayList[Long]();
    /** Tasks that came while the queue was in use. */
    private val inbox = new ArrayList[TaskBag]();
    /** An activity is at work here. */
    private var active:Boolean = false;
    /** It waits for an answer, and has nothing to give. */
    private var waiting:Boolean = false;
    private var context:Context[Queue, R] = null;

    def this(init:()=>Queue, parameters:GLBParameters) {
        queue = init();
        this.parameters = parameters;
        val places = Place.numPlaces();
        val me = here.id;
        lifelines = lifelinesOf(me, places, parameters);
        asked = new Rail[Boolean](places);
        val others = places - 1;
        val dice = random;
        victims = new Rail[Long](others == 0 ? 0 : Math.min(parameters.m as Long, others), (i:Long)=>{
            if (others <= parameters.m) return (me + 1 + i) % places;
            val other = dice.nextLong(others);
            return other < me ? other : other + 1;
        });
    }
    /** Only the first place begins with tasks: the others are as if they had requested some. */
    def prepare(tree:Boolean):void {
        val places = Place.numPlaces();
        val me = here.id;
        for (other in 1..(places - 1)) {
            val from = tree ? [(other - 1) / 2] : lifelinesOf(other, places, parameters);
            for (source in from) {
                if (source == me) dependants.add(other);
                if (other == me) asked(source) = true;
            }
        }
    }
    /** The places whose number differs from place's in one digit: the next number that is a place. */
    private static def lifelinesOf(place:Long, places:Long, parameters:GLBParameters):Rail[Long] {
        val found = new ArrayList[Long]();
        val base = Math.max(2, parameters.l as Long);
        var unit:Long = 1;
        for (digit in 1..parameters.z) {
            val value = place / unit % base;
            for (step in 1..(base - 1)) {
                val other = place + ((value + step) % base - value) * unit;
                if (other < places) {
                    if (!found.contains(other)) found.add(other);
                    break;
                }
            }
            unit *= base;
        }
        return found.toRail();
    }

    @Intrinsic("rt.probe") private static native def probe():void;

    def setContext(st:PlaceLocalHandle[Worker[Queue, R]]):void { context = new Context[Queue, R](st); }

    /** Begins at this place with the tasks that start adds. */
    def main(st:PlaceLocalHandle[Worker[Queue, R]], start:()=>void):void {
        var begin:Boolean = false;
        atomic {
            begin = !active;
            active = true;
        }
        // Tasks may have come before: then those of the queue are being done already.
        if (!begin) return;
        start();
        work(st);
    }

    /** Does tasks until there are none here and nobody gives any. */
    private def work(st:PlaceLocalHandle[Worker[Queue, R]]):void {
        logger.startLive();
        do {
            do {
                val more = queue.process(parameters.n as Long, context);
                serve(st);
                if (!unpack() && !more) break;
            } while (true);
        } while (steal(st) || !rest(st));
        logger.stopLive();
    }
    /** Adds the tasks that came in; whether there were any. */
    private def unpack():Boolean {
        val bags = new ArrayList[TaskBag]();
        atomic {
            for (bag in inbox) bags.add(bag);
            inbox.clear();
        }
        for (bag in bags) queue.merge(bag);
        return bags.size() > 0;
    }
    /** Lets messages in, and answers requests. */
    def serve(st:PlaceLocalHandle[Worker[Queue, R]]):void {
        probe();
        while (true) {
            val thief = next(thieves);
            if (thief < 0) break;
            val loot = queue.split();
            answer(st, thief, loot, -1);
            if (loot != null) logger.stealsSuffered++;
        }
        while (true) {
            val thief = next(lifelineThieves);
            if (thief < 0) break;
            val loot = queue.split();
            if (loot == null) atomic dependants.add(thief);
            answer(st, thief, loot, here.id);
            if (loot != null) logger.lifelineStealsSuffered++;
        }
        while (true) {
            var some:Boolean = false;
            atomic some = dependants.size() > 0;
            if (!some) break;
            val loot = queue.split();
            if (loot == null) break;
            val thief = next(dependants);
            logger.nodesGiven++;
            logger.lifelineStealsSuffered++;
            val source = here.id;
            async at (Place(thief)) st().deal(st, loot, source);
        }
    }
    private static def next(list:ArrayList[Long]):Long {
        var first:Long = -1;
        atomic if (list.size() > 0) first = list.removeLast();
        return first;
    }
    /** Tells a thief, which waits, what it gets; lifeline is the number of this place if it was asked as one. */
    private def answer(st:PlaceLocalHandle[Worker[Queue, R]], thief:Long, loot:TaskBag, lifeline:Long):void {
        if (loot != null) logger.nodesGiven++;
        @Uncounted async at (Place(thief)) st().receive(loot, lifeline);
    }
    private def receive(loot:TaskBag, lifeline:Long):void {
        atomic {
            if (loot != null) {
                inbox.add(loot);
                if (lifeline >= 0) asked(lifeline) = false;
            }
            waiting = false;
        }
    }

    /** Asks other places for tasks; whether some came. */
    private def steal(st:PlaceLocalHandle[Worker[Queue, R]]):Boolean {
        for (i in 1..parameters.w) {
            if (victims.size == 0) break;
            logger.stealsAttempted++;
            if (ask(st, victims(random.nextLong(victims.size)), false)) {
                logger.stealsPerpetrated++;
                return true;
            }
        }
        for (lifeline in lifelines) {
            var known:Boolean = false;
            atomic {
                known = asked(lifeline);
                asked(lifeline) = true;
            }
            if (known) continue;
            logger.lifelineStealsAttempted++;
            if (ask(st, lifeline, true)) {
                logger.lifelineStealsPerpetrated++;
                return true;
            }
        }
        return unpack();
    }
    private def ask(st:PlaceLocalHandle[Worker[Queue, R]], victim:Long, lifeline:Boolean):Boolean {
        atomic waiting = true;
        // Nothing is left to give to those who have asked.
        refuse(st);
        val thief = here.id;
        @Uncounted async at (Place(victim)) st().request(st, thief, lifeline);
        when (!waiting) { }
        val some = unpack();
        if (some) logger.nodesReceived++;
        return some;
    }
    private def request(st:PlaceLocalHandle[Worker[Queue, R]], thief:Long, lifeline:Boolean):void {
        var later:Boolean = false;
        atomic {
            if (lifeline) logger.lifelineStealsReceived++; else logger.stealsReceived++;
            later = active && !waiting;
            if (later) (lifeline ? lifelineThieves : thieves).add(thief);
            else if (lifeline) dependants.add(thief);
        }
        if (!later) answer(st, thief, null, -1);
    }
    /** Tells all that wait that there is nothing. */
    private def refuse(st:PlaceLocalHandle[Worker[Queue, R]]):void {
        val refused = new ArrayList[Long]();
        atomic {
            for (thief in thieves) refused.add(thief);
            for (thief in lifelineThieves) {
                refused.add(thief);
                dependants.add(thief);
            }
            thieves.clear();
            lifelineThieves.clear();
        }
        for (thief in refused) answer(st, thief, null, -1);
    }
    /** Ends the work here, unless tasks came in; whether it has ended. */
    private def rest(st:PlaceLocalHandle[Worker[Queue, R]]):Boolean {
        var ended:Boolean = false;
        atomic {
            ended = inbox.size() == 0;
            if (ended) active = false;
        }
        if (ended) refuse(st);
        else unpack();
        return ended;
    }
    /** Tasks come along a lifeline. */
    private def deal(st:PlaceLocalHandle[Worker[Queue, R]], loot:TaskBag, source:Long):void {
        var begin:Boolean = false;
        atomic {
            asked(source) = false;
            logger.nodesReceived++;
            logger.lifelineNodesReceived++;
            begin = !active;
            if (begin) active = true; else inbox.add(loot);
        }
        if (!begin) return;
        queue.merge(loot);
        work(st);
    }
}
