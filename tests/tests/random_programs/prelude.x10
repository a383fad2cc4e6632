    static class Failure extends Exception {}

    static interface Holder[T] {
        def held():T;
    }

    static class One[T] implements Holder[T] {
        val value:T;
        def this(value:T) { this.value = value; }
        public def held():T = value;
    }

    static class Two[T] implements Holder[T] {
        private var value:T;
        def this(value:T) { this.value = value; }
        public def held():T = value;
    }

    static struct Held[T] {
        val value:T;
        def this(value:T) { this.value = value; }
        public operator ~this:T = value;
    }

    static def same[T](value:T):T = value;

    static def holder[T](value:T):Holder[T] = here.id % 2 == 0 ? new One[T](value) as Holder[T] : new Two[T](value);

    static def listed[T](value:T):T {
        val list = new ArrayList[T]();
        list.add(value);
        list.add(list(0));
        return list.removeLast();
    }

    static def mapped[T](value:T) {T haszero} :T {
        val map = new HashMap[String, T]();
        map.put("key", value);
        return map.getOrThrow("key");
    }

    static def global[T](value:T):T {
        val ref = GlobalRef[One[T]](new One[T](value));
        return at (Place.places().next(here)) (at (ref.home) ref().value);
    }

    static def awaited[T](value:T) {T haszero} :T {
        val list = new ArrayList[T]();
        val result = new Rail[T](1);
        finish {
            async when (!list.isEmpty()) result(0) = list(0);
            async atomic list.add(value);
        }
        return result(0);
    }

    static def placed[T](value:T):T {
        val array = new x10.regionarray.Array[T](x10.regionarray.Region.make(-1..1, 2..4), value);
        return array(-1, 4);
    }

    static def everywhere[T](value:() => T):T {
        val handle = PlaceLocalHandle.make[One[T]](Place.places(), () => new One[T](value()));
        return at (Place.places().next(here)) handle().value;
    }

    static def passed[T](value:() => T):T = value();

    static def spawned[T](value:() => T) {T haszero} :T {
        val result = new Rail[T](1);
        finish async result(0) = value();
        return result(0);
    }

    static def sum(value:(Long) => Long, size:Long):Long {
        var sum:Long = 0;
        for (i in 0..(size - 1)) sum = sum * 31 + value(i);
        return sum;
    }

    static def kind(e:Exception):String {
        if (e instanceof ArithmeticException) return "Arithmetic";
        if (e instanceof ArrayIndexOutOfBoundsException) return "Bounds";
        if (e instanceof MultipleExceptions) return "Multiple";
        return e instanceof Failure ? "Failure" : e.toString();
    }
