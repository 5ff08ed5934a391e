"""Parquet tables, for programs that take many rows; needs the extra `tables`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from importlib.util import find_spec
from pathlib import Path

from postil.data.files import atomic_writer
from postil.errors import MissingDataError


def require_pyarrow(path: Path | str) -> None:
    """Say what is missing where Parquet cannot be written; long work can ask this before it begins."""
    if find_spec("pyarrow") is None:
        raise MissingDataError(
            f"{path}: writing Parquet needs pyarrow, which is not installed.",
            hint="Install it with: pip install 'postil[tables]', or write .csv instead.",
        )


def write_parquet(
    path: Path | str, columns: Mapping[str, Sequence[object]], about: Mapping[str, str] | None = None
) -> None:
    """Write columns to a Parquet file; `about` puts a description beside each that has one."""
    require_pyarrow(path)
    import pyarrow as pa
    import pyarrow.parquet as pq

    arrays = {name: pa.array(list(values)) for name, values in columns.items()}
    fields = [
        pa.field(name, array.type, metadata={"description": (about or {}).get(name, "")})
        for name, array in arrays.items()
    ]
    table = pa.Table.from_arrays(list(arrays.values()), schema=pa.schema(fields))
    with atomic_writer(path) as file:
        pq.write_table(table, file)
