//! The systems that programs are made for.

/// A kind of operating system.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum System {
    Linux,
    Windows,
    MacOs,
}

/// A system with its processor, and its names in other worlds.
#[derive(Debug, PartialEq, Eq)]
pub struct Target {
    /// Its name in Rust.
    pub triple: &'static str,
    pub system: System,
    /// The oldest version of glibc that the program runs with; none for a static program.
    pub glibc: Option<&'static str>,
    /// The processor in Debian, in RPM, in npm and for containers.
    pub debian: &'static str,
    pub rpm: &'static str,
    pub npm: &'static str,
    /// The tag of a wheel, where there is one.
    pub wheel: Option<&'static str>,
}

/// Old enough for every Linux that is still maintained. A static program could not load libraries at run
/// time, as the drivers of DuckDB, ODBC and Db2 and HammerDB's scripts do.
const GLIBC: Option<&str> = Some("2.17");

const TARGETS: [Target; 6] = [
    Target {
        triple: "x86_64-unknown-linux-gnu",
        system: System::Linux,
        glibc: GLIBC,
        debian: "amd64",
        rpm: "x86_64",
        npm: "x64",
        wheel: Some("manylinux_2_17_x86_64.manylinux2014_x86_64"),
    },
    Target {
        triple: "aarch64-unknown-linux-gnu",
        system: System::Linux,
        glibc: GLIBC,
        debian: "arm64",
        rpm: "aarch64",
        npm: "arm64",
        wheel: Some("manylinux_2_17_aarch64.manylinux2014_aarch64"),
    },
    Target {
        triple: "x86_64-unknown-linux-musl",
        system: System::Linux,
        glibc: None,
        debian: "amd64",
        rpm: "x86_64",
        npm: "x64",
        wheel: Some("musllinux_1_1_x86_64"),
    },
    Target {
        triple: "x86_64-pc-windows-gnu",
        system: System::Windows,
        glibc: None,
        debian: "amd64",
        rpm: "x86_64",
        npm: "x64",
        wheel: Some("win_amd64"),
    },
    Target {
        triple: "aarch64-apple-darwin",
        system: System::MacOs,
        glibc: None,
        debian: "arm64",
        rpm: "aarch64",
        npm: "arm64",
        wheel: Some("macosx_11_0_arm64"),
    },
    Target {
        triple: "x86_64-apple-darwin",
        system: System::MacOs,
        glibc: None,
        debian: "amd64",
        rpm: "x86_64",
        npm: "x64",
        wheel: Some("macosx_10_12_x86_64"),
    },
];

impl Target {
    /// The name of the program's file.
    pub fn program(&self, name: &str) -> String {
        if self.system == System::Windows { format!("{name}.exe") } else { name.to_owned() }
    }

    /// Whether the program needs no library at all.
    pub fn is_static(&self) -> bool {
        self.system == System::Linux && self.glibc.is_none()
    }

    /// The target for the linker, such as `x86_64-unknown-linux-gnu.2.17`.
    pub fn with_glibc(&self) -> String {
        self.glibc.map_or(self.triple.to_owned(), |glibc| format!("{}.{glibc}", self.triple))
    }

    /// Whether this machine runs the program without help.
    pub fn is_own(&self) -> bool {
        self.system == System::Linux && self.triple.starts_with(std::env::consts::ARCH)
    }
}

/// The system of this machine, with libraries at run time.
pub fn own() -> Option<&'static Target> {
    TARGETS.iter().find(|target| target.is_own() && !target.is_static())
}

/// The system of this name in Rust.
pub fn target(triple: &str) -> Option<&'static Target> {
    TARGETS.iter().find(|target| target.triple == triple)
}

/// Those whose names have one of these words in them; all without a word.
pub fn named(words: &[&str]) -> Result<Vec<&'static Target>, String> {
    let known = |word: &str| TARGETS.iter().any(|target| target.triple.contains(word));
    if let Some(unknown) = words.iter().find(|word| !known(word)) {
        let all: Vec<&str> = TARGETS.iter().map(|target| target.triple).collect();
        return Err(format!("{unknown} is none of {}", all.join(", ")));
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
        assert_eq!(named(&["x86_64-unknown-linux-gnu"]).expect("one").len(), 1);
        assert!(named(&["solaris"]).is_err_and(|error| error.contains("aarch64-apple-darwin")));
        assert_eq!(
            target("x86_64-pc-windows-gnu").map(|own| own.program("a")),
            Some("a.exe".into())
        );
    }
}
