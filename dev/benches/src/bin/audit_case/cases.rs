//! The cases by name: what a lane must be able to do without touching anyone else, and contended twins.

use crate::{arrays, contended, families, memory, sessions};
use freelane_benches::marked::{Run, Seen};

/// A case by name.
pub type Case = (&'static str, fn(Run) -> Seen);

/// All cases. `cargo xtask audit` holds what is expected of each.
pub const CASES: &[Case] = &[
    ("allocate and free 64 doubles", memory::small),
    ("the same, statistics on", memory::small_with_statistics),
    ("allocate and free 64 KiB", memory::medium),
    ("freeze, clone and drop", memory::frozen),
    ("scratch memory", memory::scratch),
    ("allocate here, free there", memory::freed_elsewhere),
    ("hand over nothing", memory::nothing_handed_over),
    ("four 16 MiB temporaries", memory::large),
    ("sin of 100, fresh", arrays::sin),
    ("sin of 100, into out", arrays::sin_into),
    ("sin of 100 that all read", arrays::sin_of_shared),
    ("add of 100, fresh", arrays::add),
    ("add of 100, into out", arrays::add_into),
    ("sum of 100", arrays::sum),
    ("dispatch (add of 1, into out)", arrays::dispatch),
    ("exp of 100", families::elementwise),
    ("var of 100", families::reduction),
    ("cumulative_sum of 100", families::scan),
    ("sort of 100", families::sort),
    ("unique_values of 100", families::unique),
    ("take of 34", families::take),
    ("matmul of 12 x 12", families::matmul),
    ("solve of 12 x 12", families::solve),
    ("fft of 100", families::fft),
    ("100 random normal numbers", families::random),
    ("einsum of 12 x 12", families::einsum),
    ("mlp, one session, into out", sessions::mlp),
    ("mlp, one session, fresh", sessions::mlp_fresh),
    ("mlp, 24 sessions", sessions::many),
    ("cnn, one session", sessions::cnn),
    ("model of a file", sessions::of_file),
    ("contended counter", contended::counter),
    ("contended lock", contended::lock),
    ("contended Arc clone", contended::arc_clone),
];
