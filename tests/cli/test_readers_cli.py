"""`postil readers`: what is listed, which file is taken, and downloads that break off or are not the file."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from functools import partial
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread

import pytest
from typer.testing import CliRunner

from postil.cli.main import app
from postil.errors import InputError, PostilError
from postil.language import fetching, readers
from postil.language.model_files import ModelFile, Needed
from postil.language.network import EXPERT, READERS

CONTENT = bytes(range(256)) * 4096  # a megabyte
runner = CliRunner()


class Server(BaseHTTPRequestHandler):
    """Sends a file, or what is asked for of it; `breaks` says after how many bytes it stops."""

    def __init__(self, state: dict, *arguments: object) -> None:
        self.state = state
        super().__init__(*arguments)  # type: ignore[arg-type]

    def do_GET(self) -> None:
        start = int(self.headers["Range"].removeprefix("bytes=").removesuffix("-"))
        self.state["asked"].append(start)
        content = self.state["content"]
        if self.state["status"] >= 400:
            self.send_error(self.state["status"])
            return
        partial = self.state["status"] == 206
        self.send_response(self.state["status"])
        if partial:
            begins = self.state.get("begins", start)
            self.send_header("Content-Range", f"bytes {begins}-{len(content) - 1}/{len(content)}")
        sent = content[start:] if partial else content
        self.send_header("Content-Length", str(len(sent)))
        self.end_headers()
        self.wfile.write(sent[: self.state["breaks"]])

    def log_message(self, *about: object) -> None:
        pass


@pytest.fixture
def state() -> dict:
    return {"asked": [], "content": CONTENT, "status": 206, "breaks": None}


@pytest.fixture
def model(state: dict, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[ModelFile]:
    """A model whose publisher is a server on this computer, for a user who has nothing yet."""
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(Server, state))
    Thread(target=server.serve_forever, daemon=True).start()
    address = f"http://127.0.0.1:{server.server_port}/model.gguf"
    needed = Needed(
        "A model", "model.gguf", len(CONTENT), hashlib.sha256(CONTENT).hexdigest(), "Apache-2.0", address
    )
    model = ModelFile(EXPERT, needed)
    monkeypatch.setattr(readers, "expert_model", lambda: model)
    yield model
    server.shutdown()
    server.server_close()


def part_of(model: ModelFile) -> Path:
    return model.place().with_name("model.gguf.part")


def test_a_download_is_checked_and_noted(model: ModelFile, state: dict) -> None:
    result = runner.invoke(app, ["readers", "fetch", "expert"])
    assert result.exit_code == 0, result.output
    assert "Apache-2.0" in result.stderr
    assert model.needed.address in result.stderr
    assert model.demanded() == model.place()
    assert model.place().read_bytes() == CONTENT
    assert not part_of(model).exists()
    fetching.fetch(model)  # it is there, and nobody is asked again
    assert state["asked"] == [0]


def test_a_download_goes_on_where_it_broke_off(model: ModelFile, state: dict) -> None:
    state["breaks"] = 300_000
    for _ in range(2):
        with pytest.raises(PostilError, match="broke off") as caught:
            fetching.fetch(model)
        assert "same command again" in caught.value.hint
    assert model.known() is None
    state["breaks"] = None
    told: list[float] = []
    fetching.fetch(model, progress=lambda done, total: told.append(done))
    assert state["asked"] == [0, 300_000, 600_000]
    assert model.demanded().read_bytes() == CONTENT
    assert min(told) > 0


def test_a_server_that_cannot_continue_sends_everything(model: ModelFile, state: dict) -> None:
    part_of(model).parent.mkdir(parents=True)
    part_of(model).write_bytes(b"x" * 1000)
    state["status"] = 200
    assert fetching.fetch(model).read_bytes() == CONTENT


def test_a_part_that_is_too_long_is_begun_again(model: ModelFile, state: dict) -> None:
    part_of(model).parent.mkdir(parents=True)
    part_of(model).write_bytes(CONTENT + b"x")
    assert fetching.fetch(model).read_bytes() == CONTENT
    assert state["asked"] == [0]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"content": CONTENT[::-1]}, "was deleted"),
        ({"content": CONTENT + b"more"}, "more than the file"),
        ({"status": 404}, "answers 404"),
        ({"begins": 5}, "another part"),
    ],
)
def test_what_is_not_the_file_is_refused(model: ModelFile, state: dict, change: dict, message: str) -> None:
    state.update(change)
    with pytest.raises(PostilError, match=message):
        fetching.fetch(model)
    assert model.known() is None
    assert not model.place().exists()


def test_nothing_is_fetched_from_elsewhere_or_without_room(
    model: ModelFile, monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(PostilError, match="https://"):
        fetching.fetch(model, "file:///etc/passwd")
    with pytest.raises(PostilError, match="broke off"):
        fetching.fetch(model, "http://127.0.0.1:9/nobody")
    monkeypatch.setattr(fetching.shutil, "disk_usage", lambda path: type("Usage", (), {"free": 5}))
    with pytest.raises(PostilError, match="are free"):
        fetching.fetch(model)


def test_a_file_that_someone_has_is_named_once(model: ModelFile, tmp_path: Path, state: dict) -> None:
    file = tmp_path / "mine.gguf"
    for content in (CONTENT[:-1], CONTENT[::-1]):
        file.write_bytes(content)
        result = runner.invoke(app, ["readers", "add", str(file)])
        assert isinstance(result.exception, InputError)
        assert model.known() is None
    file.write_bytes(CONTENT)
    assert runner.invoke(app, ["readers", "add", str(file)]).exit_code == 0
    assert model.demanded() == file
    assert state["asked"] == []
    file.write_bytes(b"")
    with pytest.raises(InputError, match="has changed"):
        model.demanded()


def test_a_damaged_note_is_refused(model: ModelFile, tmp_path: Path) -> None:
    (tmp_path / "config" / "postil").mkdir(parents=True)
    for content in ("{", '{"format": 2, "models": {}}', "[]", '{"format": 1, "models": []}'):
        (tmp_path / "config" / "postil" / "readers.json").write_text(content)
        with pytest.raises(InputError, match="cannot be read"):
            model.known()


def test_the_list_says_what_is_missing(model: ModelFile, monkeypatch: pytest.MonkeyPatch) -> None:
    listed = json.loads(runner.invoke(app, ["readers", "--json"]).stdout)
    assert tuple(entry["name"] for entry in listed) == READERS
    assert [entry["name"] for entry in listed if entry["default"]] == ["quick"]  # the tests' own setting
    assert listed[0]["missing"] == ""
    monkeypatch.setattr(readers, "expert_companion", lambda: None)
    monkeypatch.setattr(readers, "companion", lambda: None)
    shown = runner.invoke(app, ["readers"]).stdout
    assert "missing: the package postil-expert (make wheel builds it)" in " ".join(shown.split())
    assert "missing: the package postil-careful" in shown
    assert "quick (default)" in shown


def test_only_the_expert_reader_needs_a_download() -> None:
    result = runner.invoke(app, ["readers", "fetch", "careful"])
    assert isinstance(result.exception, PostilError)
    assert "needs no download" in str(result.exception)
