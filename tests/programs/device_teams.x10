import x10.util.CUDATeam;
import x10.util.CUDAUtilities;
import x10.util.Team;

/** Collective operations over rails of several devices of each place. */
public class device_teams {
    static struct Pair(a:Long, b:Long) implements Arithmetic[Pair] {
        public operator + this:Pair = this;
        public operator - this:Pair = Pair(-a, -b);
        public operator this + (that:Pair):Pair = Pair(a + that.a, b + that.b);
        public operator this - (that:Pair):Pair = Pair(a - that.a, b - that.b);
        public operator this * (that:Pair):Pair = Pair(a * that.a, b * that.b);
        public operator this / (that:Pair):Pair = Pair(a / that.a, b / that.b);
    }

    var wrong:Long = 0;

    def expect[T](what:String, rails:Rail[GlobalRail[T]], wanted:(Long, Long)=>T, count:Long, from:Long, team:CUDATeam){T haszero}:void {
        for (i in rails.range()) {
            val got = new Rail[T](rails(i).size);
            finish Rail.asyncCopy(rails(i), 0, got, 0, got.size);
            for (e in 0..(count - 1)) if (got(from + e) != wanted(team.firstRole() + i, e)) {
                if (wrong < 5) Console.OUT.println(what + ": device " + (team.firstRole() + i) + ", element " + e + ": " + got(from + e));
                wrong++;
            }
        }
    }

    static def rails[T](places:Rail[Place], count:Long, init:(Long, Long)=>T, first:Long){T haszero}:Rail[GlobalRail[T]] =
        new Rail[GlobalRail[T]](places.size, (i:Long)=>CUDAUtilities.makeGlobalRail[T](places(i), count, (e:Long)=>init(first + i, e)) as GlobalRail[T]);

    static def delete[T](rails:Rail[GlobalRail[T]]) {
        for (it in rails) CUDAUtilities.deleteGlobalRail(it);
    }

    def run(places:Rail[Place], team:CUDATeam) {
        val n = 1000;
        val size = team.size();
        val first = team.firstRole();
        val zero = (Long, Long)=>0;

        val longs = rails[Long](places, n, (role:Long, e:Long)=>role * 1000 + e, first);
        val sums = rails[Long](places, n + 3, zero, first);
        team.allreduce(longs, 0, sums, 3, n, Team.ADD);
        expect("sum", sums, (Long, e:Long)=>size * (size - 1) / 2 * 1000 + size * e, n, 3, team);
        team.allreduce(longs, 0, longs, 0, n, Team.MAX);
        expect("greatest, in place", longs, (Long, e:Long)=>(size - 1) * 1000 + e, n, 0, team);

        val floats = rails[Float](places, n, (role:Long, e:Long)=>(role + e) as Float, first);
        val least = rails[Float](places, n, (Long, Long)=>-1.0f, first);
        team.reduce(size - 1, floats, 0, least, 0, n, Team.MIN);
        expect("least, at the last", least, (role:Long, e:Long)=>role == size - 1 ? e as Float : -1.0f, n, 0, team);

        val flags = rails[Boolean](places, n, (role:Long, e:Long)=>(role + e) % 3 == 0, first);
        team.allreduce(flags, 0, flags, 0, n, Team.OR);
        expect("or", flags, (Long, e:Long)=>{ for (role in 0..(size - 1)) if ((role + e) % 3 == 0) return true; return false; }, n, 0, team);

        val pairs = rails[Pair](places, n, (role:Long, e:Long)=>Pair(role, e), first);
        team.allreduce(pairs, 0, pairs, 0, n, Team.ADD);
        expect("structs", pairs, (Long, e:Long)=>Pair(size * (size - 1) / 2, size * e), n, 0, team);

        val given = rails[Pair](places, n, (role:Long, e:Long)=>Pair(role, e), first);
        team.bcast(size / 2, given, 0, given, 0, n);
        expect("broadcast", given, (Long, e:Long)=>Pair(size / 2, e), n, 0, team);

        val part = 7;
        val parts = rails[Long](places, part, zero, first);
        val whole = rails[Long](places, part * size, (role:Long, e:Long)=>role * 10000 + e, first);
        team.scatter(0, whole, 0, parts, 0, part);
        expect("scatter", parts, (role:Long, e:Long)=>role * part + e, part, 0, team);
        val gathered = rails[Long](places, part * size, zero, first);
        team.gather(size - 1, parts, 0, gathered, 0, part);
        expect("gather", gathered, (role:Long, e:Long)=>role == size - 1 ? e : 0, part * size, 0, team);
        val exchanged = rails[Long](places, part * size, zero, first);
        team.alltoall(whole, 0, exchanged, 0, part);
        expect("exchange", exchanged, (role:Long, e:Long)=>e / part * 10000 + role * part + e % part, part * size, 0, team);

        val noRole = refused(()=>team.bcast(size, given, 0, given, 0, n));
        val tooFar = refused(()=>team.allreduce(sums, 4, sums, 0, n, Team.ADD));
        val tooMany = refused(()=>team.allreduce(new Rail[GlobalRail[Long]](places.size + 1, (Long)=>sums(0)), 0, sums, 0, n, Team.ADD));
        for (it in [longs, sums, parts, whole, gathered, exchanged]) delete(it);
        for (it in [floats, least]) delete(it);
        for (it in [pairs, given]) delete(it);
        delete(flags);
        if (here.id == 0) Console.OUT.println("refused: " + noRole + ", " + tooFar + ", " + tooMany);
    }

    static def refused(what:()=>void):String {
        try { what(); } catch (e:Exception) { return e.typeName(); }
        return "nothing";
    }

    public static def main(Rail[String]) {
        finish for (host in Place.places()) at (host) async {
            val topology = PlaceTopology.getTopology();
            val gpus = topology.numChildren(here);
            // A host may have several parts, too: as many as places have devices, and one more.
            val places = new Rail[Place](gpus > 0 ? gpus : here.id + 2, (i:Long)=>gpus > 0 ? topology.getChild(here, i) : here);
            val test = new device_teams();
            val own = new CUDATeam(places);
            if (own.size() != places.size || own.firstRole() != 0) Console.OUT.println("wrong: " + own);
            own.delete();
            val all = new CUDATeam(Team.WORLD, places);
            test.run(places, all);
            all.delete();
            val wrong = Team.WORLD.allreduce(test.wrong, Team.ADD);
            if (here.id == 0) Console.OUT.println(wrong + " wrong elements");
        }
        val other = Place.places().next(here);
        if (other != here) {
            val elsewhere = refused(()=>{ new CUDATeam([other]); });
            if (!elsewhere.equals("x10.lang.BadPlaceException")) Console.OUT.println("a device of another place: " + elsewhere);
        }
    }
}
