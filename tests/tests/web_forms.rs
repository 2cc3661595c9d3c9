//! Tests every button and form of the web view in a real browser, with valid and invalid input.

use serde_json::json;
use tacho_testkit::servers::MariaDb;
use tacho_tests::{Browser, Folder};

use crate::web::{end, served, simulated};

/// Opens the targets page as a user who confirms every dialog.
fn targets(url: &str, token: &str) -> Browser {
    let mut browser = Browser::at(&format!("{url}/targets?token={token}"), 1280, "light");
    browser.wait("document.querySelector('[name=workload]').options.length > 3");
    browser.evaluate("window.confirm = () => true");
    browser
}

/// Presses a button on the targets page. Returns the page's text once the command has exited with this code.
#[track_caller]
fn press(browser: &mut Browser, command: &str, target: &str, code: i32) -> String {
    browser.evaluate(&format!(
        "{{ const form = document.getElementById('act');
        form.elements.target.value = {};
        form.elements.workload.value = 'tpcb';
        form.querySelector('button[value={command}]').click(); }} true",
        json!(target)
    ));
    let doing = "document.getElementById('doing').textContent";
    browser.wait(&format!(
        "{doing}.startsWith('Ended with ') && {doing}.includes('tacho {command} ')"
    ));
    let said = browser.evaluate(&format!(
        "{doing} + '\\n' + document.getElementById('answer').textContent + document.getElementById('trouble').textContent"
    ));
    let said = said.as_str().expect("a text").to_owned();
    assert!(said.starts_with(&format!("Ended with {code}: ")), "{said}");
    said
}

/// Presses every button on the targets page.
fn prepares_checks_and_cleans(target: &str, shown: &str) {
    let folder = Folder::new();
    let (server, url, token, _) = served(&folder, "");
    let mut browser = targets(&url, &token);
    let prepared = press(&mut browser, "prepare", target, 0);
    assert!(prepared.contains(&format!("tacho prepare tpcb {shown}")), "{prepared}");
    let looked = press(&mut browser, "doctor", target, 0);
    assert!(looked.contains("tpcb"), "{looked}");
    let checked = press(&mut browser, "check", target, 0);
    assert!(checked.contains('✓'), "{checked}");
    let cleaned = press(&mut browser, "clean", target, 0);
    assert!(cleaned.contains("✓ Removed"), "{cleaned}");
    let empty = press(&mut browser, "check", target, 3);
    assert!(empty.contains("tacho prepare tpcb"), "{empty}");
    end(server);
}

#[test]
fn prepares_checks_and_cleans_a_file() {
    prepares_checks_and_cleans("sqlite:bench.db", "sqlite:bench.db");
}

/// The target's password must not appear in the process arguments or on any page.
#[test]
fn prepares_checks_and_cleans_a_server() {
    let server = MariaDb::shared();
    let target = server.tcp_target();
    let (place, _) = target.rsplit_once('/').expect("a database");
    let shown = place.replace(server.password(), "***");
    assert_ne!(place, shown, "the target has a password");
    prepares_checks_and_cleans(&format!("{place}/buttons"), &format!("'{shown}/buttons'"));
}

#[test]
fn wrong_input_of_each_form_is_answered_with_a_hint() {
    let folder = Folder::new();
    simulated(&folder, 1);
    let (server, url, token, _) = served(&folder, "");
    let mut browser = targets(&url, &token);
    let unknown = press(&mut browser, "prepare", "nosuch:bench", 2);
    assert!(unknown.contains("unknown target or driver") && unknown.contains("hint:"), "{unknown}");

    browser.go(&format!("{url}/new"));
    browser.wait("document.querySelector('[name=workload]').options.length > 3");
    let fill = "document.querySelector('[name=duration]').value = '1 minute'; document.getElementById('new').dispatchEvent(new Event('input')); true";
    browser.evaluate(fill);
    browser.wait("document.getElementById('trouble').textContent.includes('write 1m')");
    browser
        .wait("document.querySelector('[name=duration]').getAttribute('aria-invalid') === 'true'");
    browser.evaluate("document.querySelector('button.main').click(); true");
    browser.wait("document.getElementById('state')?.textContent.includes('exit code 2')");
    browser.wait("document.getElementById('notes').textContent.includes('write 1m')");

    browser.go(&format!("{url}/runs/latest"));
    browser.evaluate("document.getElementById('tag').value = 'latest'; document.getElementById('add-tag').click(); true");
    browser.wait("document.getElementById('said').textContent.includes('·')");
    browser.evaluate("document.getElementById('tag').value = 'kept'; document.getElementById('add-tag').click(); true");
    browser.wait("document.getElementById('said').textContent === 'Tags: kept'");

    browser.go(&format!("{url}/compare"));
    browser.arrives(|browser| {
        let fill = "document.querySelector('[name=baseline]').value = 'nosuch'; document.querySelector('button.main').click()";
        drop(browser.evaluate(fill));
    });
    browser.wait("document.body.innerText.includes('nosuch')");
    browser.wait("document.body.innerText.includes('Not compared')");

    browser.go(&format!("{url}/trends"));
    browser.arrives(|browser| {
        let fill = "document.querySelector('[name=metric]').value = 'p59'; document.querySelector('button.main').click()";
        drop(browser.evaluate(fill));
    });
    browser.wait("document.querySelector('pre.text').textContent.includes('p59')");
    end(server);
}

#[test]
fn the_list_shows_a_failed_threshold() {
    let folder = Folder::new();
    folder.tacho("run tpcb sim -d 20s --threshold 'tps<1' -o quiet").exits(6);
    folder.tacho("run tpcb sim -d 1s --threshold 'tps<1' -o quiet").exits(6);
    let (server, url, token, _) = served(&folder, "");
    let mut browser = Browser::at(&format!("{url}/?token={token}"), 1280, "light");
    for verdict in ["THRESHOLD FAILED", "TOO SHORT, threshold failed"] {
        let cells = "[...document.querySelectorAll('tbody td')]";
        browser.wait(&format!("{cells}.some((cell) => cell.textContent === {})", json!(verdict)));
    }
    end(server);
}

/// A button repeats a saved run.
#[test]
fn a_run_is_repeated_from_its_page() {
    let folder = Folder::new();
    simulated(&folder, 1);
    let (server, url, token, _) = served(&folder, "");
    let mut browser = Browser::at(&format!("{url}/runs/latest?token={token}"), 1280, "light");
    browser.arrives(|browser| drop(browser.evaluate("document.getElementById('again').click()")));
    browser.wait("document.querySelector('#phase a')?.textContent.includes('Report of run')");
    assert_eq!(folder.runs().len(), 2);
    end(server);
}
