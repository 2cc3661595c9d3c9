//! Embeds the SQL files of all dialects.

fn main() -> std::io::Result<()> {
    println!("cargo::rerun-if-changed=sql");
    tacho_embed::folder("sql")
}
