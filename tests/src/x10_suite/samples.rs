//! What X10's samples must print, from what they compute and not from what they printed before: each at 1 and
//! at 4 places.

use std::path::{Path, PathBuf};
use std::rc::Rc;

use crate::x10_suite::places::Places;

/// A sample, its arguments, and what its output must be.
pub struct Sample {
    /// Below `x10.dist/samples`.
    pub file: &'static str,
    args: &'static [&'static str],
    right: fn(&Output) -> bool,
}

/// Runs a sample with arguments; what it printed.
type Runner = dyn Fn(&str, &[&str]) -> String;

/// What a sample printed.
struct Output {
    places: usize,
    text: String,
    /// Runs another sample at as many places.
    other: Box<Runner>,
}

const fn sample(file: &'static str, args: &'static [&'static str], right: fn(&Output) -> bool) -> Sample {
    Sample { file, args, right }
}

/// All but those for Java or resilient places, CUDAMatMul, which takes minutes without a GPU, and UTS, which
/// asks for code in C.
pub const SAMPLES: &[Sample] = &[
    sample("ArraySum.x10", &[], |it| {
        it.has_lines(&["For p=1 result: 5000000 ok", "For p=4 result: 5000000 ok"])
    }),
    sample("Fibonacci.x10", &["20"], |it| it.has_lines(&["fib(20) = 6765"])),
    sample("HelloWholeWorld.x10", &["hi"], |it| {
        let mut expected: Vec<String> =
            (0..it.places).map(|p| format!("Place({p}) says hello and hi")).collect();
        expected.push("Goodbye".to_owned());
        let mut found: Vec<&str> = it.text.lines().collect();
        found[..it.places.min(expected.len())].sort_unstable();
        found == expected
    }),
    sample("HeatTransfer_v0.x10", &[], Output::is_heat),
    sample("HeatTransfer_v1.x10", &[], Output::is_heat),
    sample("Histogram.x10", &["10000", "10"], |it| it.has_lines(&["Test ok."])),
    sample("Integrate.x10", &[], Output::is_area),
    sample("KMeans.x10", &["-v"], |it| it.like_another("KMeansSPMD.x10", &["-v"], "Final results:")),
    sample("KMeansSPMD.x10", &["-v"], |it| it.like_another("KMeans.x10", &["-v"], "Final results:")),
    sample("MontePi.x10", &["1000000"], |it| {
        it.numbers().last().is_some_and(|pi| (pi - std::f64::consts::PI).abs() < 0.01)
    }),
    sample("NQueensDist.x10", &[], Output::has_queens),
    sample("NQueensPar.x10", &[], Output::has_queens),
    sample("QSort.x10", &[], |it| it.numbers().len() > 1 && it.numbers().is_sorted()),
    // It says on its own when the number of spheres that it found is wrong.
    sample("StructSpheres.x10", &[], |it| it.text.lines().count() == 1 && it.has_lines(&["Total time: "])),
    sample("GLB/fib/FibG.x10", &["18"], |it| it.has_lines(&["Myresult: 2584", "fib-glb(18)2584"])),
    sample("GLB/bcg/BCG.x10", &["-n", "6", "-v", "3"], |it| it.like_sequential_bc("GLB/bcg/BC.x10")),
    sample("GLB/bcgy/BCG.x10", &["-n", "6", "-v", "3"], |it| it.like_sequential_bc("GLB/bcgy/BC.x10")),
    sample("work-stealing/Fib.x10", &[], |it| it.count("Fib(10)=89") == 10),
    sample("work-stealing/FibSeq.x10", &[], |it| it.count("Fib(10)=89") == 10),
    sample("work-stealing/Integrate.x10", &[], Output::is_area),
    sample("work-stealing/IntegrateSeq.x10", &[], Output::is_area),
    sample("work-stealing/QuickSort.x10", &[], |it| it.count("passed") == 10),
    sample("work-stealing/QuickSortSeq.x10", &[], |it| it.count("passed") == 10),
    sample("CUDA/CUDA3DFD.x10", &[], |it| it.count("TEST PASSED") == 1),
    sample("CUDA/CUDABlackScholes.x10", &[], |it| it.count("TEST PASSED") == 1),
    sample("CUDA/CUDAKernelTest.x10", &[], |it| {
        (0..it.places).all(|place| it.count(&format!("SUCCESS at Place({place})")) == 6)
    }),
    sample("CUDA/CUDATopology.x10", &[], |it| {
        it.count("Place: Place(") == it.places && it.count("NumChildren: 0") == it.places
    }),
    // Eight of the sixteen corners and centres of a unit cube in four dimensions: all between 0 and 1.
    sample("CUDA/KMeansCUDA.x10", &[], |it| it.count("Iteration: ") > 1 && it.count("kernel: ") == it.places),
];

impl Sample {
    /// Runs it with an `apg` at that many places, which are `at`; says what is wrong.
    pub fn check(&self, apg: &Path, home: &Path, at: &Rc<Places>, places: usize) -> Result<(), String> {
        let text = run(apg, home, at, self.file, self.args, places)?;
        let (apg, home, at) = (apg.to_owned(), home.to_owned(), Rc::clone(at));
        let other =
            move |file: &str, args: &[&str]| run(&apg, &home, &at, file, args, places).unwrap_or_default();
        let output = Output { places, text, other: Box::new(other) };
        if (self.right)(&output) {
            Ok(())
        } else {
            Err(format!("not what it should print:\n{}", output.text))
        }
    }
}

fn run(
    apg: &Path,
    home: &Path,
    at: &Places,
    file: &str,
    args: &[&str],
    places: usize,
) -> Result<String, String> {
    // One of them reads its points from there.
    let samples: PathBuf = home.join("x10.dist/samples");
    let path = samples.join(file);
    let apg = std::path::absolute(apg).map_err(|error| error.to_string())?;
    let mut command = at.command(&apg, places)?;
    command.current_dir(samples).args(["--accels", "none"]).arg(path).arg("--").args(args);
    command.env("NO_COLOR", "1").stdin(std::process::Stdio::null());
    let ended = command.output().map_err(|error| error.to_string())?;
    let text = String::from_utf8_lossy(&ended.stdout).into_owned() + &String::from_utf8_lossy(&ended.stderr);
    if ended.status.success() { Ok(text) } else { Err(format!("{}\n{text}", ended.status)) }
}

impl Output {
    fn count(&self, text: &str) -> usize {
        self.text.matches(text).count()
    }

    fn has_lines(&self, starts: &[&str]) -> bool {
        starts.iter().all(|start| self.text.lines().any(|line| line.starts_with(start)))
    }

    fn numbers(&self) -> Vec<f64> {
        let separators = |c: char| c.is_whitespace() || c == ',';
        self.text.split(separators).filter_map(|word| word.parse().ok()).collect()
    }

    /// The integral of `(x*x + 1) * x` from 0 to 10.
    fn is_area(&self) -> bool {
        let areas: Vec<f64> =
            self.text.lines().filter(|line| line.starts_with("The area")).map(last).collect();
        !areas.is_empty() && areas.iter().all(|area| (area - (10_000.0 / 4.0 + 100.0 / 2.0)).abs() < 1e-3)
    }

    /// Number of solutions of the eight queens problem.
    fn has_queens(&self) -> bool {
        fn place(row: u32, columns: u32, left: u32, right: u32) -> u32 {
            if row == 8 {
                return 1;
            }
            let free = (0..8).map(|column| 1 << column).filter(|queen| (columns | left | right) & queen == 0);
            free.map(|queen| place(row + 1, columns | queen, (left | queen) << 1, (right | queen) >> 1)).sum()
        }
        let solutions = format!("has {} solutions (ok)", place(0, 0, 0, 0));
        self.count(&solutions) > 0 && self.count(&solutions) == self.count("solutions")
    }

    /// The stationary distribution on a plate of 8 x 8 with one warm edge, found to the last digit. The
    /// sample stops earlier.
    fn is_heat(&self) -> bool {
        let mut plate = [[0.0f64; 10]; 10];
        plate[0][1..9].fill(1.0);
        for _ in 0..5000 {
            for i in 1..9 {
                for j in 1..9 {
                    plate[i][j] =
                        (plate[i - 1][j] + plate[i + 1][j] + plate[i][j - 1] + plate[i][j + 1]) / 4.0;
                }
            }
        }
        let after = self.text.split("seconds.").nth(1).unwrap_or_default();
        let printed: Vec<f64> = after.split_whitespace().filter_map(|word| word.parse().ok()).collect();
        let exact: Vec<f64> = plate[1..9].iter().flat_map(|row| row[1..9].to_vec()).collect();
        printed.len() == 64 && printed.iter().zip(&exact).all(|(a, b)| (a - b).abs() < 5e-4)
    }

    /// Another program computes the same in another way.
    fn like_another(&self, file: &str, args: &[&str], heading: &str) -> bool {
        let results = |text: &str| -> Vec<f64> {
            let end = text.split(heading).nth(1).unwrap_or_default();
            end.split_whitespace().filter_map(|word| word.parse().ok()).collect()
        };
        let (mine, others) = (results(&self.text), results(&(self.other)(file, args)));
        mine.len() == 16
            && mine.len() == others.len()
            && mine.iter().zip(&others).all(|(a, b)| (a - b).abs() < 1e-3)
    }

    /// Without places and without load balancing, betweenness is the same.
    fn like_sequential_bc(&self, file: &str) -> bool {
        let values = |text: &str| -> Vec<(String, f64)> {
            let lines = text.lines().filter_map(|line| line.split_once(" -> "));
            lines.filter_map(|(node, value)| Some((node.to_owned(), value.parse().ok()?))).collect()
        };
        let (mine, others) = (values(&self.text), values(&(self.other)(file, &["-n", "6", "-v", "3"])));
        let same = |(a, b): (&(String, f64), &(String, f64))| a.0 == b.0 && (a.1 - b.1).abs() < 2e-3;
        mine.len() > 10 && mine.len() == others.len() && mine.iter().zip(&others).all(same)
    }
}

fn last(line: &str) -> f64 {
    line.split_whitespace().last().and_then(|word| word.parse().ok()).unwrap_or(f64::NAN)
}
