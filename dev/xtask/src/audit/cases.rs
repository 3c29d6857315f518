//! What is expected of each case.

/// One case of `audit_case`.
pub struct Case {
    pub name: &'static str,
    pub expected: Expected,
}

/// The verdict a case must get.
#[derive(Clone, Copy, PartialEq)]
pub enum Expected {
    /// Fewer shared writes and misses per operation than these.
    Clean { writes: f64, misses: f64 },
    /// A contended twin: the audit must see it.
    Found,
    /// Lanes share here by the nature of the case; the figure is printed.
    Stated,
    /// Too large for Valgrind: judged by system calls and page faults alone.
    Recycled,
}

/// Runs the model that `FREELANE_AUDIT_MODEL` names, where it is set.
pub const OF_FILE: &str = "model of a file";

const CLEAN: Expected = Expected::Clean { writes: 0.01, misses: 0.05 };

/// All cases, in the order of the table.
pub const CASES: &[Case] = &[
    case("allocate and free 64 doubles", CLEAN),
    case("the same, statistics on", CLEAN),
    case("allocate and free 64 KiB", CLEAN),
    case("freeze, clone and drop", CLEAN),
    case("scratch memory", CLEAN),
    case("allocate here, free there", Expected::Stated),
    case("hand over nothing", Expected::Stated),
    case("four 16 MiB temporaries", Expected::Recycled),
    case("sin of 100, fresh", CLEAN),
    case("sin of 100, into out", CLEAN),
    case("sin of 100 that all read", CLEAN),
    case("add of 100, fresh", CLEAN),
    case("add of 100, into out", CLEAN),
    case("sum of 100", CLEAN),
    case("dispatch (add of 1, into out)", CLEAN),
    case("exp of 100", CLEAN),
    case("var of 100", CLEAN),
    case("cumulative_sum of 100", CLEAN),
    case("sort of 100", CLEAN),
    case("unique_values of 100", CLEAN),
    case("take of 34", CLEAN),
    case("matmul of 12 x 12", CLEAN),
    case("solve of 12 x 12", CLEAN),
    case("fft of 100", CLEAN),
    case("100 random normal numbers", CLEAN),
    case("einsum of 12 x 12", CLEAN),
    case("mlp, one session, into out", CLEAN),
    case("mlp, one session, fresh", CLEAN),
    case("mlp, 24 sessions", CLEAN),
    case("cnn, one session", CLEAN),
    case(OF_FILE, CLEAN),
    case("contended counter", Expected::Found),
    case("contended lock", Expected::Found),
    case("contended Arc clone", Expected::Found),
];

const fn case(name: &'static str, expected: Expected) -> Case {
    Case { name, expected }
}
