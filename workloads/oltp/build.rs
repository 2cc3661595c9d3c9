//! Embeds the SQL files, those of every dialect among them.

fn main() -> std::io::Result<()> {
    println!("cargo::rerun-if-changed=sql");
    tacho_embed::folder("sql")
}
