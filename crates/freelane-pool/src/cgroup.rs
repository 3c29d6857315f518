//! The processor quota that a container grants, from control groups of version 1 and 2.
//!
//! A quota may sit on the process's own group or on any group above it; the smallest counts. Files that are missing or
//! make no sense grant everything: a wrong guess must not cost a machine its cores.

use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::{Component, Path, PathBuf};

/// How many cores' worth of time the groups of this process may use, rounded down, at least 1; `root` stands for `/`.
pub fn cpu_quota(root: &Path) -> Option<usize> {
    let mounts = lines(&root.join("proc/self/mountinfo"));
    let groups = lines(&root.join("proc/self/cgroup"));
    let quota = |(version, group): (Version, PathBuf)| {
        let mount = mounts.iter().filter_map(|line| Mount::parse(line)).find(|mount| mount.holds(version))?;
        version.smallest_quota(&root.join(relative(&mount.point)), mount.below(&group))
    };
    groups.iter().filter_map(|line| parse_group(line)).filter_map(quota).min()
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Version {
    V1,
    V2,
}

impl Version {
    /// The smallest quota from `mount`/`group` up to `mount`.
    fn smallest_quota(self, mount: &Path, group: &Path) -> Option<usize> {
        group.ancestors().filter_map(|group| self.quota_of(&mount.join(group))).min()
    }

    fn quota_of(self, directory: &Path) -> Option<usize> {
        let read = |name| fs::read_to_string(directory.join(name)).ok();
        match self {
            Version::V2 => {
                let text = read("cpu.max")?;
                let mut words = text.split_ascii_whitespace();
                cores(words.next()?, words.next().unwrap_or("100000"))
            }
            Version::V1 => cores(read("cpu.cfs_quota_us")?.trim(), read("cpu.cfs_period_us")?.trim()),
        }
    }
}

/// `max` and `-1`, the two words for "no limit", do not parse as a natural number; nor does nonsense.
fn cores(quota: &str, period: &str) -> Option<usize> {
    let (quota, period) = (quota.parse::<u64>().ok()?, period.parse::<u64>().ok()?);
    let whole = quota.checked_div(period)?;
    Some(usize::try_from(whole).unwrap_or(usize::MAX).max(1))
}

/// A line of `/proc/self/cgroup`, `id:controllers:group`, if it concerns processors.
fn parse_group(line: &[u8]) -> Option<(Version, PathBuf)> {
    let mut fields = line.splitn(3, |&byte| byte == b':');
    let (id, controllers, group) = (fields.next()?, fields.next()?, fields.next()?);
    let version = match id {
        b"0" if controllers.is_empty() => Version::V2,
        _ if has_cpu(controllers) => Version::V1,
        _ => return None,
    };
    Some((version, PathBuf::from(OsStr::from_bytes(group))))
}

fn has_cpu(list: &[u8]) -> bool {
    list.split(|&byte| byte == b',').any(|word| word == b"cpu")
}

/// A line of `/proc/self/mountinfo` that mounts control groups.
struct Mount {
    root: PathBuf,
    point: PathBuf,
    version: Version,
    cpu: bool,
}

impl Mount {
    /// `id parent device root point options [tags] - type source options`
    fn parse(line: &[u8]) -> Option<Mount> {
        let fields: Vec<&[u8]> = line.split(|&byte| byte == b' ').collect();
        let dash = 6 + fields.get(6..)?.iter().position(|&field| field == b"-")?;
        let version = match *fields.get(dash + 1)? {
            b"cgroup2" => Version::V2,
            b"cgroup" => Version::V1,
            _ => return None,
        };
        let cpu = fields.get(dash + 3).is_some_and(|options| has_cpu(options));
        Some(Mount { root: unescape(fields[3]), point: unescape(fields[4]), version, cpu })
    }

    fn holds(&self, version: Version) -> bool {
        self.version == version && (self.cpu || version == Version::V2)
    }

    /// `group` as seen under the mount point; the point itself where the group lies outside of what is mounted.
    fn below<'a>(&self, group: &'a Path) -> &'a Path {
        let below = group.strip_prefix(&self.root).unwrap_or(Path::new(""));
        let plain = below.components().all(|part| matches!(part, Component::Normal(_)));
        if plain { below } else { Path::new("") }
    }
}

/// The kernel writes space, tab, newline and backslash as `\` and three octal digits.
fn unescape(field: &[u8]) -> PathBuf {
    let (mut plain, mut rest) = (Vec::with_capacity(field.len()), field);
    while let Some((&first, tail)) = rest.split_first() {
        match (first, octal(tail)) {
            (b'\\', Some(byte)) => (plain.push(byte), rest = &tail[3..]).1,
            _ => (plain.push(first), rest = tail).1,
        }
    }
    PathBuf::from(std::ffi::OsString::from_vec(plain))
}

fn octal(text: &[u8]) -> Option<u8> {
    let digits = std::str::from_utf8(text.get(..3)?).ok()?;
    u8::from_str_radix(digits, 8).ok()
}

fn relative(path: &Path) -> &Path {
    path.strip_prefix("/").unwrap_or(path)
}

fn lines(path: &Path) -> Vec<Vec<u8>> {
    let text = fs::read(path).unwrap_or_default();
    text.split(|&byte| byte == b'\n').map(<[u8]>::to_vec).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const V2_MOUNT: &str = "34 25 0:29 / /sys/fs/cgroup rw,nosuid shared:9 - cgroup2 cgroup2 rw,nsdelegate\n";
    const V1_MOUNT: &str = "42 35 0:38 / /sys/fs/cgroup/cpu,cpuacct rw - cgroup cgroup rw,cpu,cpuacct\n";

    /// Files under a fresh directory that stands for `/`.
    struct Root(tempfile::TempDir);

    impl Root {
        fn new(files: &[(&str, &str)]) -> Root {
            let root = tempfile::tempdir().unwrap();
            for (name, text) in files {
                let path = root.path().join(name);
                fs::create_dir_all(path.parent().unwrap()).unwrap();
                fs::write(path, text).unwrap();
            }
            Root(root)
        }

        fn quota(&self) -> Option<usize> {
            cpu_quota(self.0.path())
        }
    }

    #[test]
    fn version_2_text() {
        let cases = [
            ("100000 100000\n", Some(1)),
            ("max 100000\n", None),
            ("50000 100000\n", Some(1)),
            ("250000 100000\n", Some(2)),
            ("400000\n", Some(4)),
            ("", None),
            ("100000 0\n", None),
            ("-5 100000\n", None),
            ("1e5 100000\n", None),
            ("18446744073709551615 1\n", Some(usize::MAX)),
            ("18446744073709551616 1\n", None),
        ];
        for (text, quota) in cases {
            let root = Root::new(&[
                ("proc/self/mountinfo", V2_MOUNT),
                ("proc/self/cgroup", "0::/app\n"),
                ("sys/fs/cgroup/app/cpu.max", text),
            ]);
            assert_eq!(root.quota(), quota, "{text:?}");
        }
    }

    #[test]
    fn version_1_text() {
        let cases = [
            ("100000\n", "100000\n", Some(1)),
            ("-1\n", "100000\n", None),
            ("350000\n", "100000\n", Some(3)),
            ("1\n", "0\n", None),
            ("junk", "100000\n", None),
        ];
        for (quota_us, period_us, quota) in cases {
            let root = Root::new(&[
                ("proc/self/mountinfo", V1_MOUNT),
                ("proc/self/cgroup", "5:memory:/box\n4:cpu,cpuacct:/box\n"),
                ("sys/fs/cgroup/cpu,cpuacct/box/cpu.cfs_quota_us", quota_us),
                ("sys/fs/cgroup/cpu,cpuacct/box/cpu.cfs_period_us", period_us),
            ]);
            assert_eq!(root.quota(), quota, "{quota_us:?} {period_us:?}");
        }
    }

    #[test]
    fn the_smallest_quota_of_the_groups_above_counts() {
        let root = Root::new(&[
            ("proc/self/mountinfo", V2_MOUNT),
            ("proc/self/cgroup", "0::/a/b/c\n"),
            ("sys/fs/cgroup/a/b/c/cpu.max", "max 100000\n"),
            ("sys/fs/cgroup/a/b/cpu.max", "800000 100000\n"),
            ("sys/fs/cgroup/a/cpu.max", "300000 100000\n"),
        ]);
        assert_eq!(root.quota(), Some(3));
    }

    #[test]
    fn a_container_sees_its_group_at_the_mount_point() {
        let mount = "42 35 0:38 /docker/f00 /sys/fs/cgroup/cpu rw - cgroup cgroup rw,cpu\n";
        for group in ["/docker/f00", "/somewhere/else", "/../outside"] {
            let root = Root::new(&[
                ("proc/self/mountinfo", mount),
                ("proc/self/cgroup", &format!("4:cpu:{group}\n")),
                ("sys/fs/cgroup/cpu/cpu.cfs_quota_us", "200000\n"),
                ("sys/fs/cgroup/cpu/cpu.cfs_period_us", "100000\n"),
            ]);
            assert_eq!(root.quota(), Some(2), "{group}");
        }
    }

    #[test]
    fn both_versions_at_once() {
        let root = Root::new(&[
            ("proc/self/mountinfo", &format!("{V1_MOUNT}50 35 0:40 / /sys/fs/cgroup/unified rw - cgroup2 none rw\n")),
            ("proc/self/cgroup", "4:cpu,cpuacct:/\n0::/\n"),
            ("sys/fs/cgroup/cpu,cpuacct/cpu.cfs_quota_us", "600000\n"),
            ("sys/fs/cgroup/cpu,cpuacct/cpu.cfs_period_us", "100000\n"),
            ("sys/fs/cgroup/unified/cpu.max", "500000 100000\n"),
        ]);
        assert_eq!(root.quota(), Some(5));
    }

    #[test]
    fn odd_mount_points_and_malformed_lines() {
        let odd = "1\n2 3 0:1 / /x\n34 25 0:29 / /odd\\040place rw - cgroup2 none rw\n\\\n";
        let root = Root::new(&[
            ("proc/self/mountinfo", odd),
            ("proc/self/cgroup", "\n::\nnonsense\n0::/app:with:colons\n"),
            ("odd place/app:with:colons/cpu.max", "700000 100000\n"),
        ]);
        assert_eq!(root.quota(), Some(7));
    }

    #[test]
    fn nothing_there_means_no_limit() {
        assert_eq!(Root::new(&[]).quota(), None);
    }
}
