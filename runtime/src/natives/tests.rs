//! Natives of strings, numbers and files on a hand-made program.

#![expect(
    clippy::undocumented_unsafe_blocks,
    reason = "tests call the functions of this crate as generated code does"
)]

use super::*;
use crate::heap;
use crate::testing::{boxed, kind_and_message, run, string, types};
use format::string_format;

/// Runs a test in an activity; it must not raise.
fn check(code: impl FnOnce() -> Outcome<()> + Send + 'static) {
    let exception = run(code);
    if !exception.is_null() {
        panic!("{:?}", kind_and_message(exception));
    }
}

fn rail(objects: &[Ref]) -> Ref {
    let rail = heap::allocate_counted(types::anys(), objects.len() as i64).expect("room");
    for (index, object) in objects.iter().enumerate() {
        rail.set_element(index, *object);
    }
    rail
}

/// The text of a result.
fn text(result: Outcome<Ref>) -> String {
    match result {
        Ok(string) => string.text().into_owned(),
        Err(raised) => format!("{:?}", kind_and_message(raised.0)),
    }
}

fn format(format: &str, arguments: &[Ref]) -> String {
    text(string_format(string(format), rail(arguments)))
}

fn long(value: i64) -> Ref {
    boxed(types::boxed_long(), value)
}

fn double(value: f64) -> Ref {
    boxed(types::boxed_double(), value)
}

#[test]
fn formats_integers() {
    check(|| {
        assert_eq!(
            format("%d|%5d|%-5d|%05d|%+d|% d", &[1, 2, 3, -4, 5, 6].map(long)),
            "1|    2|3    |-0004|+5| 6"
        );
        assert_eq!(format("%,d %d", &[long(1_234_567), long(i64::MIN)]), "1,234,567 -9223372036854775808");
        assert_eq!(format("%x %X %#x %o", &[255, 255, 255, 8].map(long)), "ff FF 0xff 10");
        assert_eq!(format("%x", &[boxed(types::boxed_int(), -1_i32)]), "ffffffff");
        assert_eq!(format("%ld %lld %.3d", &[1, 2, 3].map(long)), "1 2 003");
        Ok(())
    });
}

#[test]
fn formats_floating_point() {
    check(|| {
        assert_eq!(
            format("%f %.2f %8.3f|%-8.1f|", &[1.5, 2.675, -3.0, 4.0].map(double)),
            "1.500000 2.67   -3.000|4.0     |"
        );
        assert_eq!(
            format("%e %.1E %g %g", &[12345.678, 0.00012, 1e10, 0.5].map(double)),
            "1.234568e+04 1.2E-04 1e+10 0.5"
        );
        assert_eq!(
            format("%f %5.1f %f", &[f64::NAN, f64::INFINITY, -0.0].map(double)),
            "NaN Infinity -0.000000"
        );
        assert_eq!(format("%.1f %f", &[boxed(types::boxed_float(), 0.25_f32), long(3)]), "0.2 3.000000");
        Ok(())
    });
}

#[test]
fn formats_everything_else() {
    check(|| {
        let arguments = [
            string("text"),
            Ref::NULL,
            boxed(types::boxed_boolean(), 1_u8),
            boxed(types::boxed_char(), 0x4e16_u32),
        ];
        assert_eq!(format("%s %s %b %c%%%n", &arguments), "text null true \u{4e16}%\n");
        assert_eq!(format("%6.2s|%-6s|", &[string("abc"), string("de")]), "    ab|de    |");
        assert_eq!(format("%s %s", &[double(0.1), long(7)]), "0.1 7");
        Ok(())
    });
}

#[test]
fn bad_formats_say_what_is_wrong() {
    check(|| {
        assert!(format("%d %d", &[long(1)]).contains("needs more than the 1 arguments given (at `%d`)"));
        assert!(format("%d", &[string("x")]).contains("`%d` wants an integer; argument 1 of"));
        assert!(format("%k", &[]).contains("`%k` in the format"));
        assert!(format("100%", &[]).contains("is no conversion"));
        assert!(format("%99999999d", &[long(1)]).contains("is no conversion"));
        Ok(())
    });
}

#[test]
fn doubles_read_as_in_java() {
    let cases = [
        (0.0, "0.0"),
        (-0.0, "-0.0"),
        (1.0, "1.0"),
        (0.001, "0.001"),
        (0.0001, "1.0E-4"),
        (9_999_999.0, "9999999.0"),
        (1e7, "1.0E7"),
        (1.0 / 3.0, "0.3333333333333333"),
        (123_456.789, "123456.789"),
        (1.5e300, "1.5E300"),
        (5e-324, "5.0E-324"),
        (f64::NEG_INFINITY, "-Infinity"),
    ];
    for (value, expected) in cases {
        assert_eq!(numbers::double_text(value), expected);
    }
    assert_eq!(numbers::float_text(0.1), "0.1");
    assert_eq!(numbers::float_text(16_777_216.0), "1.6777216E7");
}

#[test]
fn digits_have_room_for_the_longest() {
    let mut digits = numbers::Digits::new();
    let mut check = |write: &dyn Fn(&mut numbers::Digits), expected: &str| {
        write(&mut digits);
        assert_eq!(std::str::from_utf8(digits.text()), Ok(expected));
    };
    check(&|it| it.signed(i64::MIN), "-9223372036854775808");
    check(&|it| it.unsigned(u64::MAX), "18446744073709551615");
    check(&|it| it.double(-f64::MIN_POSITIVE), "-2.2250738585072014E-308");
    check(&|it| it.double(-1.0 / 1024.0 / 3.0), "-3.255208333333333E-4");
    check(&|it| it.float(f32::MIN), "-3.4028235E38");
    check(&|it| it.character(crate::abi::Char(0x1f600)), "\u{1f600}");
    for value in [0, 1, 9, 10, 99, 100, 101, 12_345, -1, -10, -100] {
        check(&|it| it.signed(value), &value.to_string());
    }
}

#[test]
fn hexadecimal_floating_point() {
    let cases = [
        (1.0, "0x1.0p0"),
        (3.0, "0x1.8p1"),
        (-0.5, "-0x1.0p-1"),
        (0.0, "0x0.0p0"),
        (f64::MAX, "0x1.fffffffffffffp1023"),
        (f64::MIN_POSITIVE, "0x1.0p-1022"),
        (5e-324, "0x0.0000000000001p-1022"),
    ];
    for (value, expected) in cases {
        assert_eq!(numbers::hexadecimal_text(value, -1022), expected);
    }
    assert_eq!(numbers::hexadecimal_text(f32::from_bits(1).into(), -126), "0x0.000002p-126");
}

#[test]
fn numbers_are_read() {
    check(|| {
        assert_eq!(numbers::parse_i64(string("-17"), 10)?, -17);
        assert_eq!(numbers::parse_i64(string("zz"), 36)?, 35 * 36 + 35);
        assert_eq!(numbers::parse_u64(string("18446744073709551615"), 10)?, u64::MAX);
        assert_eq!(numbers::parse_f64(string(" 2.5e3 "))?, 2500.0);
        assert_eq!(numbers::parse_f32(string("1.5f"))?, 1.5);
        assert!(numbers::parse_f64(string("NaN"))?.is_nan());
        for wrong in ["", "x", "1 2", "9223372036854775808", "0x10"] {
            let Err(raised) = numbers::parse_i64(string(wrong), 10) else { panic!("{wrong} was read") };
            assert_eq!(kind_and_message(raised.0).0, "x10.lang.NumberFormatException");
        }
        for wrong in ["", "x", "inf", "nan", "1e", "1.0g"] {
            assert!(numbers::parse_f64(string(wrong)).is_err(), "{wrong}");
        }
        assert!(numbers::parse_i64(string("1"), 99).is_err());
        assert_eq!(text(numbers::string_from_i64_radix(-255, 16)), "-ff");
        assert_eq!(text(numbers::string_from_u64_radix(5, 2)), "101");
        assert!(numbers::string_from_i64_radix(1, 1).is_err());
        Ok(())
    });
}

#[test]
fn strings_are_bytes() {
    check(|| {
        let word = string("hello");
        assert_eq!(strings::string_index_of(word, string("l"), 0)?, 2);
        assert_eq!(strings::string_index_of(word, string("l"), 4)?, -1);
        assert_eq!(strings::string_index_of(word, string(""), 5)?, 5);
        assert_eq!(strings::string_index_of(word, string("h"), -3)?, 0);
        assert_eq!(strings::string_last_index_of(word, string("l"), 5)?, 3);
        assert_eq!(strings::string_last_index_of(word, string("l"), 2)?, 2);
        assert_eq!(strings::string_last_index_of(word, string("l"), -1)?, -1);
        assert_eq!(text(strings::string_substring(word, 1, 3)), "el");
        assert_eq!(text(strings::string_concat(word, Ref::NULL)), "hellonull");
        assert_eq!(text(strings::string_trim(string(" \t x y \n"))), "x y");
        assert_eq!(text(strings::string_to_upper(string("straße"))), "STRASSE");
        assert_eq!(strings::string_hash(string("abc"))?, 96354);
        assert!(strings::string_compare(string("ab"), string("abc"))? < 0);
        assert!(strings::string_equals(word, string("hello"))?);
        assert!(!strings::string_equals(word, long(1))?);
        assert_eq!(strings::string_char_at(word, 1)?.0, 'e' as u32);
        for index in [-1, 5] {
            let Err(raised) = strings::string_char_at(word, index) else { panic!("{index} is inside") };
            assert_eq!(kind_and_message(raised.0).0, "x10.lang.StringIndexOutOfBoundsException");
        }
        assert!(strings::string_substring(word, 3, 2).is_err());
        assert!(strings::string_length(Ref::NULL).is_err());
        Ok(())
    });
}

#[test]
fn constants_are_one_object_each() {
    check(|| {
        let literal = |text: &str| objects::string_literal(text.as_ptr().cast(), text.len() as i64);
        let first = literal("the same")?;
        heap::collect();
        assert_eq!(literal("the same")?, first);
        assert_ne!(literal("another")?, first);
        Ok(())
    });
}

#[test]
fn rails_are_copied_within_their_bounds() {
    check(|| {
        let longs = |values: &[i64]| {
            let rail = heap::allocate_counted(types::longs(), values.len() as i64).expect("room");
            unsafe { rail.elements().cast::<i64>().copy_from(values.as_ptr(), values.len()) };
            rail
        };
        let values =
            |rail: Ref| unsafe { std::slice::from_raw_parts(rail.elements().cast::<i64>(), rail.length()) };
        let all = longs(&[1, 2, 3, 4, 5]);
        objects::rail_copy(all, 0, all, 1, 4)?;
        assert_eq!(values(all), [1, 1, 2, 3, 4]);
        objects::rail_clear(all, 3, 2)?;
        assert_eq!(values(all), [1, 1, 2, 0, 0]);
        for (from, to, count) in [(0, 0, 6), (-1, 0, 1), (0, 5, 1), (0, 0, -1), (i64::MAX, 0, 1)] {
            assert!(objects::rail_copy(all, from, all, to, count).is_err(), "{from} {to} {count}");
        }
        assert!(objects::rail_copy(all, 0, rail(&[Ref::NULL]), 0, 1).is_err());
        Ok(())
    });
}

#[test]
fn files_are_written_and_read() {
    let path = std::env::temp_dir().join(format!("apg-runtime-files-{}", std::process::id()));
    let name = path.to_str().expect("a plain name").to_owned();
    let removed = path.clone();
    check(move || {
        let bytes = heap::allocate_counted(heap::tests::make_rail(c"x10.lang.Rail[x10.lang.Byte]", 1), 5)
            .expect("room");
        unsafe { bytes.elements().copy_from(b"12345".as_ptr(), 5) };
        let name = string(&name);
        for append in [false, true] {
            let file = files::file_open_write(name, append)?;
            files::file_write(file, bytes, 1, 3)?;
            files::file_close(file)?;
        }
        assert_eq!(files::file_size(name)?, 6);
        let file = files::file_open_read(name)?;
        assert_eq!(files::file_read_byte(file)?, i32::from(b'2'));
        assert_eq!(files::file_available(file)?, 5);
        assert_eq!(files::file_read(file, bytes, 0, 5)?, 5);
        assert_eq!(files::file_read_byte(file)?, -1);
        assert!(files::file_write(file, bytes, 0, 1).is_err());
        files::file_close(file)?;
        assert!(files::file_read_byte(file).is_err());
        assert!(files::file_exists(name)? && !files::file_is_directory(name)?);
        assert!(files::file_delete(name)? && !files::file_delete(name)?);
        let Err(raised) = files::file_open_read(name) else { panic!("the file is gone") };
        assert_eq!(kind_and_message(raised.0).0, "x10.io.FileNotFoundException");
        Ok(())
    });
    assert!(!removed.exists());
}
