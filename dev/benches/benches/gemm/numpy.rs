//! NumPy in a process of its own, asked in turns with the others.
use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

const SCRIPT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/peers/gemm_numpy.py");

pub struct NumPy {
    process: Child,
    ask: ChildStdin,
    answers: BufReader<ChildStdout>,
}

impl NumPy {
    /// `None` when there is no Python with NumPy.
    pub fn start() -> Option<NumPy> {
        let python = std::env::var("FREELANE_PYTHON").unwrap_or_else(|_| "python3".into());
        let mut command = Command::new(python);
        command.arg(SCRIPT).env("OPENBLAS_NUM_THREADS", "1");
        command.env_remove("OPENBLAS_CORETYPE").env_remove("OPENBLAS_L2_SIZE");
        let mut process = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null()).spawn().ok()?;
        let (ask, answers) = (process.stdin.take()?, BufReader::new(process.stdout.take()?));
        let mut numpy = NumPy { process, ask, answers };
        numpy.time("f32", [1, 1, 1]).map(|_| numpy)
    }

    /// Nanoseconds of one product.
    pub fn time(&mut self, name: &str, [m, k, n]: [usize; 3]) -> Option<f64> {
        writeln!(self.ask, "{name} {m} {k} {n}").ok()?;
        let mut answer = String::new();
        self.answers.read_line(&mut answer).ok()?;
        answer.trim().parse().ok()
    }
}

impl Drop for NumPy {
    fn drop(&mut self) {
        // It ends by itself when its input does; a process that is gone already is as good.
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}
