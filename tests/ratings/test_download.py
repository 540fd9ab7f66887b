"""Downloads end, whatever the other side does."""

from __future__ import annotations

import subprocess
import sys
import threading
from http.server import BaseHTTPRequestHandler, HTTPServer

import pytest

from robustbandits.ratings import _download as downloads
from robustbandits.ratings._download import NoAnswer, download, pip_download


@pytest.fixture(autouse=True)
def patience(monkeypatch):
    """A busy machine is not a server that does not answer."""
    monkeypatch.setattr(downloads, "ANSWER_SECONDS", 120.0)
    monkeypatch.setattr(downloads, "WHOLE_SECONDS", 120.0)


class Answers(BaseHTTPRequestHandler):
    """/good sends what it promises, /short less; anything else is not there."""

    def do_GET(self):
        if self.path not in ("/good", "/short"):
            self.send_error(404, "Not here")
            return
        self.send_response(200)
        self.send_header("Content-Length", "10" if self.path == "/good" else "500")
        self.end_headers()
        self.wfile.write(b"0123456789")

    def log_message(self, *arguments):
        pass


@pytest.fixture
def address(monkeypatch):
    monkeypatch.setenv("no_proxy", "*")
    with HTTPServer(("127.0.0.1", 0), Answers) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()
        thread.join()


def test_answers_of_a_server(address):
    assert download(f"{address}/good", 10) == b"0123456789"
    with pytest.raises(NoAnswer, match=r"cut off after 10 of 500 bytes"):
        download(f"{address}/short", 1000)
    with pytest.raises(NoAnswer, match=r"/gone: 404 Not here"):
        download(f"{address}/gone", 1000)


def test_download_reads_bounds_and_reports(tmp_path):
    path = tmp_path / "file.zip"
    path.write_bytes(b"x" * 200_000)
    assert download(path.as_uri(), 200_000) == b"x" * 200_000
    with pytest.raises(NoAnswer, match="more than 0 MB"):
        download(path.as_uri(), 199_999)
    with pytest.raises(NoAnswer, match=r"gone.zip"):
        download((tmp_path / "gone.zip").as_uri(), 10)
    with pytest.raises(NoAnswer, match="unknown url type"):
        download("nonsense", 10)


def test_name_server_that_hangs_is_left_behind(monkeypatch):
    entered, release = threading.Event(), threading.Event()

    def hang(*arguments, **options):
        entered.set()
        release.wait(120)
        raise OSError("too late")

    monkeypatch.setattr(downloads, "ANSWER_SECONDS", 0.05)
    monkeypatch.setattr("urllib.request.urlopen", hang)
    with pytest.raises(NoAnswer, match=r"no answer in 0.05 s"):
        download("https://archive.invalid/x", 10)
    assert entered.wait(120)
    release.set()


@pytest.mark.parametrize(
    ("trouble", "reason"),
    [
        (subprocess.TimeoutExpired("pip", 1), "not done in 120 s"),
        (subprocess.CalledProcessError(1, "pip", "", "x\nERROR: No matching\n"), ": No matching$"),
        (subprocess.CalledProcessError(3, "pip", "", ""), "exit code 3"),
        (None, "got 0 wheels"),
    ],
)
def test_pip_that_fails_is_no_answer(tmp_path, monkeypatch, trouble, reason):
    def run(command, **options):
        assert command[:4] == [sys.executable, "-m", "pip", "download"]
        assert "--no-deps" in command
        if trouble is not None:
            raise trouble

    monkeypatch.setattr(subprocess, "run", run)
    with pytest.raises(NoAnswer, match=reason):
        pip_download("recbole==1.2.1", tmp_path)
