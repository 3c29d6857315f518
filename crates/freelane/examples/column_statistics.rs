//! Mean, deviation and extremes of each column of an array file:
//! `cargo run -p freelane --example column_statistics -- FILE.npy`.
//!
//! Without a file it makes a table of its own. Four threads then do the same work side by side, each with its own arrays,
//! and must see the same bits.

use freelane::{Array, OpsError, Runtime};

struct Columns {
    mean: Array,
    deviation: Array,
    least: Array,
    greatest: Array,
}

fn describe(table: &Array) -> Result<Columns, OpsError> {
    Ok(Columns {
        mean: table.mean(0, false)?,
        deviation: table.std(0, 1.0, false)?,
        least: table.min(0, false)?,
        greatest: table.max(0, false)?,
    })
}

fn waves() -> Result<Array, OpsError> {
    let time = Array::linspace(0.0, 20.0, 100_000)?;
    freelane::stack(&[&time.sin()?, &time.cos()?, &time.square()?], 1)
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let table = match std::env::args().nth(1) {
        Some(file) => freelane::load(file, None)?,
        None => waves()?,
    };
    let columns = Runtime::new(Runtime::available())?.install(|_| describe(&table))?;
    println!("mean       {}", columns.mean);
    println!("deviation  {}", columns.deviation);
    println!("least      {}", columns.least);
    println!("greatest   {}", columns.greatest);

    let threads: Vec<_> = (0..4)
        .map(|_| {
            let table = table.clone();
            std::thread::spawn(move || describe(&table).map(|c| c.mean.to_string()))
        })
        .collect();
    for thread in threads {
        let mean = thread.join().map_err(|_| "a thread panicked")??;
        assert_eq!(mean, columns.mean.to_string());
    }
    Ok(())
}
