package x10.util;

import x10.compiler.CUDA;
import x10.compiler.Intrinsic;

/**
 * A rank of a SlotGroup, from which its activity or block sends and receives messages. All operations of MPI's point-to-point
 * communication are here under DCGN's names.
 *
 * A message goes from one slot to another and has a tag, 0 if none is given. A receive names its source, or ANY_SOURCE, and the tag. Messages
 * of the same pair and tag are received in the order in which they were sent; a receive from any source takes what has arrived first. A send
 * has ended when a receive has taken it: two slots that both send to each other first wait for ever; sendRecv does both at once.
 *
 * In a kernel a call is made by the whole block: all its threads make it, with the same arguments, and it is a barrier before and after. A
 * slot belongs to one activity or one block at a time. Buffers are `count` elements of a Rail or GlobalRail from `index` on: in a kernel global
 * rails at its place, and captured and shared rails; in an activity rails of its place, also of objects, of which the receiver gets copies.
 *
 * What is wrong with a call is raised as an exception: an IllegalArgumentException for a rank that the group has not, a receive with less room
 * than the message has elements, or slots that disagree on a collective operation. The group has failed then: all its calls that wait, and all
 * later ones, raise an IllegalOperationException. An exception of a block is raised by the finish of its kernel.
 */
public struct Slot(rank:Long, size:Long) {
    private val group:Long;
    private val first:Long;
    private val members:Long;
    private val stride:Long;

    @CUDA def this(group:Long, rank:Long, size:Long, first:Long, members:Long, stride:Long) {
        property(rank, size);
        this.group = group;
        this.first = first;
        this.members = members;
        this.stride = stride;
    }

    /** Receives from whichever slot sends first. */
    public static ANY_SOURCE:Long = -1;

    /**
     * This slot, with collective operations among the ranks first, first + stride, ... of `count` slots: a row or column of a grid, for
     * instance. Ranks stay those of the group; results are in their order.
     */
    @CUDA public def among(first:Long, count:Long, stride:Long):Slot = new Slot(group, rank, size, first, count, stride);
    /** "Slot(r of n)". */
    public def toString():String = "Slot(" + rank + " of " + size + ")";
    /** Sends count elements to a slot; returns when a receive has taken them. */
    @CUDA public def send[T](to:Long, buffer:Rail[T], index:Long, count:Long):void { sendOf[T](group, rank, to, 0, 0, 0, first, members, stride, buffer, index, count); }
    /** Sends count elements with a tag to a slot; returns when a receive has taken them. */
    @CUDA public def send[T](to:Long, buffer:Rail[T], index:Long, count:Long, tag:Int):void { sendOf[T](group, rank, to, 0, tag as Long, 0, first, members, stride, buffer, index, count); }
    /** Waits for a message of a slot, or of ANY_SOURCE, of at most count elements. */
    @CUDA public def recv[T](from:Long, buffer:Rail[T], index:Long, count:Long):SlotStatus {
        val word = recvOf[T](group, rank, 0, from, 0, 0, first, members, stride, buffer, index, count);
        return new SlotStatus(word & SOURCE, word >> SOURCE_BITS);
    }
    /** Waits for a message with a tag of a slot, or of ANY_SOURCE, of at most count elements. */
    @CUDA public def recv[T](from:Long, buffer:Rail[T], index:Long, count:Long, tag:Int):SlotStatus {
        val word = recvOf[T](group, rank, 0, from, tag as Long, 0, first, members, stride, buffer, index, count);
        return new SlotStatus(word & SOURCE, word >> SOURCE_BITS);
    }
    /** Sends srcCount elements to a slot and receives at most dstCount from a slot, or from ANY_SOURCE, at the same time. */
    @CUDA public def sendRecv[T](to:Long, src:Rail[T], srcIndex:Long, srcCount:Long, from:Long, dst:Rail[T], dstIndex:Long, dstCount:Long):SlotStatus {
        val word = exchangeOf[T](group, rank, to, from, 0, 0, first, members, stride, src, srcIndex, srcCount, dst, dstIndex, dstCount);
        return new SlotStatus(word & SOURCE, word >> SOURCE_BITS);
    }
    /** Sends count elements to a slot, and receives at most as many from a slot, or from ANY_SOURCE, in their place. */
    @CUDA public def sendRecvReplace[T](to:Long, from:Long, buffer:Rail[T], index:Long, count:Long):SlotStatus {
        val word = replaceOf[T](group, rank, to, from, 0, 0, first, members, stride, buffer, index, count);
        return new SlotStatus(word & SOURCE, word >> SOURCE_BITS);
    }
    /** Begins to send count elements to a slot. They stay as they are until wait has returned. */
    @CUDA public def asyncSend[T](to:Long, buffer:Rail[T], index:Long, count:Long):SlotRequest = new SlotRequest(startSendOf[T](group, rank, to, 0, 0, 0, first, members, stride, buffer, index, count) >> SOURCE_BITS);
    /** Begins to send count elements with a tag to a slot. They stay as they are until wait has returned. */
    @CUDA public def asyncSend[T](to:Long, buffer:Rail[T], index:Long, count:Long, tag:Int):SlotRequest = new SlotRequest(startSendOf[T](group, rank, to, 0, tag as Long, 0, first, members, stride, buffer, index, count) >> SOURCE_BITS);
    /** Begins to receive at most count elements from a slot, or from ANY_SOURCE. They are there when wait has returned. */
    @CUDA public def asyncRecv[T](from:Long, buffer:Rail[T], index:Long, count:Long):SlotRequest = new SlotRequest(startRecvOf[T](group, rank, 0, from, 0, 0, first, members, stride, buffer, index, count) >> SOURCE_BITS);
    /** Begins to receive at most count elements with a tag from a slot, or from ANY_SOURCE. They are there when wait has returned. */
    @CUDA public def asyncRecv[T](from:Long, buffer:Rail[T], index:Long, count:Long, tag:Int):SlotRequest = new SlotRequest(startRecvOf[T](group, rank, 0, from, tag as Long, 0, first, members, stride, buffer, index, count) >> SOURCE_BITS);
    /** Copies count elements of the slot root to those of all. */
    @CUDA public def broadcast[T](root:Long, buffer:Rail[T], index:Long, count:Long):void { broadcastOf[T](group, rank, root, 0, 0, 0, first, members, stride, buffer, index, count); }
    /** Puts count elements of each slot into dst of the slot root, in the order of ranks. */
    @CUDA public def gather[T](root:Long, src:Rail[T], srcIndex:Long, dst:Rail[T], dstIndex:Long, count:Long):void {
        gatherOf[T](group, rank, root, 0, 0, 0, first, members, stride, src, srcIndex, count, dst, dstIndex, count);
    }
    /** Gives each slot count elements of src of the slot root, in the order of ranks. */
    @CUDA public def scatter[T](root:Long, src:Rail[T], srcIndex:Long, dst:Rail[T], dstIndex:Long, count:Long):void {
        scatterOf[T](group, rank, root, 0, 0, 0, first, members, stride, src, srcIndex, count, dst, dstIndex, count);
    }
    /** Puts count elements of each slot into dst of all, in the order of ranks. */
    @CUDA public def allgather[T](src:Rail[T], srcIndex:Long, dst:Rail[T], dstIndex:Long, count:Long):void {
        allgatherOf[T](group, rank, 0, 0, 0, 0, first, members, stride, src, srcIndex, count, dst, dstIndex, count);
    }
    /** Gives each slot count elements of src of each, in the order of the givers' ranks. */
    @CUDA public def alltoall[T](src:Rail[T], srcIndex:Long, dst:Rail[T], dstIndex:Long, count:Long):void {
        alltoallOf[T](group, rank, 0, 0, 0, 0, first, members, stride, src, srcIndex, count, dst, dstIndex, count);
    }
    /** Combines count elements of all, element by element in the order of ranks, into dst of the slot root. The operations are those of Team. */
    @CUDA public def reduce[T](root:Long, src:Rail[T], srcIndex:Long, dst:Rail[T], dstIndex:Long, count:Long, op:Int):void {
        reduceOf[T](group, rank, root, 0, 0, op as Long, first, members, stride, src, srcIndex, count, dst, dstIndex, count);
    }
    /** Combines count elements of all, element by element in the order of ranks, into dst of all. The operations are those of Team. */
    @CUDA public def allreduce[T](src:Rail[T], srcIndex:Long, dst:Rail[T], dstIndex:Long, count:Long, op:Int):void {
        allreduceOf[T](group, rank, 0, 0, 0, op as Long, first, members, stride, src, srcIndex, count, dst, dstIndex, count);
    }
    /** Sends count elements to a slot; returns when a receive has taken them. */
    @CUDA public def send[T](to:Long, buffer:GlobalRail[T], index:Long, count:Long):void { sendOf[T](group, rank, to, 0, 0, 0, first, members, stride, buffer, index, count); }
    /** Sends count elements with a tag to a slot; returns when a receive has taken them. */
    @CUDA public def send[T](to:Long, buffer:GlobalRail[T], index:Long, count:Long, tag:Int):void { sendOf[T](group, rank, to, 0, tag as Long, 0, first, members, stride, buffer, index, count); }
    /** Waits for a message of a slot, or of ANY_SOURCE, of at most count elements. */
    @CUDA public def recv[T](from:Long, buffer:GlobalRail[T], index:Long, count:Long):SlotStatus {
        val word = recvOf[T](group, rank, 0, from, 0, 0, first, members, stride, buffer, index, count);
        return new SlotStatus(word & SOURCE, word >> SOURCE_BITS);
    }
    /** Waits for a message with a tag of a slot, or of ANY_SOURCE, of at most count elements. */
    @CUDA public def recv[T](from:Long, buffer:GlobalRail[T], index:Long, count:Long, tag:Int):SlotStatus {
        val word = recvOf[T](group, rank, 0, from, tag as Long, 0, first, members, stride, buffer, index, count);
        return new SlotStatus(word & SOURCE, word >> SOURCE_BITS);
    }
    /** Sends srcCount elements to a slot and receives at most dstCount from a slot, or from ANY_SOURCE, at the same time. */
    @CUDA public def sendRecv[T](to:Long, src:GlobalRail[T], srcIndex:Long, srcCount:Long, from:Long, dst:GlobalRail[T], dstIndex:Long, dstCount:Long):SlotStatus {
        val word = exchangeOf[T](group, rank, to, from, 0, 0, first, members, stride, src, srcIndex, srcCount, dst, dstIndex, dstCount);
        return new SlotStatus(word & SOURCE, word >> SOURCE_BITS);
    }
    /** Sends count elements to a slot, and receives at most as many from a slot, or from ANY_SOURCE, in their place. */
    @CUDA public def sendRecvReplace[T](to:Long, from:Long, buffer:GlobalRail[T], index:Long, count:Long):SlotStatus {
        val word = replaceOf[T](group, rank, to, from, 0, 0, first, members, stride, buffer, index, count);
        return new SlotStatus(word & SOURCE, word >> SOURCE_BITS);
    }
    /** Begins to send count elements to a slot. They stay as they are until wait has returned. */
    @CUDA public def asyncSend[T](to:Long, buffer:GlobalRail[T], index:Long, count:Long):SlotRequest = new SlotRequest(startSendOf[T](group, rank, to, 0, 0, 0, first, members, stride, buffer, index, count) >> SOURCE_BITS);
    /** Begins to send count elements with a tag to a slot. They stay as they are until wait has returned. */
    @CUDA public def asyncSend[T](to:Long, buffer:GlobalRail[T], index:Long, count:Long, tag:Int):SlotRequest = new SlotRequest(startSendOf[T](group, rank, to, 0, tag as Long, 0, first, members, stride, buffer, index, count) >> SOURCE_BITS);
    /** Begins to receive at most count elements from a slot, or from ANY_SOURCE. They are there when wait has returned. */
    @CUDA public def asyncRecv[T](from:Long, buffer:GlobalRail[T], index:Long, count:Long):SlotRequest = new SlotRequest(startRecvOf[T](group, rank, 0, from, 0, 0, first, members, stride, buffer, index, count) >> SOURCE_BITS);
    /** Begins to receive at most count elements with a tag from a slot, or from ANY_SOURCE. They are there when wait has returned. */
    @CUDA public def asyncRecv[T](from:Long, buffer:GlobalRail[T], index:Long, count:Long, tag:Int):SlotRequest = new SlotRequest(startRecvOf[T](group, rank, 0, from, tag as Long, 0, first, members, stride, buffer, index, count) >> SOURCE_BITS);
    /** Copies count elements of the slot root to those of all. */
    @CUDA public def broadcast[T](root:Long, buffer:GlobalRail[T], index:Long, count:Long):void { broadcastOf[T](group, rank, root, 0, 0, 0, first, members, stride, buffer, index, count); }
    /** Puts count elements of each slot into dst of the slot root, in the order of ranks. */
    @CUDA public def gather[T](root:Long, src:GlobalRail[T], srcIndex:Long, dst:GlobalRail[T], dstIndex:Long, count:Long):void {
        gatherOf[T](group, rank, root, 0, 0, 0, first, members, stride, src, srcIndex, count, dst, dstIndex, count);
    }
    /** Gives each slot count elements of src of the slot root, in the order of ranks. */
    @CUDA public def scatter[T](root:Long, src:GlobalRail[T], srcIndex:Long, dst:GlobalRail[T], dstIndex:Long, count:Long):void {
        scatterOf[T](group, rank, root, 0, 0, 0, first, members, stride, src, srcIndex, count, dst, dstIndex, count);
    }
    /** Puts count elements of each slot into dst of all, in the order of ranks. */
    @CUDA public def allgather[T](src:GlobalRail[T], srcIndex:Long, dst:GlobalRail[T], dstIndex:Long, count:Long):void {
        allgatherOf[T](group, rank, 0, 0, 0, 0, first, members, stride, src, srcIndex, count, dst, dstIndex, count);
    }
    /** Gives each slot count elements of src of each, in the order of the givers' ranks. */
    @CUDA public def alltoall[T](src:GlobalRail[T], srcIndex:Long, dst:GlobalRail[T], dstIndex:Long, count:Long):void {
        alltoallOf[T](group, rank, 0, 0, 0, 0, first, members, stride, src, srcIndex, count, dst, dstIndex, count);
    }
    /** Combines count elements of all, element by element in the order of ranks, into dst of the slot root. The operations are those of Team. */
    @CUDA public def reduce[T](root:Long, src:GlobalRail[T], srcIndex:Long, dst:GlobalRail[T], dstIndex:Long, count:Long, op:Int):void {
        reduceOf[T](group, rank, root, 0, 0, op as Long, first, members, stride, src, srcIndex, count, dst, dstIndex, count);
    }
    /** Combines count elements of all, element by element in the order of ranks, into dst of all. The operations are those of Team. */
    @CUDA public def allreduce[T](src:GlobalRail[T], srcIndex:Long, dst:GlobalRail[T], dstIndex:Long, count:Long, op:Int):void {
        allreduceOf[T](group, rank, 0, 0, 0, op as Long, first, members, stride, src, srcIndex, count, dst, dstIndex, count);
    }
    /** Whether what was begun has ended; wait then returns at once. */
    @CUDA public def test(request:SlotRequest):Boolean = testOf(group, rank, request.number, 0, 0, 0, first, members, stride) >> SOURCE_BITS != 0;
    /** Waits for what was begun, once. The status is that of a receive. */
    @CUDA public def wait(request:SlotRequest):SlotStatus {
        val word = waitOf(group, rank, request.number, 0, 0, 0, first, members, stride);
        return new SlotStatus(word & SOURCE, word >> SOURCE_BITS);
    }
    /** Waits for all slots. */
    @CUDA public def barrier():void { barrierOf(group, rank, 0, 0, 0, 0, first, members, stride); }

    private static SOURCE_BITS = 24n;
    private static SOURCE = 0xffffffL;

    @Intrinsic("slot.send") private static native def sendOf[T](group:Long, rank:Long, partner:Long, source:Long, tag:Long, operation:Long, first:Long, members:Long, stride:Long, buffer:Rail[T], index:Long, count:Long):Long;
    @Intrinsic("slot.receive") private static native def recvOf[T](group:Long, rank:Long, partner:Long, source:Long, tag:Long, operation:Long, first:Long, members:Long, stride:Long, buffer:Rail[T], index:Long, count:Long):Long;
    @Intrinsic("slot.replace") private static native def replaceOf[T](group:Long, rank:Long, partner:Long, source:Long, tag:Long, operation:Long, first:Long, members:Long, stride:Long, buffer:Rail[T], index:Long, count:Long):Long;
    @Intrinsic("slot.start_send") private static native def startSendOf[T](group:Long, rank:Long, partner:Long, source:Long, tag:Long, operation:Long, first:Long, members:Long, stride:Long, buffer:Rail[T], index:Long, count:Long):Long;
    @Intrinsic("slot.start_receive") private static native def startRecvOf[T](group:Long, rank:Long, partner:Long, source:Long, tag:Long, operation:Long, first:Long, members:Long, stride:Long, buffer:Rail[T], index:Long, count:Long):Long;
    @Intrinsic("slot.broadcast") private static native def broadcastOf[T](group:Long, rank:Long, partner:Long, source:Long, tag:Long, operation:Long, first:Long, members:Long, stride:Long, buffer:Rail[T], index:Long, count:Long):Long;
    @Intrinsic("slot.exchange") private static native def exchangeOf[T](group:Long, rank:Long, partner:Long, source:Long, tag:Long, operation:Long, first:Long, members:Long, stride:Long, src:Rail[T], srcIndex:Long, srcCount:Long, dst:Rail[T], dstIndex:Long, dstCount:Long):Long;
    @Intrinsic("slot.gather") private static native def gatherOf[T](group:Long, rank:Long, partner:Long, source:Long, tag:Long, operation:Long, first:Long, members:Long, stride:Long, src:Rail[T], srcIndex:Long, srcCount:Long, dst:Rail[T], dstIndex:Long, dstCount:Long):Long;
    @Intrinsic("slot.scatter") private static native def scatterOf[T](group:Long, rank:Long, partner:Long, source:Long, tag:Long, operation:Long, first:Long, members:Long, stride:Long, src:Rail[T], srcIndex:Long, srcCount:Long, dst:Rail[T], dstIndex:Long, dstCount:Long):Long;
    @Intrinsic("slot.all_gather") private static native def allgatherOf[T](group:Long, rank:Long, partner:Long, source:Long, tag:Long, operation:Long, first:Long, members:Long, stride:Long, src:Rail[T], srcIndex:Long, srcCount:Long, dst:Rail[T], dstIndex:Long, dstCount:Long):Long;
    @Intrinsic("slot.all_to_all") private static native def alltoallOf[T](group:Long, rank:Long, partner:Long, source:Long, tag:Long, operation:Long, first:Long, members:Long, stride:Long, src:Rail[T], srcIndex:Long, srcCount:Long, dst:Rail[T], dstIndex:Long, dstCount:Long):Long;
    @Intrinsic("slot.reduce") private static native def reduceOf[T](group:Long, rank:Long, partner:Long, source:Long, tag:Long, operation:Long, first:Long, members:Long, stride:Long, src:Rail[T], srcIndex:Long, srcCount:Long, dst:Rail[T], dstIndex:Long, dstCount:Long):Long;
    @Intrinsic("slot.all_reduce") private static native def allreduceOf[T](group:Long, rank:Long, partner:Long, source:Long, tag:Long, operation:Long, first:Long, members:Long, stride:Long, src:Rail[T], srcIndex:Long, srcCount:Long, dst:Rail[T], dstIndex:Long, dstCount:Long):Long;
    @Intrinsic("slot.send") private static native def sendOf[T](group:Long, rank:Long, partner:Long, source:Long, tag:Long, operation:Long, first:Long, members:Long, stride:Long, buffer:GlobalRail[T], index:Long, count:Long):Long;
    @Intrinsic("slot.receive") private static native def recvOf[T](group:Long, rank:Long, partner:Long, source:Long, tag:Long, operation:Long, first:Long, members:Long, stride:Long, buffer:GlobalRail[T], index:Long, count:Long):Long;
    @Intrinsic("slot.replace") private static native def replaceOf[T](group:Long, rank:Long, partner:Long, source:Long, tag:Long, operation:Long, first:Long, members:Long, stride:Long, buffer:GlobalRail[T], index:Long, count:Long):Long;
    @Intrinsic("slot.start_send") private static native def startSendOf[T](group:Long, rank:Long, partner:Long, source:Long, tag:Long, operation:Long, first:Long, members:Long, stride:Long, buffer:GlobalRail[T], index:Long, count:Long):Long;
    @Intrinsic("slot.start_receive") private static native def startRecvOf[T](group:Long, rank:Long, partner:Long, source:Long, tag:Long, operation:Long, first:Long, members:Long, stride:Long, buffer:GlobalRail[T], index:Long, count:Long):Long;
    @Intrinsic("slot.broadcast") private static native def broadcastOf[T](group:Long, rank:Long, partner:Long, source:Long, tag:Long, operation:Long, first:Long, members:Long, stride:Long, buffer:GlobalRail[T], index:Long, count:Long):Long;
    @Intrinsic("slot.exchange") private static native def exchangeOf[T](group:Long, rank:Long, partner:Long, source:Long, tag:Long, operation:Long, first:Long, members:Long, stride:Long, src:GlobalRail[T], srcIndex:Long, srcCount:Long, dst:GlobalRail[T], dstIndex:Long, dstCount:Long):Long;
    @Intrinsic("slot.gather") private static native def gatherOf[T](group:Long, rank:Long, partner:Long, source:Long, tag:Long, operation:Long, first:Long, members:Long, stride:Long, src:GlobalRail[T], srcIndex:Long, srcCount:Long, dst:GlobalRail[T], dstIndex:Long, dstCount:Long):Long;
    @Intrinsic("slot.scatter") private static native def scatterOf[T](group:Long, rank:Long, partner:Long, source:Long, tag:Long, operation:Long, first:Long, members:Long, stride:Long, src:GlobalRail[T], srcIndex:Long, srcCount:Long, dst:GlobalRail[T], dstIndex:Long, dstCount:Long):Long;
    @Intrinsic("slot.all_gather") private static native def allgatherOf[T](group:Long, rank:Long, partner:Long, source:Long, tag:Long, operation:Long, first:Long, members:Long, stride:Long, src:GlobalRail[T], srcIndex:Long, srcCount:Long, dst:GlobalRail[T], dstIndex:Long, dstCount:Long):Long;
    @Intrinsic("slot.all_to_all") private static native def alltoallOf[T](group:Long, rank:Long, partner:Long, source:Long, tag:Long, operation:Long, first:Long, members:Long, stride:Long, src:GlobalRail[T], srcIndex:Long, srcCount:Long, dst:GlobalRail[T], dstIndex:Long, dstCount:Long):Long;
    @Intrinsic("slot.reduce") private static native def reduceOf[T](group:Long, rank:Long, partner:Long, source:Long, tag:Long, operation:Long, first:Long, members:Long, stride:Long, src:GlobalRail[T], srcIndex:Long, srcCount:Long, dst:GlobalRail[T], dstIndex:Long, dstCount:Long):Long;
    @Intrinsic("slot.all_reduce") private static native def allreduceOf[T](group:Long, rank:Long, partner:Long, source:Long, tag:Long, operation:Long, first:Long, members:Long, stride:Long, src:GlobalRail[T], srcIndex:Long, srcCount:Long, dst:GlobalRail[T], dstIndex:Long, dstCount:Long):Long;
    @Intrinsic("slot.test") private static native def testOf(group:Long, rank:Long, partner:Long, source:Long, tag:Long, operation:Long, first:Long, members:Long, stride:Long):Long;
    @Intrinsic("slot.wait") private static native def waitOf(group:Long, rank:Long, partner:Long, source:Long, tag:Long, operation:Long, first:Long, members:Long, stride:Long):Long;
    @Intrinsic("slot.barrier") private static native def barrierOf(group:Long, rank:Long, partner:Long, source:Long, tag:Long, operation:Long, first:Long, members:Long, stride:Long):Long;
}
