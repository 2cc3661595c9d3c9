//! The user account under which a server runs. Database servers refuse to run as root, so a different account is
//! chosen.

use std::path::Path;
use std::process::Command;

use tacho_core::{Error, ErrorKind, Result};

use crate::{system, text};

/// An unprivileged user.
#[derive(Clone, Copy, Debug)]
pub struct Owner {
    user: u32,
    group: u32,
}

impl Owner {
    /// Returns the first of these users that exists. Returns `None` if this process does not run as
    /// root.
    pub fn choose(names: &[&str]) -> Result<Option<Self>> {
        if system::user() != 0 {
            return Ok(None);
        }
        let users = text::read(Path::new("/etc/passwd"));
        let found = names.iter().find_map(|name| find(&users, name));
        found.map(Some).ok_or_else(|| {
            Error::new(ErrorKind::Missing, "there is no unprivileged user to run the server")
                .hint("database servers refuse to run as root: run this command as another user")
                .hint(format!("or create one of these users: {}", names.join(", ")))
        })
    }

    /// Returns the user ID.
    pub(crate) fn user(self) -> u32 {
        self.user
    }

    /// Returns an error if this user has no permission to enter one of the folders that contain the given folder.
    pub(crate) fn check_way_to(self, folder: &Path) -> Result<()> {
        let folder = folder.canonicalize()?;
        for parent in folder.ancestors().skip(1) {
            let about = system::about(&parent.metadata()?);
            // The bits 0o111 allow the owner, the group and all others to traverse a folder.
            let right = match (about.user == self.user, about.group == self.group) {
                (true, _) => 0o100,
                (_, true) => 0o010,
                _ => 0o001,
            };
            if about.mode & right == 0 {
                return Err(Error::new(
                    ErrorKind::Auth,
                    format!("the server's user cannot access {}", parent.display()),
                )
                .hint("when you are root, servers run as an unprivileged user")
                .hint("choose a folder that every user can access: --dir /var/tmp/tacho"));
            }
        }
        Ok(())
    }

    /// Makes this user the owner of a file or folder.
    pub fn take(self, path: &Path) -> Result<()> {
        Ok(system::give(path, self.user, self.group)?)
    }

    /// Makes a command run as this user.
    pub fn run(self, command: &mut Command) {
        system::run_as(command, self.user, self.group);
    }
}

/// Finds a user in the lines `name:password:user:group:…` of `/etc/passwd`.
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
