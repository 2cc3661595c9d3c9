//! The web view as a person uses it, in a real browser: a run is started by the form, watched, reported,
//! compared; nothing is asked elsewhere, nothing fails, and people who cannot see are not locked out.

use std::path::Path;

use serde_json::{Value, json};
use tacho_tests::{Browser, Call, Folder, Running, Signal};

/// A run on virtual time with this seed.
fn simulated(folder: &Folder, seed: u32) {
    let flags = format!("-c 8 -d 20s --ramp-up 2s --seed {seed} --progress none -o quiet");
    folder.tacho(&format!("run tprocc 'sim:?latency=2ms' {flags}")).exits(0);
}

/// A server of this folder on a free port: the process, its URL and its tokens.
fn served(folder: &Folder, flags: &str) -> (Running, String, String, String) {
    let (server, said) = started(folder.tacho(&format!("serve --listen 127.0.0.1:0 -o json {flags}")));
    let text = |key: &str| said[key].as_str().expect("a text").to_owned();
    (server, text("url"), text("token"), text("look_token"))
}

fn started(call: Call) -> (Running, Value) {
    let mut server = call.start();
    let said = std::cell::RefCell::new(Value::Null);
    server.until_said(|text| {
        said.replace(serde_json::from_str(text).unwrap_or_default());
        said.borrow().is_object()
    });
    (server, said.into_inner())
}

fn end(server: Running) {
    server.signal(Signal::INT);
    server.wait().expect_code(130);
}

/// Nothing failed on the pages, and nothing was asked of anybody but the server.
fn is_clean(browser: &Browser, url: &str) {
    for event in &browser.events {
        let method = event["method"].as_str().unwrap_or_default();
        assert!(!matches!(method, "Runtime.consoleAPICalled" | "Runtime.exceptionThrown"), "{event}");
        assert_ne!(method, "Log.entryAdded", "{event}");
        if method == "Network.requestWillBeSent" {
            let asked = event["params"]["request"]["url"].as_str().unwrap_or_default();
            let own = ["data:", "blob:", "about:"].iter().any(|scheme| asked.starts_with(scheme));
            assert!(asked.starts_with(url) || own, "asks for {asked}");
        }
    }
}

/// What axe finds on the page, if it is here.
fn is_for_all(browser: &mut Browser) {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../target/servers/axe/axe.min.js");
    let Ok(axe) = std::fs::read_to_string(file) else {
        println!("NOT TESTED: accessibility, for which axe-core is not here; hint: cargo xtask servers");
        return;
    };
    browser.evaluate(&format!("{axe}; true"));
    let found = browser.evaluate(
        "axe.run().then((found) => found.violations.map((own) => own.id + ': ' + own.nodes.map((node) => node.html).join(' | ')))",
    );
    let place = browser.evaluate("location.pathname + ' ' + innerWidth");
    assert_eq!(found, json!([]), "axe on {place}");
}

#[test]
fn a_run_is_started_watched_reported_and_compared() {
    let folder = Folder::new();
    simulated(&folder, 1);
    let (server, url, token, _) = served(&folder, "");
    let mut browser = Browser::at(&format!("{url}/new?token={token}"), 1280, "light");
    assert_eq!(browser.evaluate("location.href"), format!("{url}/new").as_str(), "no token stays in the address");
    browser.wait("document.querySelector('[name=workload]').options.length > 3");
    let fill = "for (const [name, value] of Object.entries({ workload: 'tpcb', target: 'noop:', sessions: '2', duration: '3s', ramp_up: '0s', scale: '1' })) document.querySelector(`[name=${name}]`).value = value;
        document.getElementById('new').dispatchEvent(new Event('input')); true";
    browser.evaluate(fill);
    browser.wait("document.getElementById('words').textContent.includes('tacho run tpcb noop:')");
    browser.wait("document.getElementById('plan').textContent.includes('noop')");
    is_for_all(&mut browser);
    browser.arrives(|browser| drop(browser.evaluate("document.querySelector('button.main').click()")));
    browser.wait("document.querySelector('#figures figure .plot svg')");
    browser.wait("document.querySelector('#kinds tbody tr')");
    is_for_all(&mut browser);
    browser.wait("document.querySelector('#phase a')");
    let run = browser.evaluate("document.querySelector('#phase a').getAttribute('href').split('/').at(-1)");
    let run = run.as_str().expect("a run").to_owned();
    assert_eq!(folder.record(&run)["plan"]["target"], "noop:");
    // The last figures that were shown are those of the record.
    let shown = browser.evaluate("document.querySelector('#kinds tbody tr:last-child').cells[2].textContent.replaceAll('\u{202f}', '')");
    let record = folder.record(&run);
    let all = record["result"]["transactions"].as_array().and_then(|all| all.last()).expect("all");
    assert_eq!(shown, all["count"].to_string().as_str());

    browser.arrives(|browser| drop(browser.evaluate("document.querySelector('#phase a').click()")));
    browser.wait("document.querySelector('figure[data-chart=throughput] .plot svg')");
    assert_eq!(browser.evaluate("document.querySelectorAll('main').length"), 1);
    is_for_all(&mut browser);
    let page = browser.evaluate("fetch(`${location.pathname}/report.html`).then((answer) => answer.text())");
    assert!(page.as_str().is_some_and(|page| page.contains("<!doctype html>") && !page.contains(&token)));

    browser.go(&format!("{url}/"));
    browser.wait("document.querySelectorAll('#runs tbody tr').length === 2");
    is_for_all(&mut browser);
    browser.evaluate("document.querySelectorAll('#runs tbody input').forEach((box) => box.click()); true");
    browser.arrives(|browser| drop(browser.evaluate("document.getElementById('compare').click()")));
    let refused = browser.evaluate("document.body.innerText");
    assert!(refused.as_str().is_some_and(|text| text.contains("workload")), "{refused}");
    browser.events.retain(|event| event["method"] != "Log.entryAdded");
    is_clean(&browser, &url);
    end(server);
}

#[test]
fn every_page_is_whole_on_every_screen() {
    let folder = Folder::new();
    (1..=3).for_each(|seed| simulated(&folder, seed));
    folder
        .tacho("sweep tprocc sim: --vary sessions=1,2,4 -d 10s --progress none -o quiet")
        .exits(0);
    folder.write("tacho.toml", "[targets.mine]\nurl = \"sim:\"\n");
    let (server, url, token, _) = served(&folder, "");
    let mut browser = Browser::at(&format!("{url}/?token={token}"), 1280, "light");
    let sweep = browser.evaluate("fetch('/api/v1/sweeps').then((answer) => answer.json()).then((all) => all[0].id)");
    let sweep = format!("/sweeps/{}", sweep.as_str().expect("an id"));
    let pages = [
        ("/", "document.querySelectorAll('#runs tbody tr').length === 6"),
        ("/new", "document.querySelectorAll('#others fieldset').length > 3"),
        ("/live", "document.getElementById('state').textContent.includes('nothing')"),
        ("/runs/latest", "document.querySelector('figure .plot svg')"),
        ("/compare?runs=latest&baseline=latest~1&force=true", "document.querySelector('figure .plot svg')"),
        ("/trends?runs=tprocc", "document.querySelector('figure .plot svg')"),
        ("/sweeps", "document.querySelector('#sweeps tbody a')"),
        (sweep.as_str(), "document.querySelector('figure .plot svg')"),
        ("/targets", "document.querySelector('#list tbody button')"),
        ("/workloads", "document.querySelector('pre')"),
        ("/workloads/tprocc", "document.querySelector('pre')"),
        ("/help", "document.querySelector('kbd')"),
    ];
    for (path, ready) in pages {
        browser.go(&format!("{url}{path}"));
        browser.wait(ready);
        for width in [1280, 390] {
            browser.resize(width);
            let wider = "document.documentElement.scrollWidth - document.documentElement.clientWidth";
            assert_eq!(browser.evaluate(wider), 0, "{path} is wider than {width}");
        }
        is_for_all(&mut browser);
        browser.evaluate("document.getElementById('scheme').click(); true");
        is_for_all(&mut browser);
        browser.resize(1280);
    }
    is_clean(&browser, &url);
    end(server);
}
