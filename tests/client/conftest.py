"""A real server on a port of this computer, with simple stand-ins for the models, and a client for it."""

from __future__ import annotations

import socket
import sys
import threading
import time
from dataclasses import dataclass
from pathlib import Path

import pytest
import uvicorn

from postil.client import Client
from postil.workbench.app import create_app
from postil.workbench.jobs.judging import JudgingProcess
from postil.workbench.jobs.worker import work
from postil.workbench.settings import Settings
from postil.workbench.store.access import create_token
from postil.workbench.store.database import Store, open_store

sys.path.append(str(Path(__file__).parents[1] / "workbench"))  # where the stand-ins are

from stub_judge import load_stub
from stub_machine import quick


@dataclass(frozen=True)
class Server:
    """A server that answers, the store behind it, and a token that is good for everything."""

    address: str
    store: Store
    token: str


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    database = tmp_path_factory.mktemp("server") / "workbench.db"
    listening = socket.create_server(("127.0.0.1", 0))
    settings = Settings(database=database, port=listening.getsockname()[1])
    store = open_store(database)
    app = create_app(settings, store)
    app.state.judging.close()
    judging = _put_in_place(app, JudgingProcess(load_stub))
    serving = uvicorn.Server(uvicorn.Config(app, log_level="warning", lifespan="off"))
    stop = threading.Event()
    threads = [
        threading.Thread(target=serving.run, kwargs={"sockets": [listening]}),
        threading.Thread(target=work, args=(database, quick), kwargs={"stopped": stop.wait}),
    ]
    for thread in threads:
        thread.start()
    while not serving.started:
        time.sleep(0.01)
    _, token = create_token(store, None, "test", ["judge", "read", "write"], None)
    yield Server(f"http://127.0.0.1:{settings.port}", store, token)
    stop.set()
    serving.should_exit = True
    for thread in threads:
        thread.join()
    judging.close()
    store.close()


def _put_in_place(app, judging):
    (api,) = (route.app for route in app.routes if getattr(route, "path", "") == "/api/v1")
    app.state.judging = api.state.judging = judging
    return judging


@pytest.fixture
def postil(server):
    with Client(server.address, server.token) as client:
        yield client
