//! Virtual environments under `target/py`, with the module in them.

use super::interpreters::Interpreter;
use crate::run;
use anyhow::{Context, Result};
use std::path::{Path, PathBuf};
use xshell::{Cmd, Shell, cmd};

/// What builds wheels and fills environments.
const TOOLS: [&str; 2] = ["maturin==1.16.0", "uv==0.13.9"];

/// The tools, in an environment of their own.
pub struct Tools<'a> {
    sh: &'a Shell,
    bin: PathBuf,
}

/// An environment of one interpreter.
pub struct Venv<'a> {
    tools: &'a Tools<'a>,
    interpreter: &'a Interpreter,
    dir: PathBuf,
}

fn folder() -> PathBuf {
    run::target_dir().join("py")
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

    fn tool(&self, name: &str) -> Cmd<'a> {
        self.sh.cmd(self.bin.join(name))
    }

    /// A fresh environment of the interpreter.
    pub fn venv(&'a self, interpreter: &'a Interpreter) -> Result<Venv<'a>> {
        let dir = folder().join(format!("venv-{}", interpreter.name));
        let path = &interpreter.path;
        run::step(
            &interpreter.name,
            self.tool("uv").args(["venv", "--quiet", "--clear", "--python"]).arg(path).arg(&dir),
        )?;
        Ok(Venv { tools: self, interpreter, dir })
    }

    /// Builds the wheel of an interpreter: in the profile of the Rust tests and with the features that they turn on, so
    /// that of all crates only the module's own are compiled again.
    fn wheel(&self, interpreter: &Interpreter) -> Result<PathBuf> {
        let out = folder().join("wheels").join(&interpreter.name);
        let _ = std::fs::remove_dir_all(&out);
        let build = self.tool("maturin").args(["build", "--profile", "dev", "--features", "beside-tests"]);
        let build = build.args(["--compatibility", "linux", "--interpreter"]).arg(&interpreter.path);
        let build = build.arg("--out").arg(&out).env("CARGO_TARGET_DIR", run::target_dir());
        let build = run::OF_CARGO.iter().fold(build, |build, name| build.env_remove(name));
        run::step(&format!("wheel for {}", interpreter.name), build)?;
        let files = std::fs::read_dir(&out).with_context(|| format!("no wheel in {}", out.display()))?;
        let mut wheels =
            files.flatten().map(|file| file.path()).filter(|path| path.extension().is_some_and(|e| e == "whl"));
        wheels.next().with_context(|| format!("no wheel in {}", out.display()))
    }
}

impl<'a> Venv<'a> {
    fn pip_install(&self) -> Cmd<'a> {
        let install = ["pip", "install", "--quiet", "--only-binary", ":all:", "--python"];
        self.tools.tool("uv").args(install).arg(self.python())
    }

    /// The environment's interpreter.
    pub fn python(&self) -> PathBuf {
        self.dir.join("bin/python")
    }

    /// Builds the module and installs it.
    pub fn install_module(&self) -> Result<()> {
        let wheel = self.tools.wheel(self.interpreter)?;
        run::step("install", self.pip_install().args(["--no-deps", "--reinstall"]).arg(wheel))
    }

    /// Installs what a list names. What has no wheel for this interpreter is left out and said, but not pytest.
    pub fn install(&self, list: &Path) -> Result<()> {
        let quietly = |cmd: Cmd<'_>| cmd.quiet().ignore_stderr().run().is_ok();
        if quietly(self.pip_install().arg("-r").arg(list)) {
            return Ok(());
        }
        let text = std::fs::read_to_string(list).with_context(|| list.display().to_string())?;
        for requirement in requirements(&text) {
            if quietly(self.pip_install().arg(requirement)) {
                continue;
            }
            if requirement.starts_with("pytest") {
                return run::step("install", self.pip_install().arg(requirement));
            }
            run::skipped(&format!("{}: {requirement}", self.interpreter.name), "no wheel");
        }
        Ok(())
    }

    /// Runs pytest in the environment.
    pub fn pytest(&self) -> Cmd<'a> {
        self.tools.sh.cmd(self.python()).args(["-m", "pytest", "-q", "-p", "no:cacheprovider"])
    }
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
