"""A small stand-in for MovieLens 100K in the catalogue, and a data directory of its own."""

from __future__ import annotations

import dataclasses
import hashlib
import io
import zipfile

import pytest

from ratings.rating_samples import FILES, RATINGS
from robustbandits.ratings._download import NoAnswer
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


class Room:
    """What the tests change: the archive's answer, pip's answer."""

    def __init__(self, folder, patch):
        self.folder = folder
        self.kept = folder / "data" / NAME
        self.said = []
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
        for known in DATASETS.values():
            patch.delenv(known.variable, raising=False)
        self.archive(NoAnswer("archive: no answer"))
        self.wheel(NoAnswer("pip: no answer"))

    def archive(self, answer):
        """Let the official archive answer with bytes, or not at all."""

        def download(address, limit):
            if isinstance(answer, Exception):
                raise answer
            return answer

        self._patch.setattr("robustbandits.ratings.fetch.download", download)

    def wheel(self, answer):
        """Let pip bring a wheel with these files, or fail."""

        def pip_download(requirement, folder):
            if isinstance(answer, Exception):
                raise answer
            path = folder / "recbole-1.2.1-py3-none-any.whl"
            path.write_bytes(zipped(answer))
            return path

        self._patch.setattr("robustbandits.ratings.fetch.pip_download", pip_download)

    def names(self):
        """All that lies in the data directory."""
        root = self.folder / "data"
        return sorted(str(path.relative_to(root)) for path in root.rglob("*"))


@pytest.fixture
def room(tmp_path, monkeypatch):
    return Room(tmp_path, monkeypatch)
