"""Streamlit servers and a Chromium for tests and benchmarks: started, watched, and gone at the end."""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from playwright.sync_api import Browser, Playwright

ROOT = Path(__file__).parents[2]
CHROMIUMS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
FLAGS = ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-sync",
         "--disable-background-networking", "--disable-component-update"]  # fmt: skip
INSTALL = (
    "The browser tests need Chromium. On Debian or Ubuntu: apt-get install chromium fonts-noto-cjk; "
    "elsewhere: python -m playwright install --with-deps chromium."
)


class Server:
    """A `streamlit run` of its own on a free port; `url` has no slash at the end."""

    def __init__(
        self, script: str = "streamlit_app.py", *, cwd: Path = ROOT, options: tuple[str, ...] = (), port: int = 0,
        module: str = "streamlit.web.cli",
    ) -> None:  # fmt: skip
        self.port = port or free_port()
        self.url = f"http://127.0.0.1:{self.port}"
        self._log = tempfile.NamedTemporaryFile("w+b", prefix="streamlit-", suffix=".log")  # noqa: SIM115
        command = [
            sys.executable, "-m", module, "run", script, "--server.port", str(self.port),
            "--server.address", "127.0.0.1", "--server.headless", "true",
            "--browser.gatherUsageStats", "false", *options,
        ]  # fmt: skip
        self.process = subprocess.Popen(
            command, cwd=cwd, stdin=subprocess.DEVNULL, stdout=self._log, stderr=subprocess.STDOUT,
            env={**os.environ, "PYTHONUNBUFFERED": "1"},
        )  # fmt: skip

    def wait(self, limit: float = 60.0) -> Server:
        """Wait until it answers."""
        end = time.monotonic() + limit
        while time.monotonic() < end:
            if self.process.poll() is not None:
                raise RuntimeError(f"the server ended with {self.process.returncode}:\n{self.output()}")
            try:
                with urllib.request.urlopen(f"{self.url}/_stcore/health", timeout=5):
                    return self
            except (urllib.error.URLError, OSError):
                time.sleep(0.05)
        raise TimeoutError(f"the server did not answer in {limit:.0f} s:\n{self.output()}")

    def output(self) -> str:
        """Everything it has printed so far."""
        return Path(self._log.name).read_text(encoding="utf-8", errors="replace")

    def stop(self) -> None:
        if self.process.poll() is None:
            self.process.terminate()
            try:
                self.process.wait(timeout=5)
            except subprocess.TimeoutExpired:
                self.process.kill()
        self.process.wait()
        self._log.close()


@contextmanager
def running(script: str = "streamlit_app.py", **how: Any) -> Iterator[Server]:
    """A server that answers, for as long as the block lasts."""
    server = Server(script, **how)
    try:
        yield server.wait()
    finally:
        server.stop()


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def launch(playwright: Playwright) -> Browser:
    """A Chromium: the one on the PATH, else one that can be obtained; RuntimeError says what to install."""
    path = _on_path()
    own = Path(playwright.chromium.executable_path)
    failures = []
    if path is None and not own.exists():
        for command in _ways_to_install():
            failures += _attempt(command)
            path = _on_path()
            if path or own.exists():
                break
    if path is None and not own.exists():
        raise RuntimeError("\n".join([INSTALL, *failures]))
    return playwright.chromium.launch(executable_path=path, args=FLAGS)


def _on_path() -> str | None:
    """A Chromium that starts (Ubuntu's `chromium-browser` may be a stub that only points to a snap)."""
    for name in CHROMIUMS:
        path = shutil.which(name)
        if path and subprocess.run([path, "--version"], capture_output=True).returncode == 0:
            return path
    return None


def _ways_to_install() -> list[list[list[str]]]:
    download = [sys.executable, "-m", "playwright", "install", "chromium"]
    root = hasattr(os, "geteuid") and os.geteuid() == 0
    if not (root and shutil.which("apt-get")):
        return [[download]]
    packages = ["apt-get", "install", "-y", "-q", "chromium", "fonts-noto-cjk"]
    return [[["apt-get", "update", "-q"], packages], [[*download[:4], "--with-deps", "chromium"]]]


def _attempt(commands: list[list[str]]) -> list[str]:
    """Run commands until one fails; returns what went wrong."""
    for command in commands:
        try:
            done = subprocess.run(
                command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                text=True, timeout=600, env={**os.environ, "DEBIAN_FRONTEND": "noninteractive"},
            )  # fmt: skip
        except (OSError, subprocess.TimeoutExpired) as error:
            return [f"{' '.join(command)}: {error}"]
        if done.returncode:
            return [f"{' '.join(command)} failed:\n{done.stdout[-1500:]}"]
    return []
