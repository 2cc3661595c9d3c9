//! Embeds the SQL files of every dialect.

fn main() -> std::io::Result<()> {
    println!("cargo::rerun-if-changed=sql");
    tacho_embed::folder("sql")
}
