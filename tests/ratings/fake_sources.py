"""A tiny data set in the place of MovieLens 100K, and sources that answer as a test says."""

import dataclasses
import hashlib
import io
import zipfile

import pytest

from ratings.rating_samples import FILES, RATINGS
from robustbandits.ratings._download import DownloadError
from robustbandits.ratings.datasets import DATASETS, MOVIELENS_100K

NAME = "movielens-100k"
DATA = FILES["u.data"].encode()
HEADER = b"user_id:token\titem_id:token\trating:float\ttimestamp:float\n"
TITLES = b"item_id:token\tmovie_title:token_seq\n2\tTea\n"


def zipped(files):
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, text in files.items():
            archive.writestr(name, text)
    return data.getvalue()


class Sources:
    """A data directory, and what the official archive and pip answer: nothing, at first."""

    def __init__(self, folder, patch):
        self.folder = folder
        self.installed = folder / "data" / NAME
        self.messages = []
        self._patch = patch
        small = dataclasses.replace(
            MOVIELENS_100K,
            ratings=len(RATINGS),
            users=3,
            items=3,
            sha256=hashlib.sha256(DATA).hexdigest(),
            archive="https://archive.invalid/ml-100k.zip",
        )
        patch.setitem(DATASETS, NAME, small)
        patch.setenv("ROBUSTBANDITS_DATA", str(folder / "data"))
        for dataset in DATASETS.values():
            patch.delenv(dataset.variable, raising=False)
        self.archive(DownloadError("archive: no answer"))
        self.wheel(DownloadError("pip: no answer"))

    def archive(self, answer):
        """Let the official archive answer with bytes, or fail with an error."""

        def download(address, checksum, folder):
            if isinstance(answer, Exception):
                raise answer
            path = folder / "download"
            path.write_bytes(answer)
            return path

        self._patch.setattr("robustbandits.ratings.fetch.download", download)

    def wheel(self, answer):
        """Let pip download a wheel with these files, or fail with an error."""

        def download_wheel(requirement, folder):
            if isinstance(answer, Exception):
                raise answer
            path = folder / "recbole-1.2.1-py3-none-any.whl"
            path.write_bytes(zipped(answer))
            return path

        self._patch.setattr("robustbandits.ratings.fetch.download_wheel", download_wheel)

    def file_names(self):
        """Everything in the data directory."""
        root = self.folder / "data"
        return sorted(str(path.relative_to(root)) for path in root.rglob("*"))


@pytest.fixture
def sources(tmp_path, monkeypatch):
    return Sources(tmp_path, monkeypatch)
