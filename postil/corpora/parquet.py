"""Parquet tables, for programs that take many rows; needs the extra `tables`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from postil.corpora.files import atomic_writer
from postil.errors import MissingDataError


def write_parquet(
    path: Path | str, columns: Mapping[str, Sequence[object]], about: Mapping[str, str] | None = None
) -> None:
    """Write columns to a Parquet file; `about` puts a description beside each that has one."""
    try:
        import pyarrow as pa
        import pyarrow.parquet as pq
    except ModuleNotFoundError:
        raise MissingDataError(
            f"{path}: writing Parquet needs pyarrow, which is not installed.",
            hint="Install it with: pip install 'postil[tables]', or write .csv instead.",
        ) from None
    arrays = {name: pa.array(list(values)) for name, values in columns.items()}
    fields = [
        pa.field(name, array.type, metadata={"description": (about or {}).get(name, "")})
        for name, array in arrays.items()
    ]
    table = pa.Table.from_arrays(list(arrays.values()), schema=pa.schema(fields))
    with atomic_writer(path) as file:
        pq.write_table(table, file)
