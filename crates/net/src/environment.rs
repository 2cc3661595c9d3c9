//! Values that database clients take from the environment, such as `PGHOST` and the user name.

/// A function that returns the value of an environment variable. An empty variable counts as unset.
pub type Lookup<'a> = &'a dyn Fn(&str) -> Option<String>;

/// Returns the value of one of this process's environment variables.
#[expect(
    clippy::disallowed_methods,
    reason = "these variables are also read by the databases' own clients"
)]
pub fn variable(name: &str) -> Option<String> {
    std::env::var(name).ok().filter(|value| !value.is_empty())
}

/// Returns the default login name. As in libpq and the MySQL clients, it is the value of `USER` or
/// `LOGNAME`. If neither is set, it is the name of the operating system's user.
pub fn login_name(variables: Lookup<'_>) -> Option<String> {
    ["USER", "LOGNAME"].into_iter().find_map(variables).or_else(system_user)
}

#[expect(clippy::disallowed_methods, reason = "the user list belongs to the operating system")]
fn system_user() -> Option<String> {
    // On Windows, there is no file with all users, but a variable contains the user's name.
    let Ok(list) = std::fs::read_to_string("/etc/passwd") else { return variable("USERNAME") };
    name_of(user_number()?, &list)
}

#[cfg(unix)]
#[expect(clippy::unnecessary_wraps, reason = "elsewhere there is none")]
fn user_number() -> Option<u32> {
    Some(rustix::process::geteuid().as_raw())
}

#[cfg(not(unix))]
fn user_number() -> Option<u32> {
    None
}

/// Returns a user's name from a list such as `/etc/passwd`; see passwd(5).
fn name_of(user: u32, list: &str) -> Option<String> {
    let id = user.to_string();
    let is_user = |fields: &Vec<&str>| fields.get(2) == Some(&id.as_str());
    let fields = list.lines().map(|line| line.split(':').collect::<Vec<_>>()).find(is_user)?;
    Some(fields[0].to_owned()).filter(|name| !name.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn login_name_comes_from_a_variable_or_the_system() {
        let list =
            "root:x:0:0:root:/root:/bin/sh\n# 7\n:x:8:8::/:\nann:x:70:70:Ann,,:/home/ann:/bin/sh\n";
        assert_eq!(name_of(70, list).as_deref(), Some("ann"));
        assert_eq!((name_of(7, list), name_of(8, list)), (None, None));
        let both = |name: &str| Some(format!("by {name}"));
        assert_eq!(login_name(&both).as_deref(), Some("by USER"));
        let second = |name: &str| (name == "LOGNAME").then(|| "l".to_owned());
        assert_eq!(login_name(&second).as_deref(), Some("l"));
        assert_eq!(login_name(&|_| None), system_user());
    }
}
