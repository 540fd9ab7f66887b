"""Read columns of a CSV or Parquet file with pyarrow, in batches of limited size."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from robustbandits._extras import missing_package
from robustbandits.kernels.linalg import Floats
from robustbandits.ratings.errors import DataError

#: Text of a CSV file that is parsed at a time; a line must be shorter.
BLOCK_BYTES = 1 << 22
#: Rows of a Parquet file that are decoded at a time.
BATCH_ROWS = 1000
#: Most values that a column of a Parquet file may have: a small file can hold very many.
MAX_VALUES = 1 << 27
PARQUET = b"PAR1"

_LINE = re.compile(r"Row #(\d+)")
_COLUMN = re.compile(r"In CSV column #(\d+): ")


class Rows:
    """A file with named columns.

    Parameters
    ----------
    path
        A Parquet file, which is known by its first bytes, or a CSV file with a header.
    """

    def __init__(self, path: Path):
        self._pa = _import_pyarrow()
        self.path = path
        if not path.is_file():
            raise FileNotFoundError(f"{path} is not a file: give a Parquet or a CSV file")
        with path.open("rb") as file:
            self.is_parquet = file.read(4) == PARQUET
        self.names: list[str] = []
        try:
            self.names = self._read_names()
        except self._pa.ArrowException as error:
            raise self._explain(error) from None
        repeated = sorted({name for name in self.names if self.names.count(name) > 1})
        if repeated:
            raise DataError(f"{path} has the column {repeated[0]!r} more than once: rename one")

    def _read_names(self) -> list[str]:
        if self.is_parquet:
            with self._pa.parquet.ParquetFile(self.path) as file:
                return list(file.schema_arrow.names)
        with self._open_csv(None) as reader:
            return list(reader.schema.names)

    def _open_csv(self, types: Mapping[str, Any] | None) -> Any:
        csv = self._pa.csv
        return csv.open_csv(
            self.path,
            read_options=csv.ReadOptions(use_threads=False, block_size=BLOCK_BYTES),
            convert_options=csv.ConvertOptions(
                column_types=types, include_columns=list(types or ()), null_values=[""]
            ),
        )

    def batches(self, columns: list[str], text: tuple[str, ...] = ()) -> Iterator[Any]:
        """Yield record batches with these columns: numbers, or text for those in ``text``."""
        pa = self._pa
        try:
            if self.is_parquet:
                with pa.parquet.ParquetFile(self.path) as file:
                    self._check_sizes(file.metadata, columns)
                    yield from file.iter_batches(BATCH_ROWS, columns=columns, use_threads=False)
            else:
                types = {name: pa.string() if name in text else pa.float64() for name in columns}
                with self._open_csv(types) as reader:
                    yield from reader
        except (pa.ArrowException, OSError) as error:
            raise self._explain(error) from None

    def _check_sizes(self, metadata: Any, columns: list[str]) -> None:
        """Raise DataError if a column has too many values to be decoded."""
        for group in range(metadata.num_row_groups):
            for k in range(metadata.num_columns):
                column = metadata.row_group(group).column(k)
                name = column.path_in_schema.partition(".")[0]
                if name in columns and column.num_values > MAX_VALUES:
                    raise DataError(
                        f"{self.path}, column {name!r}: row group {group} has "
                        f"{column.num_values:,} values, more than {MAX_VALUES:,}: write the file "
                        f"with smaller row groups"
                    )

    def _explain(self, error: Exception) -> DataError:
        """Return an error with the name of the column and the number of the row, if known."""
        text = _one_line(error)
        line, column = _LINE.search(text), _COLUMN.search(text)
        where = str(self.path)
        if column and int(column[1]) < len(self.names):
            where += f", column {self.names[int(column[1])]!r}"
        if line:
            where += f", row {int(line[1]) - 1}"
        reason = _COLUMN.sub("", _LINE.sub("", text)).lstrip(": ")
        remedy = "correct the value, or remove the row" if line else "write the file again"
        return DataError(f"{where}: {reason}; {remedy}")

    def numbers(self, batch: Any, name: str, first: int) -> Floats:
        """Return a column of a batch as finite numbers; ``first`` is the row it begins with."""
        column = batch.column(name)
        try:
            values = column.cast(self._pa.float64()).to_numpy(zero_copy_only=False)
        except self._pa.ArrowException:
            raise DataError(
                f"{self.path}, column {name!r}: expected numbers, got {column.type}; convert it"
            ) from None
        self.require(np.isfinite(values), values, name, first, "a finite number")
        return np.asarray(values, dtype=np.float64)

    def nested_numbers(self, batch: Any, name: str, first: int) -> Floats | None:
        """Return a column of lists of lists as an array.

        None if the column has another type, or if its lists differ in length.
        """
        pa = self._pa
        try:
            outer = batch.column(name).cast(pa.list_(pa.list_(pa.float64())))
        except pa.ArrowException:
            return None
        inner = outer.flatten()
        shape = [len(batch)]
        for lists in (outer, inner):
            lengths = lists.value_lengths().to_numpy(zero_copy_only=False)  # NaN without a list
            if not len(lengths) or not (lengths == lengths[0]).all():
                return None
            shape.append(int(lengths[0]))
        values = inner.flatten().to_numpy(zero_copy_only=False).reshape(shape)
        finite = np.isfinite(values).all(axis=(1, 2))
        bad = np.where(np.isfinite(values), 0.0, values).sum(axis=(1, 2))
        self.require(finite, bad, name, first, "finite numbers")
        return np.asarray(values, dtype=np.float64)

    def require(self, valid: Any, values: Any, name: str, first: int, expected: str) -> None:
        """Raise DataError for the first row that is not valid."""
        if not valid.all():
            k = int(np.flatnonzero(~valid)[0])
            raise DataError(
                f"{self.path}, column {name!r}, row {first + k + 1}: expected {expected}, got "
                f"{values[k]:g}; correct the value, or remove the row"
            )


def _import_pyarrow() -> Any:
    try:
        import pyarrow
        import pyarrow.csv
        import pyarrow.parquet
    except ImportError:
        raise missing_package("reading a log needs", "pyarrow", "data") from None
    return pyarrow


def _one_line(error: Exception) -> str:
    return " ".join(str(error).split())
