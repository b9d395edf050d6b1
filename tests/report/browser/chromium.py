# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Chromium without a window, driven by the DevTools protocol over a pipe: JSON messages that end with a zero byte, commands on the
browser's file 3, answers and events on its file 4. The standard library suffices."""
import base64
import json
import os
import select
import shutil
import subprocess
import tempfile
import time

NAMES = ("chromium", "chromium-browser", "google-chrome", "chrome")
# What the browser says when it cannot start in a sandbox, as root or in a container.
FLAGS = ["--headless=new", "--remote-debugging-pipe", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run",
         "--disable-extensions", "--hide-scrollbars", "--force-color-profile=srgb"]


def find():
    """The program, or nothing. HEDDLE_CHROMIUM names one that is not in PATH."""
    return os.environ.get("HEDDLE_CHROMIUM") or next((path for name in NAMES if (path := shutil.which(name))), None)


class Browser:
    def __init__(self, program, seconds=60):
        self.seconds = seconds
        self.profile = tempfile.TemporaryDirectory(prefix="heddle-chromium-", ignore_cleanup_errors=True)
        commands, self.to = os.pipe()
        self.answers, replies = os.pipe()

        def as_files_three_and_four():
            # Each may be the other's number: both are moved out of the way first.
            high_in, high_out = os.dup(commands), os.dup(replies)
            os.dup2(high_in, 3)
            os.dup2(high_out, 4)

        self.log = tempfile.TemporaryFile()
        self.process = subprocess.Popen([program, *FLAGS, f"--user-data-dir={self.profile.name}", "about:blank"], stdin=subprocess.DEVNULL,
                                        stdout=self.log, stderr=self.log, close_fds=False, preexec_fn=as_files_three_and_four)
        os.close(commands)
        os.close(replies)
        self.rest, self.number, self.events = b"", 0, []

    def close(self):
        try:
            self.send("Browser.close")
            self.process.wait(10)
        except (OSError, RuntimeError, subprocess.TimeoutExpired):
            self.process.kill()
            self.process.wait()
        os.close(self.to)
        os.close(self.answers)
        self.profile.cleanup()

    def message(self, until):
        """The next message, an answer or an event."""
        while b"\0" not in self.rest:
            left = until - time.monotonic()
            ready = select.select([self.answers], [], [], max(0, left))[0] if left > 0 else []
            chunk = os.read(self.answers, 1 << 20) if ready else b""
            if not chunk:
                self.log.seek(0)
                raise RuntimeError("Chromium does not answer:\n" + self.log.read().decode(errors="replace")[-2000:])
            self.rest += chunk
        text, self.rest = self.rest.split(b"\0", 1)
        return json.loads(text)

    def send(self, method, session=None, **parameters):
        self.number += 1
        command = {"id": self.number, "method": method, "params": parameters}
        if session:
            command["sessionId"] = session
        os.write(self.to, json.dumps(command).encode() + b"\0")
        until = time.monotonic() + self.seconds
        while True:
            message = self.message(until)
            if message.get("id") == self.number:
                if "error" in message:
                    raise RuntimeError(f"{method}: {message['error']['message']}")
                return message["result"]
            self.events.append(message)

    def open(self, url, width, dark=False):
        return Page(self, url, width, dark)


class Page:
    """One page in a tab of its own, loaded."""

    def __init__(self, browser, url, width, dark):
        self.browser = browser
        target = browser.send("Target.createTarget", url="about:blank")["targetId"]
        self.session = browser.send("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.send(f"{domain}.enable")
        self.send("Emulation.setDeviceMetricsOverride", width=width, height=900, deviceScaleFactor=1, mobile=False)
        self.send("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": "dark" if dark else "light"}])
        self.send("Page.navigate", url=url)
        self.wait("Page.loadEventFired")

    def send(self, method, **parameters):
        return self.browser.send(method, self.session, **parameters)

    def wait(self, event):
        until = time.monotonic() + self.browser.seconds
        while not self.of(event):
            self.browser.events.append(self.browser.message(until))

    def of(self, *events):
        return [m["params"] for m in self.browser.events if m.get("sessionId") == self.session and m["method"] in events]

    def value(self, expression):
        result = self.send("Runtime.evaluate", expression=expression, returnByValue=True)
        if "exceptionDetails" in result:
            raise RuntimeError(f"{expression}: {result['exceptionDetails']}")
        return result["result"].get("value")

    def complaints(self):
        """What the console would show in red, and everything that was asked of a network."""
        said = [entry["entry"]["text"] for entry in self.of("Log.entryAdded") if entry["entry"]["level"] in ("error", "warning")]
        said += [str(call["args"]) for call in self.of("Runtime.consoleAPICalled") if call["type"] in ("error", "warning", "assert")]
        said += [thrown["exceptionDetails"]["text"] for thrown in self.of("Runtime.exceptionThrown")]
        said += ["asks for " + sent["request"]["url"] for sent in self.of("Network.requestWillBeSent")
                 if not sent["request"]["url"].startswith(("file:", "data:"))]
        return said

    def screenshot(self, file):
        size = self.send("Page.getLayoutMetrics")["cssContentSize"]
        clip = {"x": 0, "y": 0, "width": size["width"], "height": min(size["height"], 12000), "scale": 1}
        image = self.send("Page.captureScreenshot", format="png", captureBeyondViewport=True, clip=clip)
        file.write_bytes(base64.b64decode(image["data"]))

    def print(self, file):
        file.write_bytes(base64.b64decode(self.send("Page.printToPDF", printBackground=True)["data"]))

    def press_tab(self):
        for kind in ("rawKeyDown", "keyUp"):
            self.send("Input.dispatchKeyEvent", type=kind, key="Tab", code="Tab", windowsVirtualKeyCode=9)

    def close(self):
        self.send("Page.close")
