"""Download archives, and read files from archives that may be damaged, huge or hostile."""

from __future__ import annotations

import errno
import subprocess
import sys
import zipfile
from pathlib import Path

from robustbandits._extras import missing_package
from robustbandits.ratings.errors import DAMAGED_ARCHIVE, DataError

#: Seconds to wait for an answer, and for pip to download a wheel.
ANSWER_SECONDS, WHEEL_SECONDS = 8, 90
#: Larger than any archive or file that is needed here.
LARGEST_FILE = 64 << 20


class DownloadError(Exception):
    """A source on the network cannot be reached, or does not have what was asked for."""


def download(address: str, checksum: str | None, folder: Path) -> Path:
    """Download a file of at most 64 MB into a folder, or raise a DownloadError."""
    try:
        import pooch
    except ImportError:
        raise missing_package("fetching data needs", "pooch", "data") from None
    pooch.get_logger().setLevel("WARNING")
    try:
        path = pooch.retrieve(address, checksum, "download", folder, downloader=_write_bounded)
    except (OSError, ValueError) as error:  # no answer, or a wrong checksum
        reason = getattr(error.args[0], "reason", error) if error.args else error
        raise DownloadError(f"{address}: {reason}") from None
    return Path(path)


def _write_bounded(address: str, path: str, _: object) -> None:
    """Download a file for pooch; stop if it is too large."""
    import requests

    with requests.get(address, stream=True, timeout=ANSWER_SECONDS) as response:
        response.raise_for_status()
        with Path(path).open("wb") as file:
            for chunk in response.iter_content(1 << 16):
                file.write(chunk)
                if file.tell() > LARGEST_FILE:
                    raise OSError(f"more than {LARGEST_FILE >> 20} MB")


def download_wheel(requirement: str, folder: Path) -> Path:
    """Download one wheel with pip, without installing it, or raise a DownloadError."""
    command = [sys.executable, "-m", "pip", "download", requirement, "--no-deps", "--quiet"]
    command += ["--only-binary=:all:", "--disable-pip-version-check", "--no-input"]
    command += ["--timeout", str(ANSWER_SECONDS), "--retries", "1", "--dest", str(folder)]
    try:
        subprocess.run(
            command, check=True, capture_output=True, text=True, timeout=WHEEL_SECONDS, cwd=folder
        )
    except subprocess.TimeoutExpired:
        raise DownloadError(f"pip download {requirement}: not done in {WHEEL_SECONDS} s") from None
    except subprocess.CalledProcessError as error:
        reason = error.stderr.strip().rpartition("\n")[2].removeprefix("ERROR: ")
        raise DownloadError(f"pip download {requirement}: {reason or error}") from None
    wheels = sorted(folder.glob("*.whl"))
    if len(wheels) != 1:
        raise DownloadError(f"pip download {requirement}: expected one wheel, got {len(wheels)}")
    return wheels[0]


def read_members(archive: Path, wanted: tuple[str, ...], origin: str) -> dict[str, bytes]:
    """Return the wanted files of a zip archive by name, from any folder inside the archive.

    Nothing is written to disk, so names inside the archive never become paths. Raises a DataError
    if the archive is damaged, if the first of the wanted files is missing, or if a file is too
    large or has an unusual compression.
    """
    found: dict[str, bytes] = {}
    try:
        with zipfile.ZipFile(archive) as opened:
            # Files nearest to the top come first, because a deeper file of the same name is a copy.
            for entry in sorted(opened.infolist(), key=lambda entry: entry.filename.count("/")):
                name = entry.filename.rsplit("/", 1)[-1]
                if name in wanted and name not in found:
                    found[name] = _read_bounded(opened, entry, origin)
    except DataError:
        raise
    except (*DAMAGED_ARCHIVE, OSError) as error:
        if isinstance(error, OSError) and error.errno != errno.EINVAL:
            raise  # the disk failed; a damaged archive may cause EINVAL
        raise DataError(f"{origin} is damaged or cut off: {error}") from None
    if wanted[0] not in found:
        raise DataError(f"{origin} holds no {wanted[0]}, the file of ratings")
    return found


def _read_bounded(opened: zipfile.ZipFile, entry: zipfile.ZipInfo, origin: str) -> bytes:
    if entry.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
        raise DataError(f"{origin}: {entry.filename} has an unusual compression: unpack it first")
    with opened.open(entry) as file:
        data = file.read(LARGEST_FILE + 1)  # the size stated in the archive may be wrong
    if len(data) > LARGEST_FILE:
        raise DataError(f"{origin}: {entry.filename} has more than {LARGEST_FILE >> 20} MB")
    return data
