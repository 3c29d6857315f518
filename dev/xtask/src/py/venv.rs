//! Virtual environments under `target/py`, with the module in them.

use super::interpreters::Interpreter;
use crate::run;
use anyhow::{Context, Result};
use std::path::{Path, PathBuf};
use xshell::{Cmd, Shell, cmd};

/// What builds wheels and fills environments.
const TOOLS: [&str; 2] = ["maturin==1.16.0", "uv==0.13.9"];

/// What an environment is for.
#[derive(Clone, Copy)]
pub enum Purpose {
    /// The module as the Rust tests have it.
    Tests,
    /// The module as users get it.
    Benches,
    /// No module.
    Packages,
}

impl Purpose {
    fn folder(self) -> &'static str {
        match self {
            Purpose::Tests => "venv",
            Purpose::Benches => "bench",
            Purpose::Packages => "packages",
        }
    }

    /// How the wheel is built. For tests: in the profile of the Rust tests and with the features that they turn on, so that
    /// of all crates only the module's own are compiled again.
    fn options(self) -> &'static [&'static str] {
        match self {
            Purpose::Tests => &["--profile", "dev", "--features", "beside-tests"],
            Purpose::Benches | Purpose::Packages => &["--release"],
        }
    }
}

/// The tools, in an environment of their own.
pub struct Tools<'a> {
    pub sh: &'a Shell,
    bin: PathBuf,
}

/// An environment of one interpreter.
pub struct Venv {
    name: String,
    pub dir: PathBuf,
}

impl Venv {
    /// Runs pytest in the environment.
    pub fn pytest<'a>(&self, sh: &'a Shell) -> Cmd<'a> {
        self.python(sh).args(["-m", "pytest", "-q", "-p", "no:cacheprovider"])
    }

    /// Runs the environment's interpreter.
    pub fn python<'a>(&self, sh: &'a Shell) -> Cmd<'a> {
        sh.cmd(self.executable())
    }

    fn executable(&self) -> PathBuf {
        self.dir.join("bin/python")
    }
}

impl<'a> Tools<'a> {
    /// Installs the tools, with any interpreter.
    pub fn new(sh: &'a Shell, interpreter: &Interpreter) -> Result<Tools<'a>> {
        let dir = folder().join("tools");
        let path = &interpreter.path;
        if !dir.join("bin/pip").is_file() {
            run::step("python tools", cmd!(sh, "{path} -m venv --clear {dir}"))?;
        }
        let pip = dir.join("bin/pip");
        run::step("python tools", cmd!(sh, "{pip} install --quiet --disable-pip-version-check {TOOLS...}"))?;
        Ok(Tools { sh, bin: dir.join("bin") })
    }

    /// A fresh environment of the interpreter, for a purpose.
    pub fn venv(&self, interpreter: &Interpreter, purpose: Purpose) -> Result<Venv> {
        let name = interpreter.name.clone();
        let dir = folder().join(format!("{}-{name}", purpose.folder()));
        let create = self.tool("uv").args(["venv", "--quiet", "--clear", "--python"]).arg(&interpreter.path).arg(&dir);
        run::step(&name, create)?;
        Ok(Venv { name, dir })
    }

    /// Builds the module and installs it.
    pub fn install_module(&self, venv: &Venv, interpreter: &Interpreter, purpose: Purpose) -> Result<()> {
        let wheel = self.wheel(interpreter, purpose)?;
        run::step("install", self.pip_install(venv).args(["--no-deps", "--reinstall"]).arg(wheel))
    }

    /// Installs packages that must be there.
    pub fn install_these(&self, venv: &Venv, requirements: &[&str]) -> Result<()> {
        run::step("install", self.pip_install(venv).args(requirements))
    }

    /// Installs what a list names. What has no wheel for this interpreter is left out and said, but not pytest.
    pub fn install(&self, venv: &Venv, list: &Path) -> Result<()> {
        let quietly = |cmd: Cmd<'_>| cmd.quiet().ignore_stderr().run().is_ok();
        if quietly(self.pip_install(venv).arg("-r").arg(list)) {
            return Ok(());
        }
        let text = std::fs::read_to_string(list).with_context(|| list.display().to_string())?;
        for requirement in requirements(&text) {
            if requirement.starts_with("pytest") {
                self.install_these(venv, &[requirement])?;
            } else if !quietly(self.pip_install(venv).arg(requirement)) {
                run::skipped(&format!("{}: {requirement}", venv.name), "no wheel");
            }
        }
        Ok(())
    }

    fn tool(&self, name: &str) -> Cmd<'a> {
        self.sh.cmd(self.bin.join(name))
    }

    fn pip_install(&self, venv: &Venv) -> Cmd<'a> {
        let install = ["pip", "install", "--quiet", "--only-binary", ":all:", "--python"];
        self.tool("uv").args(install).arg(venv.executable())
    }

    /// Builds the wheel of an interpreter.
    fn wheel(&self, interpreter: &Interpreter, purpose: Purpose) -> Result<PathBuf> {
        let out = folder().join("wheels").join(format!("{}-{}", purpose.folder(), interpreter.name));
        let _ = std::fs::remove_dir_all(&out);
        let build = self.tool("maturin").arg("build").args(purpose.options());
        let build = build.args(["--compatibility", "linux", "--interpreter"]).arg(&interpreter.path);
        let build = build.arg("--out").arg(&out).env("CARGO_TARGET_DIR", run::target_dir());
        let build = run::OF_CARGO.iter().fold(build, |build, name| build.env_remove(name));
        run::step(&format!("wheel for {}", interpreter.name), build)?;
        let files = std::fs::read_dir(&out).with_context(|| format!("no wheel in {}", out.display()))?;
        let mut paths = files.flatten().map(|file| file.path());
        let wheel = paths.find(|path| path.extension().is_some_and(|end| end == "whl"));
        wheel.with_context(|| format!("no wheel in {}", out.display()))
    }
}

fn folder() -> PathBuf {
    run::target_dir().join("py")
}

fn requirements(text: &str) -> impl Iterator<Item = &str> {
    text.lines().map(|line| line.split('#').next().unwrap_or_default().trim()).filter(|line| !line.is_empty())
}

#[cfg(test)]
mod tests {
    use super::requirements;

    #[test]
    fn comments_are_no_requirements() {
        let list: Vec<&str> =
            requirements("# all\npytest==9 # runner\n\ndask[array]==1; python_version > '3'\n").collect();
        assert_eq!(list, ["pytest==9", "dask[array]==1; python_version > '3'"]);
    }
}
