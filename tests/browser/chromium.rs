//! A real browser, driven over a pipe by its DevTools protocol: no port, no driver, no network.
//!
//! `OUTBOX_AUDIT_TEST_CHROMIUM` names one; else the one that is installed is used. A test is never
//! skipped: without a browser it fails and says what to do.

use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;

use serde_json::{Value, json};
use tempfile::TempDir;

/// How long one answer may take; a loaded machine is slow, a hung browser never answers.
const PATIENCE: Duration = Duration::from_secs(120);

/// The names under which distributions install it.
const NAMES: [&str; 4] = [
    "chromium",
    "chromium-browser",
    "google-chrome",
    "google-chrome-stable",
];

/// A browser with one page.
pub(crate) struct Page {
    browser: Child,
    to: ChildStdin,
    from: Receiver<Value>,
    session: Option<String>,
    calls: u64,
    scripts: bool,
    /// Everything that it reported, in order.
    pub(crate) events: Vec<Value>,
    /// Its profile, which goes with it.
    _profile: TempDir,
}

fn program() -> String {
    let named = std::env::var("OUTBOX_AUDIT_TEST_CHROMIUM");
    if let Ok(named) = named.as_ref().map(|it| it.trim())
        && !named.is_empty()
    {
        return named.to_owned();
    }
    let path = std::env::var_os("PATH").unwrap_or_default();
    let there =
        |name: &&&str| std::env::split_paths(&path).any(|folder| folder.join(name).is_file());
    let found = NAMES.iter().find(there);
    (*found.expect(
        "no Chromium on this machine: run scripts/test, which installs it, or name one in \
         OUTBOX_AUDIT_TEST_CHROMIUM",
    ))
    .to_owned()
}

impl Page {
    /// An empty page of a size in pixels.
    pub(crate) fn new(width: u32, height: u32) -> Self {
        let profile = tempfile::tempdir().expect("a folder for its profile");
        let mut browser = Command::new("sh")
            // The protocol is spoken on the descriptors 3 and 4.
            .args(["-c", "exec 3<&0 4>&1 0</dev/null 1>&2; exec \"$@\"", "sh"])
            .arg(program())
            // The tests may run as root, where its sandbox does not.
            .args([
                "--headless",
                "--no-sandbox",
                "--disable-gpu",
                "--disable-dev-shm-usage",
            ])
            .args([
                "--no-first-run",
                "--disable-background-networking",
                "--disable-extensions",
            ])
            .arg("--remote-debugging-pipe")
            .arg(format!("--user-data-dir={}", profile.path().display()))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .expect("the browser starts");
        let to = browser.stdin.take().expect("its input");
        let mut out = BufReader::new(browser.stdout.take().expect("its output"));
        let (send, from) = channel();
        std::thread::spawn(move || {
            let mut message = Vec::new();
            while matches!(out.read_until(0, &mut message), Ok(read) if read > 0) {
                message.pop();
                let value = serde_json::from_slice(&message).unwrap_or(Value::Null);
                if send.send(value).is_err() {
                    return;
                }
                message.clear();
            }
        });
        let mut page = Self {
            browser,
            to,
            from,
            session: None,
            calls: 0,
            scripts: true,
            events: Vec::new(),
            _profile: profile,
        };
        let target = page.call("Target.createTarget", json!({"url": "about:blank"}));
        let target = json!({"targetId": target["targetId"], "flatten": true});
        let session = page.call("Target.attachToTarget", target);
        page.session = session["sessionId"].as_str().map(str::to_owned);
        // Counted as work of its thread, not as time that passes.
        let ticks = json!({"timeDomain": "threadTicks"});
        page.call("Performance.enable", ticks);
        for domain in ["Page", "Runtime", "Log", "Network"] {
            page.call(&format!("{domain}.enable"), json!({}));
        }
        page.resize(width, height);
        page
    }

    /// A page that shows a file.
    pub(crate) fn of(file: &Path, width: u32, height: u32) -> Self {
        let mut page = Self::new(width, height);
        page.open(file);
        page
    }

    /// Opens a file and waits until it is loaded; what was reported before is forgotten.
    pub(crate) fn open(&mut self, file: &Path) {
        self.events.clear();
        let url = format!("file://{}", file.display());
        let answer = self.call("Page.navigate", json!({"url": url}));
        assert!(answer["errorText"].is_null(), "{answer}");
        let loaded = |event: &Value| event["method"] == "Page.loadEventFired";
        while !self.events.iter().any(loaded) {
            let message = self.next();
            self.events.push(message);
        }
    }

    /// Runs no script of any page from now on.
    pub(crate) fn without_script(&mut self) {
        self.call(
            "Emulation.setScriptExecutionDisabled",
            json!({"value": true}),
        );
        self.scripts = false;
    }

    /// Milliseconds that the main thread of the page has worked, however busy the machine is.
    pub(crate) fn worked(&mut self) -> u64 {
        let answer = self.call("Performance.getMetrics", json!({}));
        let metrics = answer["metrics"].as_array().cloned().unwrap_or_default();
        let task = metrics.iter().find(|one| one["name"] == "TaskDuration");
        let seconds = task.and_then(|one| one["value"].as_f64());
        (seconds.expect("its time") * 1_000.0) as u64
    }

    /// Changes its size.
    pub(crate) fn resize(&mut self, width: u32, height: u32) {
        let size =
            json!({"width": width, "height": height, "deviceScaleFactor": 1, "mobile": false});
        self.call("Emulation.setDeviceMetricsOverride", size);
    }

    fn next(&mut self) -> Value {
        let message = self.from.recv_timeout(PATIENCE);
        message.expect("the browser answers")
    }

    /// Calls a method of the protocol; gives its result.
    pub(crate) fn call(&mut self, method: &str, parameters: Value) -> Value {
        self.calls += 1;
        let id = self.calls;
        let mut message = json!({"id": id, "method": method, "params": parameters});
        if let Some(session) = &self.session {
            message["sessionId"] = json!(session);
        }
        let mut bytes = message.to_string().into_bytes();
        bytes.push(0);
        self.to.write_all(&bytes).expect("the browser listens");
        loop {
            let answer = self.next();
            if answer["id"] == id {
                assert!(answer["error"].is_null(), "{method}: {}", answer["error"]);
                return answer["result"].clone();
            }
            self.events.push(answer);
        }
    }

    /// The value of an expression in the page.
    pub(crate) fn value(&mut self, expression: &str) -> Value {
        let asked = json!({"expression": expression, "returnByValue": true, "awaitPromise": true});
        let answer = self.call("Runtime.evaluate", asked);
        assert!(
            answer["exceptionDetails"].is_null(),
            "{expression}: {}",
            answer["exceptionDetails"]
        );
        answer["result"]["value"].clone()
    }

    /// The number that an expression gives.
    pub(crate) fn number(&mut self, expression: &str) -> u64 {
        let value = self.value(expression);
        value
            .as_u64()
            .unwrap_or_else(|| panic!("{expression} gives {value}"))
    }

    /// The text that an expression gives.
    pub(crate) fn text(&mut self, expression: &str) -> String {
        let value = self.value(expression);
        let text = value.as_str().map(str::to_owned);
        text.unwrap_or_else(|| panic!("{expression} gives {value}"))
    }

    /// The texts that an expression gives.
    pub(crate) fn texts(&mut self, expression: &str) -> Vec<String> {
        let value = self.value(expression);
        serde_json::from_value(value).unwrap_or_else(|error| panic!("{expression}: {error}"))
    }

    /// Clicks, as a mouse does, on the middle of what a selector finds first.
    pub(crate) fn click(&mut self, selector: &str) {
        let at = self.value(&format!(
            "(() => {{ const one = document.querySelector({selector:?});
               one.scrollIntoView({{block: 'center', behavior: 'instant'}});
               const box = one.getBoundingClientRect();
               return [box.x + box.width / 2, box.y + box.height / 2]; }})()"
        ));
        for kind in ["mousePressed", "mouseReleased"] {
            let event =
                json!({"type": kind, "x": at[0], "y": at[1], "button": "left", "clickCount": 1});
            self.call("Input.dispatchMouseEvent", event);
        }
        self.settle();
    }

    /// Presses a key: `Tab`, `Enter` or ` `.
    pub(crate) fn press(&mut self, key: &str) {
        let (code, number, text) = match key {
            "Tab" => ("Tab", 9, ""),
            "Enter" => ("Enter", 13, "\r"),
            _ => ("Space", 32, " "),
        };
        for kind in ["keyDown", "keyUp"] {
            let event = json!({"type": kind, "key": key, "code": code, "text": text,
                "windowsVirtualKeyCode": number});
            self.call("Input.dispatchKeyEvent", event);
        }
        self.settle();
    }

    /// Writes where the focus is.
    pub(crate) fn write(&mut self, text: &str) {
        self.call("Input.insertText", json!({"text": text}));
        self.settle();
    }

    /// Waits until what was started is painted.
    pub(crate) fn settle(&mut self) {
        if !self.scripts {
            // No timer of the page fires.
            std::thread::sleep(Duration::from_millis(500));
            return;
        }
        self.value(
            "new Promise((done) => setTimeout(() => requestAnimationFrame(() => done(1)), 20))",
        );
    }

    /// What went wrong in it: exceptions, errors on the console, what the policy refused.
    pub(crate) fn faults(&self) -> Vec<String> {
        const TOLD: [&str; 4] = [
            "Runtime.exceptionThrown",
            "Runtime.consoleAPICalled",
            "Log.entryAdded",
            "Page.javascriptDialogOpening",
        ];
        let told = |event: &&Value| {
            let method = event["method"].as_str();
            method.is_some_and(|method| TOLD.contains(&method))
        };
        let events = self.events.iter().filter(told);
        events.map(Value::to_string).collect()
    }

    /// The addresses that it asked for.
    pub(crate) fn requests(&self) -> Vec<String> {
        let events = self.events.iter();
        events
            .filter(|event| event["method"] == "Network.requestWillBeSent")
            .filter_map(|event| event["params"]["request"]["url"].as_str())
            .map(str::to_owned)
            .collect()
    }
}

impl Drop for Page {
    fn drop(&mut self) {
        // It ends with its input, and so do its children; nobody waits for a browser that hangs.
        let _ = self.browser.kill();
        let _ = self.browser.wait();
    }
}
