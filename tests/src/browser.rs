//! A page in Chromium without a window. Tests control it with the `DevTools` protocol through two pipes.
//!
//! The browser must not open a port, and must not keep running after the test. Start reading at [`Browser::open`].

use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use tempfile::TempDir;

/// Time limit of each wait. No page needs nearly as long, even on a busy machine.
const LIMIT: Duration = Duration::from_mins(1);
/// Command that starts Chromium. Chromium's protocol uses the file descriptors 3 and 4, which the command connects to
/// standard input and output.
const SCRIPT: &str = "exec chromium --headless --no-sandbox --disable-gpu --no-first-run \
                      --disable-background-networking --remote-debugging-pipe \
                      --user-data-dir=\"$0\" about:blank 3<&0 4>&1 </dev/null >/dev/null 2>&1";

/// A browser with one page.
pub struct Browser {
    child: Child,
    to: ChildStdin,
    from: Receiver<Value>,
    session: Option<String>,
    number: u64,
    /// Console messages, exceptions and requests that the page has reported.
    pub events: Vec<Value>,
    _profile: TempDir,
}

impl Browser {
    /// Opens a file. The window has this width in CSS pixels, and the theme is light or dark.
    pub fn open(page: &Path, width: u32, theme: &str) -> Self {
        Self::at(&format!("file://{}", page.display()), width, theme)
    }

    /// Opens a URL. The window has this width in CSS pixels, and the theme is light or dark.
    pub fn at(url: &str, width: u32, theme: &str) -> Self {
        let profile = tempfile::tempdir().expect("a temporary folder");
        let mut child = Command::new("sh")
            .args(["-c", SCRIPT])
            .arg(profile.path())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("sh starts");
        let to = child.stdin.take().expect("a pipe");
        let answers = BufReader::new(child.stdout.take().expect("a pipe"));
        let (say, from) = channel();
        std::thread::spawn(move || {
            for message in answers.split(0).map_while(Result::ok) {
                let message = serde_json::from_slice(&message).expect("the protocol speaks JSON");
                // The receiver may already be gone.
                let _ = say.send(message);
            }
        });
        let events = Vec::new();
        let mut browser =
            Self { child, to, from, session: None, number: 0, events, _profile: profile };
        browser.attach(width, theme);
        browser.go(url);
        browser
    }

    /// Navigates to a URL and waits until the page has loaded.
    pub fn go(&mut self, url: &str) {
        self.arrives(|browser| drop(browser.call("Page.navigate", &json!({ "url": url }))));
    }

    /// Performs an action that opens another page, and waits until that page has loaded.
    pub fn arrives(&mut self, by: impl FnOnce(&mut Self)) {
        let is_load = |event: &Value| event["method"] == "Page.loadEventFired";
        let before = self.events.iter().filter(|event| is_load(event)).count();
        by(self);
        if self.events.iter().filter(|event| is_load(event)).count() == before {
            let loaded = self.until("Page.loadEventFired", is_load);
            self.events.push(loaded);
        }
    }

    /// Waits until a JavaScript expression is true on the page, even if another page is loaded in the meantime.
    #[track_caller]
    pub fn wait(&mut self, condition: &str) {
        let deadline = Instant::now() + LIMIT;
        let expression =
            json!({ "expression": format!("Boolean({condition})"), "returnByValue": true });
        while self.call("Runtime.evaluate", &expression)["result"]["value"] != true {
            assert!(
                Instant::now() < deadline,
                "{condition}: {}",
                self.evaluate("document.body.innerText")
            );
            std::thread::sleep(Duration::from_millis(50));
        }
    }

    fn attach(&mut self, width: u32, theme: &str) {
        let target = self.call("Target.createTarget", &json!({ "url": "about:blank" }));
        let attach = json!({ "targetId": target["targetId"], "flatten": true });
        let attached = self.call("Target.attachToTarget", &attach);
        self.session = attached["sessionId"].as_str().map(str::to_owned);
        for domain in ["Page", "Runtime", "Log", "Network"] {
            self.call(&format!("{domain}.enable"), &json!({}));
        }
        let feature = json!({ "name": "prefers-color-scheme", "value": theme });
        self.call("Emulation.setEmulatedMedia", &json!({ "features": [feature] }));
        self.resize(width);
    }

    /// Sets the width of the window in CSS pixels, and waits until the page has been drawn again.
    pub fn resize(&mut self, width: u32) {
        let size =
            json!({ "width": width, "height": 900, "deviceScaleFactor": 1, "mobile": false });
        self.call("Emulation.setDeviceMetricsOverride", &size);
        let frames = "new Promise(done => requestAnimationFrame(() => setTimeout(done, 100)))";
        self.evaluate(frames);
    }

    /// Runs a script on the page and returns its result. The script must not fail.
    pub fn evaluate(&mut self, script: &str) -> Value {
        let expression =
            json!({ "expression": script, "returnByValue": true, "awaitPromise": true });
        let answer = self.call("Runtime.evaluate", &expression);
        assert!(answer.get("exceptionDetails").is_none(), "{script}: {answer:#}");
        answer["result"]["value"].clone()
    }

    fn call(&mut self, method: &str, params: &Value) -> Value {
        self.number += 1;
        let mut message = json!({ "id": self.number, "method": method, "params": params });
        if let Some(session) = &self.session {
            message["sessionId"] = session.as_str().into();
        }
        let mut bytes = message.to_string().into_bytes();
        bytes.push(0);
        self.to.write_all(&bytes).expect("chromium listens (Debian package: chromium)");
        let number = self.number;
        let answer = self.until(method, |message| message["id"] == number);
        assert!(answer.get("error").is_none(), "{method}: {answer}");
        answer["result"].clone()
    }

    /// Waits for a message. Messages that arrive before it are kept as events.
    fn until(&mut self, what: &str, wanted: impl Fn(&Value) -> bool) -> Value {
        let deadline = Instant::now() + LIMIT;
        loop {
            let left = deadline.saturating_duration_since(Instant::now());
            let message = self.from.recv_timeout(left);
            let message = message.unwrap_or_else(|error| panic!("{what}: chromium: {error}"));
            if wanted(&message) {
                return message;
            }
            self.events.push(message);
        }
    }
}

impl Drop for Browser {
    fn drop(&mut self) {
        // Let the browser close itself, because it then also stops its helper processes. Kill it only if it hangs.
        let _ = self.to.write_all(b"{\"id\":0,\"method\":\"Browser.close\"}\0");
        let deadline = Instant::now() + Duration::from_secs(5);
        while Instant::now() < deadline {
            if !matches!(self.child.try_wait(), Ok(None)) {
                return;
            }
            std::thread::sleep(Duration::from_millis(20));
        }
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
