"""The files of a dataset: folders, patterns, single files, other file systems, and what is skipped."""

from __future__ import annotations

import fsspec
import pytest

from postil.batch.partitions import cut
from postil.batch.storage import Source, digest, find_sources, full_url
from postil.errors import InputError, PostilError


@pytest.fixture
def folder(tmp_path):
    for name in ("b.csv", "a.jsonl", "deep/c.parquet", "deep/d.TSV", "z.csv.gz", "e.ndjson"):
        path = tmp_path / "data" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("x")
    for name in (".hidden.csv", "_success", "_temporary/p.csv", "readme.md", "p.parquet.gz", "sheet.xlsx"):
        path = tmp_path / "data" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("x")
    return tmp_path / "data"


def names(dataset, **options):
    return [source.name for source in find_sources(str(dataset), **options)]


def test_a_folder_is_searched_through_in_order(folder):
    found = find_sources(str(folder))
    assert [one.name for one in found] == [
        "a.jsonl",
        "b.csv",
        "deep/c.parquet",
        "deep/d.TSV",
        "e.ndjson",
        "z.csv.gz",
    ]
    assert [one.kind for one in found] == ["jsonl", "csv", "parquet", "tsv", "jsonl", "csv"]
    assert {one.size for one in found} == {1}


def test_a_pattern_and_a_single_file(folder):
    assert names(folder / "*.csv") == ["b.csv"]
    assert names(folder / "**" / "*.parquet") == ["deep/c.parquet"]
    assert names(folder / "deep" / "c.parquet") == ["c.parquet"]


def test_a_name_that_looks_like_a_pattern_is_a_name_if_it_is_there(folder):
    (folder / "year [2024].csv").write_text("x")
    assert names(folder / "year [2024].csv") == ["year [2024].csv"]


def test_links_to_files_are_followed_and_broken_ones_found(tmp_path, folder):
    linked = tmp_path / "linked"
    linked.mkdir()
    (linked / "a.jsonl").symlink_to(folder / "a.jsonl")
    (linked / "gone.csv").symlink_to(tmp_path / "nowhere.csv")
    (linked / "deep.csv").symlink_to(folder / "deep")
    assert names(linked) == names(linked / "*.*") == ["a.jsonl", "gone.csv"]
    with pytest.raises(InputError, match=r"gone.csv: cannot be read: No such file or directory\."):
        cut(find_sources(str(linked / "gone.csv*"))[0])


def test_a_file_that_is_gone_is_not_called_damaged(folder):
    found = {one.name: one for one in find_sources(str(folder))}
    for name in ("b.csv", "deep/c.parquet", "z.csv.gz"):
        (folder / name).unlink()
        with pytest.raises(InputError, match="cannot be read: No such file or directory"):
            cut(found[name])


def test_packed_in_a_way_unknown_here(folder, monkeypatch):
    monkeypatch.delitem(fsspec.utils.compressions, "gz")
    with pytest.raises(InputError, match="cannot be unpacked here"):
        cut(find_sources(str(folder / "z.csv.gz"))[0])


def test_results_below_the_dataset_are_none_of_it(folder):
    assert "deep/d.TSV" not in names(folder, besides=f"file://{folder}/deep")
    assert "b.csv" in names(folder, besides=f"file://{folder}/deep")


def test_another_file_system():
    files = fsspec.filesystem("memory")
    files.pipe("/board/one.csv", b"id,answer\n")
    (found,) = find_sources("memory://board")
    assert (found.name, found.kind, found.size) == ("one.csv", "csv", 10)
    assert find_sources("memory://board/*.csv") == [found]
    files.rm("/board", recursive=True)


@pytest.mark.parametrize("name", ["nowhere", "nowhere/*.csv"])
def test_what_is_not_there(tmp_path, name):
    with pytest.raises(InputError, match=r"does not exist|holds no file"):
        find_sources(str(tmp_path / name))


def test_a_file_system_that_is_unknown():
    with pytest.raises(PostilError, match="abc:// cannot be read here"):
        find_sources("abc://x")


def test_two_files_with_one_result(tmp_path):
    (tmp_path / "a.csv").write_text("x")
    (tmp_path / "a.csv.gz").write_text("x")
    with pytest.raises(PostilError, match=r"more than one file would have the result 'a.csv'"):
        find_sources(str(tmp_path))


def test_the_result_of_a_compressed_file_is_not_compressed():
    assert Source("file:///d/a.csv.gz", "a.csv.gz", "csv", 1).result == "a.csv"
    assert Source("file:///d/a.csv", "a.csv", "csv", 1).result == "a.csv"


def test_digests_tell_files_apart(folder):
    one, other = find_sources(str(folder))[:2]
    assert digest(one) == digest(other)
    (folder / "b.csv").write_text("y")
    assert digest(one) != digest(other)


def test_urls_are_the_same_from_everywhere(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert full_url("out/") == full_url("./in/../out") == f"file://{tmp_path}/out"
    assert full_url("memory://x/y") == "memory:///x/y"
