//! Embeds the SQL files, those of every dialect among them.
#![expect(clippy::print_stdout, reason = "a build script speaks to cargo by its output")]

fn main() -> std::io::Result<()> {
    println!("cargo::rerun-if-changed=sql");
    tacho_embed::folder("sql")
}
