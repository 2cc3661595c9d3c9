//! Whom a server runs as. Database servers refuse to run as root, which is what CI is.

use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::Command;

use tacho_core::{Error, ErrorKind, Result};

/// An unprivileged user.
#[derive(Clone, Copy, Debug)]
pub struct Owner {
    user: u32,
    group: u32,
}

impl Owner {
    /// The first of these users that there is, if we are root; nobody else otherwise.
    pub fn choose(names: &[&str]) -> Result<Option<Self>> {
        if !rustix::process::geteuid().is_root() {
            return Ok(None);
        }
        #[expect(clippy::disallowed_methods, reason = "the list of the system's users")]
        let users = std::fs::read_to_string("/etc/passwd")?;
        let found = names.iter().find_map(|name| find(&users, name));
        found.map(Some).ok_or_else(|| {
            Error::new(ErrorKind::Missing, "there is no unprivileged user to run a server as")
                .hint("run the tests as another user than root")
        })
    }

    /// Gives a file or folder away.
    pub fn take(self, path: &Path) -> Result<()> {
        Ok(std::os::unix::fs::chown(path, Some(self.user), Some(self.group))?)
    }

    /// Lets a program run as this user.
    pub fn run(self, command: &mut Command) {
        command.uid(self.user).gid(self.group);
    }
}

/// The line of `/etc/passwd` is `name:password:user:group:…`.
fn find(users: &str, name: &str) -> Option<Owner> {
    let line = users.lines().find(|line| line.split(':').next() == Some(name))?;
    let mut numbers = line.split(':').skip(2).map(str::parse);
    Some(Owner { user: numbers.next()?.ok()?, group: numbers.next()?.ok()? })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn users_are_found_by_their_whole_name() {
        let users = "root:x:0:0::/root:/bin/sh\nmypg:x:7:8::/:/bin/sh\npg:x:101:104::/:/bin/sh\n";
        let owner = find(users, "pg").expect("the user");
        assert_eq!((owner.user, owner.group), (101, 104));
        assert!(find(users, "nobody").is_none());
    }
}
