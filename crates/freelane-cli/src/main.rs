//! The thin binary over `freelane_cli`.
fn main() -> std::process::ExitCode {
    freelane_cli::main(std::env::args_os())
}
