//! Activities of a hand-made program.

#![expect(
    clippy::undocumented_unsafe_blocks,
    reason = "tests call the functions of this crate as generated code does"
)]

use std::sync::Arc;
use std::sync::atomic::{AtomicI64, AtomicUsize, Ordering};
use std::time::Duration;

use crate::heap;
use crate::heap::Ref;
use crate::layout::{ExceptionKind, Outcome, Raised};
use crate::natives::activities::*;
use crate::natives::{clocks, locks, objects};
use crate::program;
use crate::scheduler::parallel_loop::parallel_for;
use crate::testing::{THREADS, closure, finish, gathered, kind_and_message, run, start, types};

/// A counter that closures share.
fn counter() -> Arc<AtomicUsize> {
    Arc::new(AtomicUsize::new(0))
}

fn add(counter: &AtomicUsize) {
    counter.fetch_add(1, Ordering::SeqCst);
}

fn raise(message: &str) -> Outcome<()> {
    Err(program::exception(ExceptionKind::IllegalArgument, message))
}

#[test]
fn a_finish_waits_for_a_hundred_thousand_activities() {
    let count = counter();
    let seen = Arc::clone(&count);
    let exception = run(move || {
        finish(|| {
            for _ in 0..100_000 {
                let count = Arc::clone(&count);
                start(move || {
                    add(&count);
                    Ok(())
                })?;
            }
            Ok(())
        })?;
        assert_eq!(count.load(Ordering::SeqCst), 100_000);
        Ok(())
    });
    assert!(exception.is_null());
    assert_eq!(seen.load(Ordering::SeqCst), 100_000);
}

/// Fibonacci with a finish at each level.
fn fibonacci(n: usize, sum: &Arc<AtomicUsize>) -> Outcome<()> {
    if n < 2 {
        sum.fetch_add(n, Ordering::SeqCst);
        return Ok(());
    }
    let inner = Arc::clone(sum);
    finish(|| {
        start(move || fibonacci(n - 1, &inner))?;
        fibonacci(n - 2, sum)
    })
}

#[test]
fn finishes_nest() {
    let sum = counter();
    let result = Arc::clone(&sum);
    assert!(run(move || fibonacci(16, &sum)).is_null());
    assert_eq!(result.load(Ordering::SeqCst), 987);
}

#[test]
fn blocked_activities_hold_no_thread() {
    // Each waits for the next one; only the last can go on at first.
    let next = Arc::new(AtomicI64::new(100));
    let end = Arc::clone(&next);
    assert!(
        run(move || finish(|| {
            for number in 1..=100 {
                let next = Arc::clone(&next);
                start(move || {
                    when_begin()?;
                    while next.load(Ordering::SeqCst) != number {
                        when_wait()?;
                    }
                    next.store(number - 1, Ordering::SeqCst);
                    atomic_end();
                    Ok(())
                })?;
            }
            Ok(())
        }))
        .is_null()
    );
    assert_eq!(end.load(Ordering::SeqCst), 0);
    const { assert!(THREADS < 100) };
}

#[test]
fn a_finish_gathers_exceptions() {
    let exception = run(|| {
        finish(|| {
            for number in 0..10 {
                start(move || raise(&format!("activity {number}")))?;
            }
            raise("body")
        })
    });
    assert_eq!(kind_and_message(exception).0, "x10.lang.MultipleExceptions");
    let mut messages: Vec<String> =
        gathered(exception).into_iter().map(|it| kind_and_message(it).1).collect();
    assert_eq!(messages[0], "body");
    messages.sort();
    messages.dedup();
    assert_eq!(messages.len(), 11);
}

#[test]
fn uncounted_activities_are_not_waited_for() {
    let gate = counter();
    let open = Arc::clone(&gate);
    // Would never end if the finish waited.
    assert!(
        run(move || finish(|| {
            let gate = Arc::clone(&gate);
            async_uncounted(closure(move || {
                when_begin()?;
                while gate.load(Ordering::SeqCst) == 0 {
                    when_wait()?;
                }
                atomic_end();
                Ok(())
            }))
        }))
        .is_null()
    );
    add(&open);
    assert!(run(|| atomic_begin().map(|()| atomic_end())).is_null());
}

#[test]
fn atomic_sections_exclude_each_other() {
    static mut PLAIN: usize = 0;
    assert!(
        run(|| finish(|| {
            for _ in 0..100 {
                start(|| {
                    for round in 0..100 {
                        atomic_begin()?;
                        atomic_begin()?;
                        unsafe { PLAIN += 1 };
                        atomic_end();
                        atomic_end();
                        if round % 10 == 0 {
                            probe()?;
                        }
                    }
                    Ok(())
                })?;
            }
            Ok(())
        }))
        .is_null()
    );
    assert_eq!(unsafe { PLAIN }, 10_000);
}

#[test]
fn an_atomic_section_must_not_wait() {
    let exception = run(|| {
        atomic_begin()?;
        let result = finish_begin(false).and(async_here(closure(|| Ok(()))));
        atomic_end();
        result
    });
    let (class, message) = kind_and_message(exception);
    assert_eq!(class, "x10.lang.IllegalOperationException");
    assert!(message.contains("`finish` inside `atomic`"), "{message}");
}

#[test]
fn clocks_keep_activities_in_step() {
    const PARTIES: usize = 12;
    const PHASES: usize = 40;
    let arrivals: Arc<Vec<AtomicUsize>> = Arc::new((0..PHASES).map(|_| AtomicUsize::new(0)).collect());
    let all = Arc::clone(&arrivals);
    let exception = run(move || {
        finish_begin(true)?;
        for _ in 0..PARTIES {
            let arrivals = Arc::clone(&arrivals);
            async_clocked(closure(move || {
                for phase in 0..PHASES {
                    add(&arrivals[phase]);
                    clocks::clock_advance_all()?;
                    assert_eq!(arrivals[phase].load(Ordering::SeqCst), PARTIES);
                }
                Ok(())
            }))?;
        }
        finish_end(Ref::NULL)
    });
    assert!(exception.is_null());
    assert!(all.iter().all(|phase| phase.load(Ordering::SeqCst) == PARTIES));
}

#[test]
fn resume_does_not_wait_and_drop_lets_others_go() {
    let exception = run(|| {
        let clock = clocks::clock_make()?;
        assert_eq!(clocks::clock_phase(clock)?, 1);
        assert!(clocks::clock_registered(clock));
        // Alone on the clock: nothing to wait for.
        clocks::clock_resume(clock)?;
        clocks::clock_resume(clock)?;
        assert_eq!(clocks::clock_phase(clock)?, 1);
        clocks::clock_advance(clock)?;
        clocks::clock_advance(clock)?;
        assert_eq!(clocks::clock_phase(clock)?, 3);
        clocks::clock_drop(clock)?;
        assert!(!clocks::clock_registered(clock));
        clocks::clock_advance(clock)
    });
    let (class, message) = kind_and_message(exception);
    assert_eq!(class, "x10.lang.ClockUseException");
    assert!(message.contains("not registered"), "{message}");
}

#[test]
fn a_clock_needs_a_registration() {
    let exception = run(|| finish(|| async_clocked(closure(|| Ok(())))));
    let inner = gathered(exception)[0];
    assert_eq!(kind_and_message(inner).0, "x10.lang.ClockUseException");
}

#[test]
fn sleeping_lets_others_run() {
    let order = Arc::new(parking_lot::Mutex::new(Vec::new()));
    let result = Arc::clone(&order);
    let exception = run(move || {
        finish(|| {
            for number in [3_usize, 1, 2] {
                let order = Arc::clone(&order);
                start(move || {
                    sleep(number as i64 * 60)?;
                    order.lock().push(number);
                    Ok(())
                })?;
            }
            Ok(())
        })
    });
    assert!(exception.is_null());
    assert_eq!(*result.lock(), [1, 2, 3]);
}

#[test]
fn locks_belong_to_their_owner() {
    let exception = run(|| {
        let lock = locks::lock_make();
        locks::lock_enter(lock)?;
        assert!(locks::lock_try(lock));
        finish(|| {
            start(move || {
                assert!(!locks::lock_try(lock));
                locks::lock_exit(lock)
            })
        })
    });
    assert_eq!(kind_and_message(gathered(exception)[0]).0, "x10.lang.IllegalOperationException");
}

#[test]
fn static_fields_are_initialised_once() {
    let state: &'static crate::layout::StaticState = Box::leak(Box::new(crate::layout::StaticState {
        state: Default::default(),
        name: c"Main.field".as_ptr(),
        failure: Ref::NULL,
    }));
    let pointer = std::ptr::from_ref(state) as usize;
    let count = counter();
    let times = Arc::clone(&count);
    let exception = run(move || {
        finish(|| {
            for _ in 0..50 {
                let count = Arc::clone(&count);
                start(move || {
                    if objects::static_begin(pointer as *mut _)? {
                        add(&count);
                        probe()?;
                        objects::static_end(pointer as *mut _, Ref::NULL)?;
                    }
                    Ok(())
                })?;
            }
            Ok(())
        })
    });
    assert!(exception.is_null());
    assert_eq!(times.load(Ordering::SeqCst), 1);
}

#[test]
fn parallel_loops_do_everything_once() {
    let exception = run(|| {
        let done: Vec<AtomicUsize> = (0..10_000).map(|_| AtomicUsize::new(0)).collect();
        let body = |first: i64, last: i64| {
            done[first as usize..last as usize].iter().for_each(add);
            Ref::NULL
        };
        for count in [0, 1, 7, 10_000] {
            assert!(parallel_for(count, &body).is_null());
        }
        assert!(done.iter().skip(7).all(|times| times.load(Ordering::SeqCst) == 1));
        assert_eq!(done[0].load(Ordering::SeqCst), 3);
        let failing = |first: i64, _: i64| match first {
            0 => Ref::NULL,
            _ => program::exception(ExceptionKind::ArrayIndexOutOfBounds, "in a loop").0,
        };
        crate::natives::outcome(parallel_for(1000, &failing))
    });
    assert_eq!(kind_and_message(exception).1, "in a loop");
}

#[test]
fn at_here_runs_a_copy() {
    let count = counter();
    let seen = Arc::clone(&count);
    let exception = run(move || {
        let original = closure(move || {
            add(&count);
            Ok(())
        });
        at(0, original)?;
        let copy = at_value(0, original)?;
        assert_ne!(copy, original);
        at(0, copy)?;
        async_at(7, copy)
    });
    assert_eq!(seen.load(Ordering::SeqCst), 2);
    assert_eq!(kind_and_message(exception).0, "x10.lang.BadPlaceException");
}

#[inline(never)]
fn list(length: i64) -> Ref {
    let mut head = Ref::NULL;
    for value in 0..length {
        let new = heap::allocate(types::node()).expect("room");
        unsafe {
            new.at(8).cast::<Ref>().write(head);
            new.at(16).cast::<i64>().write(value);
        }
        head = new;
    }
    head
}

fn sum(mut at: Ref) -> i64 {
    let mut sum = 0;
    while !at.is_null() {
        unsafe {
            sum += at.at(16).cast::<i64>().read();
            at = at.at(8).cast::<Ref>().read();
        }
    }
    sum
}

/// Allocates at each level of a tree of activities, and looks at its list after waiting for those below.
fn churn(depth: usize) -> Outcome<()> {
    let own = list(200);
    finish(|| {
        if depth > 0 {
            for _ in 0..4 {
                start(move || churn(depth - 1))?;
            }
        }
        list(200);
        probe()
    })?;
    assert_eq!(sum(own), 19_900);
    Ok(())
}

#[test]
fn suspended_activities_keep_their_objects() {
    let stop = counter();
    let stopped = Arc::clone(&stop);
    let collector = std::thread::spawn(move || {
        while stop.load(Ordering::SeqCst) == 0 {
            heap::collect();
            std::thread::sleep(std::time::Duration::from_millis(1));
        }
    });
    let exception = run(|| churn(5));
    add(&stopped);
    assert!(exception.is_null());
    collector.join().expect("no panic");
}

#[test]
fn an_exception_survives_until_its_finish_ends() {
    let exception = run(|| {
        finish(|| {
            start(|| raise("kept"))?;
            for _ in 0..20 {
                list(100);
                heap::collect();
                probe()?;
            }
            Ok(())
        })
    });
    heap::collect();
    assert_eq!(kind_and_message(gathered(exception)[0]).1, "kept");
    let _: Raised = Raised(exception);
}

#[test]
fn finishes_of_a_deep_recursion_are_given_back() {
    fn nest(depth: usize) -> Outcome<()> {
        if depth == 0 { Ok(()) } else { finish(|| nest(depth - 1)) }
    }
    let kept = Arc::new(AtomicUsize::new(0));
    let seen = Arc::clone(&kept);
    assert!(
        run(move || {
            nest(1000)?;
            let fiber = crate::scheduler::fiber::current().expect("activities run on fibers");
            assert!(fiber.finishes.get() >= 1000);
            assert_eq!(crate::apgas::finish::Finish::free_spares(fiber, 64), 64);
            nest(100)?;
            let mut next = crate::apgas::finish::Finish::from_header(fiber.header.spare.get());
            // SAFETY: each in the list lives, and knows the next.
            while let Some(finish) = unsafe { next.as_ref() } {
                kept.fetch_add(1, Ordering::SeqCst);
                next = finish.outer();
            }
            Ok(())
        })
        .is_null()
    );
    assert_eq!(seen.load(Ordering::SeqCst), 100);
}

#[test]
fn activity_that_parks_briefly_leaves_its_thread_to_tasks() {
    let done = counter();
    let seen = Arc::clone(&done);
    let exception = run(move || {
        finish(|| {
            let park = crate::apgas::device_wait::DEVICE_WAIT_POLICY.park.expect("activities may");
            // In all threads; what ends it has none of its own.
            for _ in 0..THREADS {
                let done = Arc::clone(&done);
                start(move || {
                    while done.load(Ordering::SeqCst) == 0 {
                        if !park(Duration::from_millis(5)) {
                            crate::scheduler::park::yield_now();
                        }
                    }
                    Ok(())
                })?;
            }
            let done = Arc::clone(&done);
            let _external = crate::scheduler::ExternalEventGuard::new();
            crate::scheduler::park::block(move |waker| {
                std::thread::spawn(move || {
                    std::thread::sleep(Duration::from_millis(30));
                    waker.wake();
                });
            });
            add(&done);
            Ok(())
        })
    });
    assert!(exception.is_null());
    assert_eq!(seen.load(Ordering::SeqCst), 1);
}

#[test]
fn work_that_is_expected_is_found() {
    let exception = run(|| {
        for _ in 0..100 {
            crate::scheduler::park::block(|waker| {
                std::thread::spawn(move || {
                    crate::scheduler::hint_work_soon(true);
                    std::thread::sleep(Duration::from_micros(300));
                    waker.wake();
                    crate::scheduler::hint_work_soon(false);
                });
            });
        }
        Ok(())
    });
    assert!(exception.is_null());
}

#[test]
fn a_ready_activity_runs_while_others_keep_all_threads() {
    let flag = counter();
    assert!(
        run(move || finish(|| {
            let spin = |flag: &Arc<AtomicUsize>| {
                let flag = Arc::clone(flag);
                start(move || {
                    while flag.load(Ordering::SeqCst) == 0 {
                        std::hint::spin_loop();
                    }
                    Ok(())
                })
            };
            (0..=THREADS).try_for_each(|_| spin(&flag))?;
            let own = Arc::clone(&flag);
            start(move || {
                // It sleeps, and continues though no thread has become free.
                sleep(1)?;
                own.store(1, Ordering::SeqCst);
                Ok(())
            })?;
            (0..=THREADS).try_for_each(|_| spin(&flag))
        }))
        .is_null()
    );
}

/// While one activity is in the section for long, each thread keeps what it has begun for a while: not all
/// begin and are suspended.
#[test]
fn few_activities_wait_for_the_atomic_section() {
    const ACTIVITIES: usize = 5000;
    let begun = counter();
    let seen = counter();
    let result = Arc::clone(&seen);
    assert!(
        run(move || finish(|| {
            let (inside, all) = (counter(), Arc::clone(&begun));
            let (entered, seen) = (Arc::clone(&inside), Arc::clone(&seen));
            start(move || {
                atomic_begin()?;
                add(&entered);
                std::thread::sleep(Duration::from_millis(50));
                seen.store(all.load(Ordering::SeqCst), Ordering::SeqCst);
                atomic_end();
                Ok(())
            })?;
            while inside.load(Ordering::SeqCst) == 0 {
                probe()?;
            }
            (0..ACTIVITIES).try_for_each(|_| {
                let begun = Arc::clone(&begun);
                start(move || {
                    add(&begun);
                    atomic_begin()?;
                    atomic_end();
                    Ok(())
                })
            })
        }))
        .is_null()
    );
    let seen = result.load(Ordering::SeqCst);
    assert!(seen < ACTIVITIES / 2, "{seen} have begun");
}
