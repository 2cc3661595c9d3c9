//! A site with all saved runs, which a real browser opens both from files and from a plain web server.

use tacho_tests::{Browser, Folder};

use crate::web::{is_for_all, simulated};

#[test]
fn a_site_of_all_runs_is_read_without_a_server() {
    let folder = Folder::new();
    (1..=3).for_each(|seed| simulated(&folder, seed));
    folder.tacho("sweep tpcb sim: --vary sessions=1,2 -d 10s --progress none -o quiet").exits(0);
    let done = folder.tacho("report --site public").exits(0);
    done.complains(&["5 runs, 1 sweep, 2 comparisons, 1 trend"]);
    let root = format!("file://{}", folder.file("public").display());
    let mut browser = Browser::at(&format!("{root}/index.html"), 1280, "light");
    let rows = "document.querySelectorAll('#runs tbody tr').length";
    browser.wait(&format!("{rows} === 5"));
    let first = browser.evaluate("document.querySelector('#runs tbody a').href");
    let filter = "byId('by-workload').value = 'tprocc'; byId('by-workload').dispatchEvent(new Event('input')); true";
    browser.evaluate(filter);
    browser.wait(&format!("{rows} === 3"));
    let charted = "document.querySelector('figure .plot svg')";
    let link = "document.querySelector('main li a').href";
    let mut pages = vec![
        (format!("{root}/index.html"), rows),
        (first.as_str().expect("a link").into(), charted),
    ];
    for list in ["compare", "trends"] {
        browser.go(&format!("{root}/{list}.html"));
        let page = browser.evaluate(link);
        pages.push((format!("{root}/{list}.html"), link));
        pages.push((page.as_str().expect("a link").into(), charted));
    }
    browser.go(&format!("{root}/sweeps.html"));
    browser.wait("document.querySelector('#sweeps tbody a')");
    let sweep = browser.evaluate("document.querySelector('#sweeps tbody a').href");
    pages.push((format!("{root}/sweeps.html"), "document.querySelector('#sweeps tbody a')"));
    pages.push((sweep.as_str().expect("a link").into(), charted));
    for (page, ready) in &pages {
        browser.go(page);
        browser.wait(ready);
        for width in [1280, 390] {
            browser.resize(width);
            let wider =
                "document.documentElement.scrollWidth - document.documentElement.clientWidth";
            assert_eq!(browser.evaluate(wider), 0, "{page} is wider than {width}");
        }
        asks_nobody(&browser, &root);
        is_for_all(&mut browser);
        browser.evaluate("document.getElementById('scheme').click(); true");
        is_for_all(&mut browser);
        // Requests that axe makes must not count as the page's own requests.
        browser.events.clear();
        browser.resize(1280);
    }
}

#[test]
fn a_site_for_others_names_nothing() {
    let folder = Folder::new();
    folder.write(
        "tacho.toml",
        "[targets.secret-name]\nurl = \"sim:\"\n[targets.hidden-name]\nurl = \"sim:\"\n",
    );
    for target in ["secret-name", "secret-name", "secret-name", "hidden-name"] {
        let tags = "--tag secret-tag --note secret-note";
        folder.tacho(&format!("run tpcb {target} -d 10s {tags}")).done();
    }
    folder
        .tacho("sweep tpcb secret-name --vary sessions=1,2 -d 10s --progress none -o quiet")
        .exits(0);
    folder.tacho("report --site open").exits(0);
    folder
        .tacho("report --site public --redact")
        .exits(0)
        .complains(&["6 runs, 1 sweep, 1 comparison"]);
    let found = |site: &str, word: &str| {
        let pages = files(&folder.file(site));
        pages
            .iter()
            .filter(|page| {
                std::fs::read(page).is_ok_and(|text| String::from_utf8_lossy(&text).contains(word))
            })
            .count()
    };
    for word in ["secret-name", "hidden-name", "secret-tag", "secret-note", "/tacho-data"] {
        assert_eq!(found("public", word), 0, "{word}");
    }
    assert!(found("open", "secret-name") > 0 && found("open", "secret-tag") > 0);
}

fn files(folder: &std::path::Path) -> Vec<std::path::PathBuf> {
    let entries =
        std::fs::read_dir(folder).expect("a folder").map(|entry| entry.expect("a file").path());
    entries.flat_map(|path| if path.is_dir() { files(&path) } else { vec![path] }).collect()
}

/// Checks that nothing failed on the pages and that they sent no requests.
fn asks_nobody(browser: &Browser, root: &str) {
    for event in &browser.events {
        let method = event["method"].as_str().unwrap_or_default();
        assert_ne!(method, "Runtime.exceptionThrown", "{event}");
        assert_ne!(method, "Log.entryAdded", "{event}");
        if method == "Network.requestWillBeSent" {
            let asked = event["params"]["request"]["url"].as_str().unwrap_or_default();
            let allowed = [root, "data:", "blob:", "about:"];
            assert!(allowed.iter().any(|start| asked.starts_with(start)), "asks for {asked}");
        }
    }
}

#[test]
fn a_site_replaces_a_site_and_nothing_else() {
    let folder = Folder::new();
    folder.tacho("report --site public").exits(2).is_error().complains(&["no saved runs"]);
    simulated(&folder, 1);
    std::fs::create_dir(folder.file("mine")).expect("a folder");
    folder.write("mine/diary.txt", "dear diary");
    folder.write("file", "");
    for (place, words) in
        [("mine", "is not empty"), ("file", "is not a folder"), ("..", "not a folder")]
    {
        let refused = folder.tacho(&format!("report --site {place}")).exits(2);
        refused.is_error().complains(&[words]);
    }
    assert_eq!(folder.read("mine/diary.txt"), b"dear diary");
    std::fs::create_dir(folder.file("public")).expect("a folder");
    folder.tacho("report --site public").exits(0).complains(&["1 run, "]);
    let before = folder.names();
    simulated(&folder, 1);
    // Files that users have added to the site are kept, but pages of runs that no longer exist are removed.
    folder.write("public/CNAME", "example.org");
    folder.write("public/runs/diary.txt", "dear diary");
    folder.shell("mkdir public/mine && ln -s ../file public/mine/link").exits(0);
    let run = std::fs::read_dir(folder.file("public/runs")).expect("pages");
    let pages: Vec<_> = run.map(|page| page.expect("a page").file_name()).collect();
    let page = pages.iter().find(|page| *page != "diary.txt").expect("a page");
    let page = page.to_string_lossy().into_owned();
    let id = page.trim_end_matches(".html");
    folder.shell(&format!("rm -r tacho-data/runs/*-{id}")).exits(0);
    let again = folder.tacho("report --site public").exits(0);
    again.complains(&["1 run, ", "CNAME", "runs/diary.txt", "mine"]);
    assert_eq!(folder.read("public/CNAME"), b"example.org");
    assert_eq!(folder.read("public/runs/diary.txt"), b"dear diary");
    assert!(folder.file("public/mine/link").is_symlink());
    assert!(!folder.file(&format!("public/runs/{page}")).exists());
    // Neither an unfinished site nor the previous one is left beside the new site.
    assert_eq!(folder.names(), before);
    // The site does not reveal the location of the runs on this machine.
    let here = folder.path().display().to_string();
    let list = String::from_utf8(folder.read("public/index.html")).expect("text");
    assert!(list.contains("id=\"saved\"") && !list.contains(&here));
}
