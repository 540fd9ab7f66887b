"""Downloads from a server on this computer, and with pip from a folder."""

import hashlib
import subprocess
import sys
import threading
from http.server import BaseHTTPRequestHandler, HTTPServer

import pytest

from ratings.fake_sources import zipped
from robustbandits.ratings import _download
from robustbandits.ratings._download import DownloadError, download, download_wheel

BODY = b"0123456789" * 20_000


class Answers(BaseHTTPRequestHandler):
    """/good sends what it announces, /short less; nothing else is there."""

    def do_GET(self):
        if self.path not in ("/good", "/short"):
            self.send_error(404, "Not here")
            return
        self.send_response(200)
        self.send_header("Content-Length", str(len(BODY) * (1 if self.path == "/good" else 2)))
        self.end_headers()
        self.wfile.write(BODY)

    def log_message(self, *arguments):
        pass


@pytest.fixture
def address(monkeypatch):
    monkeypatch.setenv("no_proxy", "*")
    monkeypatch.setattr(_download, "ANSWER_SECONDS", 120)  # for a busy computer
    with HTTPServer(("127.0.0.1", 0), Answers) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()
        thread.join()


def test_download_is_checked_against_its_checksum(address, tmp_path):
    good = f"md5:{hashlib.md5(BODY).hexdigest()}"
    for k, checksum in enumerate((good, None)):
        assert download(f"{address}/good", checksum, tmp_path / str(k)).read_bytes() == BODY
    with pytest.raises(DownloadError, match="does not match the known hash"):
        download(f"{address}/good", "md5:" + "0" * 32, tmp_path / "wrong")
    assert list((tmp_path / "wrong").iterdir()) == []


@pytest.mark.parametrize(("path", "reason"), [("/short", "/short: .*"), ("/gone", "404.*Not here")])
def test_bad_answers_are_download_errors(address, tmp_path, path, reason):
    with pytest.raises(DownloadError, match=reason):
        download(address + path, None, tmp_path)
    assert list(tmp_path.iterdir()) == []


def test_too_large_download_is_stopped(address, tmp_path, monkeypatch):
    monkeypatch.setattr(_download, "LARGEST_FILE", 1 << 17)
    with pytest.raises(DownloadError, match="more than 0 MB"):
        download(f"{address}/good", None, tmp_path)
    assert list(tmp_path.iterdir()) == []


def test_host_that_does_not_exist_is_a_download_error(tmp_path):
    with pytest.raises(DownloadError, match=r"archive\.invalid"):
        download("https://archive.invalid/x.zip", None, tmp_path)


def test_pip_downloads_a_wheel_and_does_not_install_it(tmp_path, monkeypatch):
    metadata = "Metadata-Version: 2.1\nName: tiny-data\nVersion: 1.0\n"
    files = {"tiny_data/x.txt": "x", "tiny_data-1.0.dist-info/METADATA": metadata}
    files["tiny_data-1.0.dist-info/WHEEL"] = "Wheel-Version: 1.0\nTag: py3-none-any\n"
    files["tiny_data-1.0.dist-info/RECORD"] = ""
    (tmp_path / "index").mkdir()
    (tmp_path / "index" / "tiny_data-1.0-py3-none-any.whl").write_bytes(zipped(files))
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", str(tmp_path / "index"))
    (tmp_path / "here").mkdir()
    wheel = download_wheel("tiny-data==1.0", tmp_path / "here")
    assert wheel == tmp_path / "here" / "tiny_data-1.0-py3-none-any.whl"
    with pytest.raises(DownloadError, match=r"No matching distribution found for tiny-data==2"):
        download_wheel("tiny-data==2.0", tmp_path / "here")


def test_pip_that_does_not_answer_is_a_download_error(tmp_path, monkeypatch):
    monkeypatch.setattr(_download, "WHEEL_SECONDS", 0.001)
    with pytest.raises(DownloadError, match=r"not done in 0.001 s"):
        download_wheel("recbole==1.2.1", tmp_path)


def test_missing_pooch_is_named_with_the_command_that_installs_it():
    code = (
        "import sys, pathlib; sys.modules['pooch'] = None\n"
        "from robustbandits.ratings._download import download\n"
        "download('https://archive.invalid/x', None, pathlib.Path('.'))"
    )
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert "fetching data needs pooch: pip install 'robustbandits[data]'" in result.stderr
