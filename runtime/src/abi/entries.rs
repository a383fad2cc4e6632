//! The list of runtime entries: each is declared here once, next to the module that implements it.
//!
//! `plain fn f(a: A) -> R;` is implemented by `fn f(a: A) -> R`, `raises fn f(a: A) -> R;` by
//! `fn f(a: A) -> Outcome<R>`. A native member `@Intrinsic("rt.f")` of the class library calls entry `f`.

use super::*;

/// Field type of an entry in the table.
macro_rules! pointer {
    (plain ($($ty:tt),*) ()) => { unsafe extern "C" fn($($ty),*) };
    (plain ($($ty:tt),*) $result:tt) => { unsafe extern "C" fn($($ty),*) -> $result };
    (raises ($($ty:tt),*) ()) => { unsafe extern "C" fn($($ty),*) -> Ref };
    (raises ($($ty:tt),*) $result:tt) => { unsafe extern "C" fn($($ty,)* *mut $result) -> Ref };
}

/// The C function of an entry.
macro_rules! shim {
    (plain $path:path, ($($arg:ident: $ty:tt),*) $result:tt) => {{
        unsafe extern "C" fn shim($($arg: $ty),*) -> $result {
            $path($($arg),*)
        }
        shim
    }};
    (raises $path:path, ($($arg:ident: $ty:tt),*) ()) => {{
        unsafe extern "C" fn shim($($arg: $ty),*) -> Ref {
            match $path($($arg),*) {
                Ok(()) => Ref::NULL,
                Err(raised) => raised.0,
            }
        }
        shim
    }};
    (raises $path:path, ($($arg:ident: $ty:tt),*) $result:tt) => {{
        unsafe extern "C" fn shim($($arg: $ty,)* out: *mut $result) -> Ref {
            match $path($($arg),*) {
                Ok(value) => {
                    // SAFETY: the caller's wrapper passes the address of a local.
                    unsafe { out.write(value) };
                    Ref::NULL
                }
                Err(raised) => raised.0,
            }
        }
        shim
    }};
}

macro_rules! is_raising {
    (plain) => {
        false
    };
    (raises) => {
        true
    };
}

macro_rules! entries {
    ($(in natives::$module:ident { $(
        $(#[doc = $doc:literal])+
        $kind:ident fn $name:ident($($arg:ident: $ty:tt),*) -> $result:tt;
    )* })*) => {
        /// The table that the runtime hands to the program (`apg_runtime` in C).
        #[allow(missing_docs, reason = "each item is documented where it is declared")]
        #[derive(Debug)]
        #[repr(C)]
        pub struct Runtime {
            pub abi: u32,
            pub entry_count: u32,
            pub here: i64,
            /// Generated code may start activities itself ([`crate::scheduler::abi_layout`]).
            pub quick: std::sync::atomic::AtomicU64,
            /// What every place has its own of ([`crate::apgas::place_local::table`]).
            pub locals: *const crate::apgas::place_local::Table,
            $($( pub $name: pointer!($kind ($($ty),*) $result), )*)*
        }

        /// All entries, in the order of the table.
        pub const ENTRIES: &[Entry] = &[$($(
            Entry {
                name: stringify!($name),
                doc: concat!($($doc),+),
                params: &[$((stringify!($arg), <$ty as AbiType>::TY)),*],
                result: <$result as AbiType>::TY,
                raises: is_raising!($kind),
            },
        )*)*];

        /// The table of a process that is place `here`.
        pub fn table(here: i64) -> Runtime {
            Runtime {
                abi: VERSION,
                entry_count: ENTRIES.len() as u32,
                here,
                quick: u64::from(crate::scheduler::abi_layout::is_inline_spawn_allowed()).into(),
                locals: crate::apgas::place_local::table(),
                $($( $name: shim!($kind crate::natives::$module::$name, ($($arg: $ty),*) $result), )*)*
            }
        }
    };
}

entries! {
    in natives::objects {
        /// A new object with zero fields.
        raises fn allocate(ty: DescriptorPointer) -> Ref;
        /// A new rail of zeros; a negative length raises NegativeArraySizeException.
        raises fn allocate_rail(ty: DescriptorPointer, length: i64) -> Ref;
        /// A new rail whose elements the program sets before anything reads them: what they are at first is
        /// anything.
        raises fn allocate_rail_unwritten(ty: DescriptorPointer, length: i64) -> Ref;
        /// The one string of the process with this text (UTF-8, `length` bytes).
        raises fn string_literal(bytes: Text, length: i64) -> Ref;
        /// Raises the exception of an apg_exception_kind; always throws.
        raises fn raise(kind: u32, message: Text) -> ();
        /// Raises NullPointerException; always throws.
        raises fn raise_null() -> ();
        /// Raises ArrayIndexOutOfBoundsException; always throws.
        raises fn raise_bounds(index: i64, length: i64) -> ();
        /// Raises ArithmeticException for a division by zero; always throws.
        raises fn raise_division() -> ();
        /// Raises ClassCastException; always throws.
        raises fn raise_cast(object: Ref, target: Text) -> ();
        /// Raises IllegalArgumentException: the object of that number was forgotten; always throws.
        raises fn raise_forgotten(number: i64) -> ();
        /// The stack seems to be full: raises StackOverflowError if it is.
        raises fn stack_overflow() -> ();
        /// Makes the object a root of the collector until `release_root`.
        plain fn hold_root(object: Ref) -> u64;
        /// Ends what `hold_root` began.
        plain fn release_root(root: u64) -> ();
        /// A number that stays with the object; 0 for null.
        plain fn identity_hash(object: Ref) -> i32;
        /// The X10 name of the object's class.
        raises fn object_type_name(object: Ref) -> Ref;
        /// The default toString: class name, `@`, identity hash in hexadecimal.
        raises fn object_to_string(object: Ref) -> Ref;
        /// Whether the caller must initialise the static field; otherwise it is ready, or raises what its
        /// initialiser raised.
        raises fn static_begin(state: StaticPointer) -> bool;
        /// Ends the initialisation that static_begin gave; raises `failure` unless it is null.
        raises fn static_end(state: StaticPointer, failure: Ref) -> ();
        /// Copies elements between rails of one type, which may overlap; bounds are checked.
        raises fn rail_copy(source: Ref, source_index: i64, target: Ref, target_index: i64, count: i64) -> ();
        /// Zeroes elements; bounds are checked.
        raises fn rail_clear(rail: Ref, start: i64, count: i64) -> ();
        /// Registers an object under a number that other places can hold; it stays alive until forgotten. 0
        /// for null.
        raises fn global_ref_register(object: Ref) -> i64;
        /// The object registered here under that number.
        raises fn global_ref_get(handle: i64) -> Ref;
        /// Ends a registration.
        plain fn global_ref_forget(handle: i64) -> ();
        /// What the GlobalRefs to an object of this place share, or null.
        plain fn global_find(target: Ref) -> Ref;
        /// The same, which is `token` unless there is another one.
        raises fn global_enter(token: Ref, target: Ref) -> Ref;
        /// References of other places do not keep the object alive any more.
        raises fn global_forget(token: Ref) -> ();
    }
    in natives::serializer {
        /// An object with all that it refers to as bytes, in a rail of the type of `sample`.
        raises fn graph_encode(object: Ref, sample: Ref) -> Ref;
        /// The object that graph_encode made bytes of.
        raises fn graph_decode(bytes: Ref) -> Ref;
    }
    in natives::activities {
        /// Starts `closure` as an activity here, governed by the innermost finish.
        raises fn async_here(closure: Ref) -> ();
        /// As async_here, registered on the clock of the innermost clocked finish.
        raises fn async_clocked(closure: Ref) -> ();
        /// As async_here, registered on these clocks (x10.lang.Clock objects).
        raises fn async_on_clocks(closure: Ref, clocks: Refs, count: u32) -> ();
        /// Starts `closure` as an activity that no finish waits for.
        raises fn async_uncounted(closure: Ref) -> ();
        /// Starts a copy of `closure` at a place, governed by the innermost finish, which also gets what goes
        /// wrong on the way.
        raises fn async_at(place: i64, closure: Ref) -> ();
        /// As async_at, but raises what goes wrong before it arrives.
        raises fn at_async(place: i64, closure: Ref) -> ();
        /// As async_at, registered on the clock of the innermost clocked finish.
        raises fn async_at_clocked(place: i64, closure: Ref) -> ();
        /// As async_at, registered on these clocks.
        raises fn async_at_on_clocks(place: i64, closure: Ref, clocks: Refs, count: u32) -> ();
        /// Starts a copy of `closure` at a place; no finish waits for it.
        raises fn async_at_uncounted(place: i64, closure: Ref) -> ();
        /// Runs a copy of `closure` at a place and waits.
        raises fn at(place: i64, closure: Ref) -> ();
        /// Runs a copy of `closure`, which returns a reference, at a place, and returns a copy of its result.
        raises fn at_value(place: i64, closure: Ref) -> Ref;
        /// Opens a finish; a clocked one makes a clock and registers this activity on it.
        raises fn finish_begin(clocked: bool) -> ();
        /// Closes the innermost finish, whose body raised `exception` or null: waits, then raises all
        /// exceptions as one.
        raises fn finish_end(exception: Ref) -> ();
        /// An activity of the innermost finish, which ran on the caller's stack, has ended with that
        /// exception or null, or with clocks.
        plain fn finish_note(exception: Ref) -> ();
        /// A thread without work is to look for some.
        plain fn wake_worker() -> ();
        /// Enters the place's atomic section.
        raises fn atomic_begin() -> ();
        /// Leaves it; guards of waiting `when`s are evaluated again.
        plain fn atomic_end() -> ();
        /// Enters the atomic section to evaluate the guards of a `when`; atomic_end leaves it.
        raises fn when_begin() -> ();
        /// No guard holds: leaves the section, waits until another atomic section ended, enters it again.
        raises fn when_wait() -> ();
        /// Lets other activities run for at least that long.
        raises fn sleep(milliseconds: i64) -> ();
        /// Lets other activities run.
        raises fn probe() -> ();
        /// The finish that waits for what the caller starts: `PLACE << 40 | NUMBER`; negative if there is
        /// none.
        plain fn finish_id() -> i64;
        /// Number of threads that run activities here.
        plain fn worker_count() -> i32;
        /// The most threads that can run activities here.
        plain fn max_worker_count() -> i32;
        /// Number of the thread that runs this activity, from 0.
        plain fn worker_id() -> i32;
        /// How many activities wait to begin, or to go on, in the queue of this activity's thread.
        plain fn surplus_activities() -> i32;
        /// Starts an activity that nothing waits for, and that belongs to no job.
        raises fn async_without_job(closure: Ref) -> ();
        /// Starts an activity of the innermost finish that is a job of that epoch.
        raises fn async_job(closure: Ref, epoch: i64) -> ();
        /// The epoch of jobs that are submitted at this place.
        plain fn job_epoch() -> i64;
        /// Cancels all jobs at this place: its new epoch.
        plain fn cancel_jobs() -> i64;
        /// Cancels all jobs of older epochs at this place.
        plain fn cancel_jobs_before(epoch: i64) -> ();
    }
    in natives::clocks {
        /// A new clock, with this activity registered on it: its handle, kept in the field `handle` of
        /// x10.lang.Clock.
        raises fn clock_make() -> i64;
        /// Waits for all activities registered on the clock.
        raises fn clock_advance(clock: i64) -> ();
        /// Says that this activity is done with the clock's phase, without waiting.
        raises fn clock_resume(clock: i64) -> ();
        /// Ends this activity's registration.
        raises fn clock_drop(clock: i64) -> ();
        /// The phase of this activity on the clock, from 1.
        raises fn clock_phase(clock: i64) -> i32;
        /// Whether this activity is registered on the clock.
        plain fn clock_registered(clock: i64) -> bool;
        /// Advances on all clocks of this activity.
        raises fn clock_advance_all() -> ();
        /// Resumes all clocks of this activity.
        raises fn clock_resume_all() -> ();
    }
    in natives::locks {
        /// A new lock: its handle.
        plain fn lock_make() -> i64;
        /// Takes it; waits while another activity has it.
        raises fn lock_enter(lock: i64) -> ();
        /// Takes it if it is free.
        plain fn lock_try(lock: i64) -> bool;
        /// Releases it; raises IllegalOperationException if this activity does not have it.
        raises fn lock_exit(lock: i64) -> ();
        /// How often this activity has taken it.
        plain fn lock_hold_count(lock: i64) -> i32;
    }
    in natives::atomics {
        /// The one element of the rail.
        plain fn atomic_load_i32(rail: Ref) -> i32;
        /// Sets the one element of the rail.
        plain fn atomic_store_i32(rail: Ref, value: i32) -> ();
        /// Sets the one element of the rail: what it was.
        plain fn atomic_swap_i32(rail: Ref, value: i32) -> i32;
        /// Adds to the one element of the rail: what it was.
        plain fn atomic_add_i32(rail: Ref, delta: i32) -> i32;
        /// Sets the one element of the rail if it is as expected: whether it did.
        plain fn atomic_compare_i32(rail: Ref, expected: i32, value: i32) -> bool;
        /// The one element of the rail.
        plain fn atomic_load_i64(rail: Ref) -> i64;
        /// Sets the one element of the rail.
        plain fn atomic_store_i64(rail: Ref, value: i64) -> ();
        /// Sets the one element of the rail: what it was.
        plain fn atomic_swap_i64(rail: Ref, value: i64) -> i64;
        /// Adds to the one element of the rail: what it was.
        plain fn atomic_add_i64(rail: Ref, delta: i64) -> i64;
        /// Sets the one element of the rail if it is as expected: whether it did.
        plain fn atomic_compare_i64(rail: Ref, expected: i64, value: i64) -> bool;
        /// The one element of the rail.
        plain fn atomic_load_ref(rail: Ref) -> Ref;
        /// Sets the one element of the rail.
        plain fn atomic_store_ref(rail: Ref, value: Ref) -> ();
        /// Sets the one element of the rail: what it was.
        plain fn atomic_swap_ref(rail: Ref, value: Ref) -> Ref;
        /// Sets the one element of the rail if it is the expected object: whether it did.
        plain fn atomic_compare_ref(rail: Ref, expected: Ref, value: Ref) -> bool;
        /// Orders all accesses to memory before it before all after it.
        plain fn atomic_fence() -> ();
    }
    in natives::strings {
        /// The two strings concatenated; null reads `null`.
        raises fn string_concat(left: Ref, right: Ref) -> Ref;
        /// Number of bytes.
        raises fn string_length(string: Ref) -> i32;
        /// The byte at an index.
        raises fn string_char_at(string: Ref, index: i32) -> Char;
        /// The bytes from `start` up to, not including, `end`.
        raises fn string_substring(string: Ref, start: i32, end: i32) -> Ref;
        /// First index of `other` from `start`, or -1.
        raises fn string_index_of(string: Ref, other: Ref, start: i32) -> i32;
        /// Last index of `other` that is at most `start`, or -1.
        raises fn string_last_index_of(string: Ref, other: Ref, start: i32) -> i32;
        /// Whether both have the same text; false when `other` is no string.
        raises fn string_equals(string: Ref, other: Ref) -> bool;
        /// Less than, equal to or more than 0, byte by byte.
        raises fn string_compare(string: Ref, other: Ref) -> i32;
        /// 31-based polynomial over the bytes.
        raises fn string_hash(string: Ref) -> i32;
        /// In lower case.
        raises fn string_to_lower(string: Ref) -> Ref;
        /// In upper case.
        raises fn string_to_upper(string: Ref) -> Ref;
        /// Without white space at both ends.
        raises fn string_trim(string: Ref) -> Ref;
        /// A string of `count` bytes of a Rail[Byte] from `start`.
        raises fn string_from_bytes(rail: Ref, start: i64, count: i64) -> Ref;
        /// A string of `count` characters of a Rail[Char] from `start`.
        raises fn string_from_chars(rail: Ref, start: i64, count: i64) -> Ref;
        /// Copies the string's bytes into a Rail[Byte] at `start`.
        raises fn string_copy_bytes(string: Ref, rail: Ref, start: i64) -> ();
    }
    in natives::string_concat {
        /// The concatenation of `count` parts (`apg_part`); at most 8.
        raises fn string_join(parts: Bytes, count: i64) -> Ref;
        /// The text of a string and those of `count` parts behind it; `own`: nobody else has the string,
        /// which may become that.
        raises fn string_append(string: Ref, own: bool, parts: Bytes, count: i64) -> Ref;
    }
    in natives::format {
        /// printf-like formatting of a Rail[Any].
        raises fn string_format(format: Ref, arguments: Ref) -> Ref;
    }
    in natives::characters {
        /// The character as UTF-8.
        raises fn string_from_char(value: Char) -> Ref;
        /// Whether it is a lower-case letter.
        plain fn char_is_lower(value: Char) -> bool;
        /// Whether it is an upper-case letter.
        plain fn char_is_upper(value: Char) -> bool;
        /// Whether it is a decimal digit.
        plain fn char_is_digit(value: Char) -> bool;
        /// Whether it is a letter.
        plain fn char_is_letter(value: Char) -> bool;
        /// Whether it is white space.
        plain fn char_is_whitespace(value: Char) -> bool;
        /// Its lower case.
        plain fn char_to_lower(value: Char) -> Char;
        /// Its upper case.
        plain fn char_to_upper(value: Char) -> Char;
    }
    in natives::numbers {
        /// `true` or `false`.
        raises fn string_from_bool(value: bool) -> Ref;
        /// Decimal.
        raises fn string_from_i64(value: i64) -> Ref;
        /// Decimal.
        raises fn string_from_u64(value: u64) -> Ref;
        /// Shortest decimal that reads back as the same Float.
        raises fn string_from_f32(value: f32) -> Ref;
        /// Shortest decimal that reads back as the same Double.
        raises fn string_from_f64(value: f64) -> Ref;
        /// Digits in a radix from 2 to 36, with a minus sign.
        raises fn string_from_i64_radix(value: i64, radix: i32) -> Ref;
        /// Digits in a radix from 2 to 36.
        raises fn string_from_u64_radix(value: u64, radix: i32) -> Ref;
        /// As C's and Java's hexadecimal floating-point text, `0x1.8p1`.
        raises fn hex_string_from_f32(value: f32) -> Ref;
        /// As C's and Java's hexadecimal floating-point text, `0x1.8p1`.
        raises fn hex_string_from_f64(value: f64) -> Ref;
        /// Reads an integer in a radix; NumberFormatException otherwise.
        raises fn parse_i64(string: Ref, radix: i32) -> i64;
        /// Reads an unsigned integer in a radix; NumberFormatException otherwise.
        raises fn parse_u64(string: Ref, radix: i32) -> u64;
        /// Reads a Float; NumberFormatException otherwise.
        raises fn parse_f32(string: Ref) -> f32;
        /// Reads a Double; NumberFormatException otherwise.
        raises fn parse_f64(string: Ref) -> f64;
        /// What is left after the nearest multiple of a number.
        plain fn math_remainder(value: f64, of: f64) -> f64;
        /// The number times two to the power of another.
        plain fn math_scale(value: f64, exponent: i32) -> f64;
    }
    in natives::console {
        /// Writes a string to standard output (1) or standard error (2).
        raises fn console_print(stream: i32, string: Ref) -> ();
        /// Writes what is buffered.
        raises fn console_flush(stream: i32) -> ();
        /// A line of standard input without its end; null at the end.
        raises fn console_read_line() -> Ref;
        /// A byte of standard input; -1 at the end.
        raises fn console_read_byte() -> i32;
    }
    in natives::system {
        /// Nanoseconds of a clock that never goes back.
        plain fn nano_time() -> i64;
        /// Milliseconds since 1970.
        plain fn current_time_millis() -> i64;
        /// The status with which the program will end.
        plain fn set_exit_code(code: i32) -> ();
        /// Ends this place at once.
        plain fn kill_here() -> ();
        /// The value of an environment variable, or null.
        raises fn getenv(name: Ref) -> Ref;
        /// All environment variables, `NAME=VALUE` with a zero byte after each.
        raises fn environment() -> Ref;
        /// `PID@HOST` of this place's process.
        raises fn process_name() -> Ref;
        /// Collects garbage now.
        plain fn gc() -> ();
        /// Bytes in use in the heap.
        plain fn heap_size() -> i64;
    }
    in natives::backtrace {
        /// Fills a Rail[Long] with the return addresses of the caller, innermost first; the rest stays 0.
        raises fn stack_capture(frames: Ref) -> ();
        /// `Class.method (file.x10:line)` for each call of a trace, a line each; if brief, repeated ones are
        /// counted.
        raises fn stack_describe(frames: Ref, brief: bool) -> Ref;
    }
    in natives::live_views {
        /// Serves a picture on a port of the loopback interface (0: any): its handle.
        raises fn view_open(title: Ref, port: i32) -> i64;
        /// The address of its page.
        raises fn view_url(view: i64) -> Ref;
        /// Shows a frame, JSON text.
        raises fn view_show(view: i64, frame: Ref) -> ();
        /// Whether a page is open.
        raises fn view_is_watched(view: i64) -> bool;
        /// Whether an open page has the latest frame.
        raises fn view_is_delivered(view: i64) -> bool;
        /// Ends it.
        plain fn view_close(view: i64) -> ();
    }
    in natives::files {
        /// Opens a file to read: its handle.
        raises fn file_open_read(name: Ref) -> i64;
        /// Opens a file to write, anew or at its end: its handle.
        raises fn file_open_write(name: Ref, append: bool) -> i64;
        /// Starts a command of the shell: a handle to read its output.
        raises fn process_open_read(command: Ref) -> i64;
        /// Starts a command of the shell: a handle to write its input.
        raises fn process_open_write(command: Ref) -> i64;
        /// Closes it; of a command, waits for its end.
        raises fn file_close(file: i64) -> ();
        /// A byte; -1 at the end.
        raises fn file_read_byte(file: i64) -> i32;
        /// A line without its end; null at the end.
        raises fn file_read_line(file: i64) -> Ref;
        /// Reads up to `count` bytes into a Rail[Byte] at `start`: how many, 0 at the end.
        raises fn file_read(file: i64, rail: Ref, start: i64, count: i64) -> i64;
        /// Bytes that can be read without waiting.
        raises fn file_available(file: i64) -> i64;
        /// Writes the lowest byte of a number.
        raises fn file_write_byte(file: i64, byte: i32) -> ();
        /// Writes a string.
        raises fn file_write_string(file: i64, string: Ref) -> ();
        /// Writes bytes of a Rail[Byte].
        raises fn file_write(file: i64, rail: Ref, start: i64, count: i64) -> ();
        /// Hands what is buffered to the system.
        raises fn file_flush(file: i64) -> ();
        /// Bytes of a file; -1 if there is none.
        raises fn file_size(name: Ref) -> i64;
        /// Whether something of that name is there.
        raises fn file_exists(name: Ref) -> bool;
        /// Whether a directory of that name is there.
        raises fn file_is_directory(name: Ref) -> bool;
        /// Deletes a file or an empty directory: whether it did.
        raises fn file_delete(name: Ref) -> bool;
        /// Makes a directory: whether it did.
        raises fn file_mkdir(name: Ref) -> bool;
        /// Makes a directory and those that it is in: whether it is there.
        raises fn file_mkdirs(name: Ref) -> bool;
        /// Gives a file another name: whether it did.
        raises fn file_rename(from: Ref, to: Ref) -> bool;
        /// The names in a directory, a slash after each; null if it is none.
        raises fn file_list(name: Ref) -> Ref;
        /// When a file was changed, in milliseconds since 1970; 0 if there is none.
        raises fn file_modified(name: Ref) -> i64;
        /// Sets when a file was changed: whether it did.
        raises fn file_set_modified(name: Ref, milliseconds: i64) -> bool;
        /// Whether the program may do this with a file: 4 read, 2 write.
        raises fn file_may(name: Ref, what: i32) -> bool;
        /// The path from the root on.
        raises fn file_absolute(name: Ref) -> Ref;
        /// The path from the root on, without links.
        raises fn file_canonical(name: Ref) -> Ref;
        /// Where in the file the next byte is read.
        raises fn file_position(file: i64) -> i64;
        /// Reads on at this position.
        raises fn file_seek(file: i64, position: i64) -> ();
    }
    in natives::places {
        /// Number of host places.
        plain fn place_count() -> i64;
        /// Number of all places.
        plain fn place_total() -> i64;
        /// Whether it is an accelerator.
        plain fn place_is_accelerator(place: i64) -> bool;
        /// The host of an accelerator; a host is its own.
        plain fn place_parent(place: i64) -> i64;
        /// The host place in whose process the place lives.
        plain fn place_host(place: i64) -> i64;
        /// What the place is, for people.
        raises fn place_name(place: i64) -> Ref;
        /// Raises BadPlaceException: something lives at another place; always throws.
        raises fn raise_elsewhere(what: Ref, home: i64) -> ();
        /// Number of accelerators of a host.
        plain fn place_child_count(place: i64) -> i64;
        /// An accelerator of a host.
        raises fn place_child(place: i64, index: i64) -> i64;
        /// Which of its host's accelerators it is.
        raises fn place_child_index(place: i64) -> i64;
        /// A new number for an object of each place (PlaceLocalHandle), the same at all places.
        plain fn place_local_make() -> i64;
        /// This place's object with that number, or null.
        plain fn place_local_get(number: i64) -> Ref;
        /// Sets it; null ends it.
        plain fn place_local_set(number: i64, object: Ref) -> ();
        /// Starts a copy from a rail here to a global rail; the innermost finish waits for it.
        raises fn async_put(source: Ref, source_index: i64, target_size: i64, target_home: i64, target_handle: i64, target_index: i64, count: i64) -> ();
        /// Starts a copy from a global rail to a rail here; the innermost finish waits for it.
        raises fn async_get(source_size: i64, source_home: i64, source_handle: i64, source_index: i64, target: Ref, target_index: i64, count: i64) -> ();
        /// Starts a copy between global rails of accelerators of this host, whose elements are like those of
        /// `sample`; the innermost finish waits for it.
        raises fn async_copy_devices(sample: Ref, source_size: i64, source_home: i64, source_handle: i64, source_index: i64, target_size: i64, target_home: i64, target_handle: i64, target_index: i64, count: i64) -> ();
    }
    in natives::teams {
        /// A number for a new team.
        plain fn team_number() -> i32;
        /// Nothing is done with the team any more.
        plain fn team_forget(team: i64) -> ();
        /// Waits for all members of a team; `members` is a Rail[Long] of their places, null for all.
        raises fn team_barrier(team: i64, members: Ref) -> ();
        /// Copies elements of the root's source to everyone's target.
        raises fn team_broadcast(team: i64, members: Ref, root: i64, source: Ref, source_index: i64, target: Ref, target_index: i64, count: i64) -> ();
        /// Gives each member its part of the root's source: `count` elements, or as many as the Rail[Int]
        /// says.
        raises fn team_scatter(team: i64, members: Ref, root: i64, source: Ref, source_index: i64, target: Ref, target_index: i64, count: i64, counts: Ref) -> ();
        /// Puts each member's source into its part of the root's target.
        raises fn team_gather(team: i64, members: Ref, root: i64, source: Ref, source_index: i64, target: Ref, target_index: i64, count: i64, counts: Ref) -> ();
        /// Gives each member its part of everyone's source.
        raises fn team_exchange(team: i64, members: Ref, source: Ref, source_index: i64, target: Ref, target_index: i64, count: i64) -> ();
        /// Whether the elements of a rail are numbers or Booleans, which team_reduce combines.
        plain fn team_combines(rail: Ref) -> bool;
        /// Combines everyone's source into the root's target.
        raises fn team_reduce(team: i64, members: Ref, root: i64, source: Ref, source_index: i64, target: Ref, target_index: i64, count: i64, operation: i32) -> ();
        /// Combines everyone's source into everyone's target.
        raises fn team_all_reduce(team: i64, members: Ref, source: Ref, source_index: i64, target: Ref, target_index: i64, count: i64, operation: i32) -> ();
    }
    in natives::slots {
        /// A number for a new group of slots.
        plain fn slot_group_number() -> i64;
        /// Makes a group known at this place: a Rail[Long] of a place, 0 for activities or 1 for blocks,
        /// and a number of slots for each part.
        raises fn slot_group_register(number: i64, table: Ref) -> ();
        /// First rank of the group's slots at a place, of activities (0) or blocks (1); raises if there
        /// are none.
        raises fn slot_group_first(number: i64, place: i64, side: i64) -> i64;
        /// Number of the group's slots at a place, of activities (0) or blocks (1).
        raises fn slot_group_count(number: i64, place: i64, side: i64) -> i64;
        /// Nothing is done with the group any more.
        plain fn slot_group_forget(number: i64) -> ();
        /// The rail that a GlobalRail of this place names.
        raises fn slot_rail(home: i64, handle: i64) -> Ref;
        /// A call of an activity's slot: elements received, and the source in the lowest 24 bits.
        raises fn slot_call(call: i32, group: i64, rank: i64, partner: i64, from: i64, tag: i64, operation: i64, first: i64, members: i64, stride: i64, source: Ref, source_index: i64, source_count: i64, target: Ref, target_index: i64, target_count: i64) -> i64;
        /// A call of the slot of a kernel's block, an apg_slot_request.
        raises fn slot_kernel_call(call: Bytes) -> i64;
    }
    in natives::devices {
        /// Zeroed memory of an accelerator for `count` elements like those of the rail `sample`: its address.
        raises fn device_allocate(place: i64, sample: Ref, count: i64) -> i64;
        /// Frees memory of an accelerator.
        raises fn device_free(place: i64, address: i64) -> ();
        /// Waits for all work of an accelerator.
        raises fn device_synchronise(place: i64) -> ();
        /// Runs a kernel at a place (this host or an accelerator of it) and waits for it.
        raises fn kernel_launch(place: i64, kernel: KernelPointer, environment: Bytes, about: i32) -> ();
        /// Starts a kernel at an accelerator of this host as an activity of the innermost finish; at another
        /// place, or without a finish, starts the closure instead, which launches it and waits. `about`: 1 if
        /// captured rails stay as they are until it has ended, 2 if the program has C++ code of its own.
        raises fn kernel_start(place: i64, kernel: KernelPointer, environment: Bytes, closure: Ref, about: i32) -> ();
    }
    in natives::textures {
        /// A texture at a place, this host or an accelerator of it, with elements like those of the rail
        /// `sample`: its number.
        raises fn texture_make(place: i64, sample: Ref, rank: i64, width: i64, height: i64, depth: i64, mode: i32) -> i64;
        /// Sets the elements of a texture from a rail of this host.
        raises fn texture_fill(place: i64, number: i64, source: Ref) -> ();
        /// Sets the elements of a texture from a global rail of its place.
        raises fn texture_copy(place: i64, number: i64, handle: i64, count: i64) -> ();
        /// Ends a texture.
        raises fn texture_free(place: i64, number: i64) -> ();
        /// Raises an exception unless code of this host may read the texture.
        raises fn texture_check(place: i64, number: i64) -> ();
    }
    in natives::collectives {
        /// Whether NCCL is there.
        plain fn collective_ready() -> bool;
        /// Fills a Rail[Byte] with what the members of a new communicator have in common; false if NCCL
        /// cannot.
        plain fn collective_mark(rail: Ref) -> bool;
        /// Joins accelerators of this host, by a Rail[Long] of their places, as numbers `first` and following
        /// of `size` members: the communicator's number, 0 if NCCL refuses.
        raises fn collective_join(places: Ref, first: i64, size: i64, mark: Ref) -> i64;
        /// Ends this host's part of a communicator.
        raises fn collective_leave(number: i64) -> ();
        /// Whether NCCL combines elements like those of `sample` by that operation of x10.util.Team.
        plain fn collective_combines(sample: Ref, operation: i32) -> bool;
        /// Does an operation over memory of accelerators, together with all members of a communicator.
        /// `what`: 0 reduce, 1 broadcast, 2 scatter, 3 gather, 4 exchange.
        raises fn collective_run(number: i64, what: i32, sample: Ref, sources: Ref, source_index: i64, targets: Ref, target_index: i64, count: i64, root: i64, operation: i32) -> ();
        /// `target = target op source`, element by element, of two rails of this place.
        raises fn collective_combine(target: Ref, source: Ref, count: i64, operation: i32) -> ();
    }
}
