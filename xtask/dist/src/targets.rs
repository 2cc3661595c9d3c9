//! The systems that programs are built for.

/// An operating system.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum System {
    Linux,
    Windows,
    MacOs,
}

/// An operating system together with a processor architecture.
#[derive(Debug, PartialEq, Eq)]
pub struct Target {
    /// Target triple in Rust.
    pub triple: &'static str,
    pub system: System,
    /// The oldest glibc version on which the program runs, or `None` if it does not use glibc.
    pub glibc: Option<&'static str>,
    /// Platform tag of a wheel.
    pub wheel: &'static str,
}

/// The required glibc version, which every maintained Linux distribution has.
///
/// The program is not linked statically, because a static program could not load the client libraries of databases.
const GLIBC: Option<&str> = Some("2.17");

#[rustfmt::skip]
const TARGETS: [Target; 6] = [
    Target { triple: "x86_64-unknown-linux-gnu", system: System::Linux, glibc: GLIBC, wheel: "manylinux_2_17_x86_64.manylinux2014_x86_64" },
    Target { triple: "aarch64-unknown-linux-gnu", system: System::Linux, glibc: GLIBC, wheel: "manylinux_2_17_aarch64.manylinux2014_aarch64" },
    Target { triple: "x86_64-unknown-linux-musl", system: System::Linux, glibc: None, wheel: "musllinux_1_1_x86_64" },
    Target { triple: "x86_64-pc-windows-gnu", system: System::Windows, glibc: None, wheel: "win_amd64" },
    Target { triple: "aarch64-apple-darwin", system: System::MacOs, glibc: None, wheel: "macosx_11_0_arm64" },
    Target { triple: "x86_64-apple-darwin", system: System::MacOs, glibc: None, wheel: "macosx_10_12_x86_64" },
];

impl Target {
    /// Returns the file name of the program.
    pub fn program(&self, name: &str) -> String {
        if self.system == System::Windows { format!("{name}.exe") } else { name.to_owned() }
    }

    pub fn rpm(&self) -> &'static str {
        self.triple.split('-').next().unwrap_or_default()
    }

    pub fn debian(&self) -> &'static str {
        if self.rpm() == "aarch64" { "arm64" } else { "amd64" }
    }

    pub fn npm(&self) -> &'static str {
        if self.rpm() == "aarch64" { "arm64" } else { "x64" }
    }

    /// Returns true if the program does not need any libraries.
    pub fn is_static(&self) -> bool {
        self.system == System::Linux && self.glibc.is_none()
    }

    /// Returns the linker's target, such as `x86_64-unknown-linux-gnu.2.17`.
    pub fn with_glibc(&self) -> String {
        self.glibc.map_or(self.triple.to_owned(), |glibc| format!("{}.{glibc}", self.triple))
    }

    /// Returns true if this machine can run the program without emulation.
    pub fn is_own(&self) -> bool {
        self.system == System::Linux && self.rpm() == std::env::consts::ARCH
    }
}

/// Returns the target for this machine whose program can load libraries at run time.
pub fn of_this_machine() -> Option<&'static Target> {
    TARGETS.iter().find(|target| target.is_own() && !target.is_static())
}

/// Returns the targets whose names contain any of these words, or all targets if no words are given.
pub fn named(words: &[&str]) -> Result<Vec<&'static Target>, String> {
    let known = |word: &str| TARGETS.iter().any(|target| target.triple.contains(word));
    if let Some(unknown) = words.iter().find(|word| !known(word)) {
        let all: Vec<&str> = TARGETS.iter().map(|target| target.triple).collect();
        return Err(format!("unknown system {unknown}: expected one of {}", all.join(", ")));
    }
    let wanted = |target: &&Target| {
        words.is_empty() || words.iter().any(|word| target.triple.contains(word))
    };
    Ok(TARGETS.iter().filter(wanted).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_word_names_all_that_have_it() {
        assert_eq!(named(&[]).expect("all").len(), 6);
        assert_eq!(named(&["linux"]).expect("three").len(), 3);
        let one = named(&["musl"]).expect("one");
        assert!(one[0].is_static() && one[0].with_glibc() == one[0].triple);
        assert_eq!(named(&["windows"]).expect("one")[0].program("a"), "a.exe");
        assert!(named(&["solaris"]).is_err_and(|error| error.contains("aarch64-apple-darwin")));
        let arm = named(&["aarch64-unknown"]).expect("one")[0];
        assert_eq!((arm.rpm(), arm.debian(), arm.npm()), ("aarch64", "arm64", "arm64"));
    }
}
