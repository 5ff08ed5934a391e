"""For programs that watch over the workbench: whether it lives, whether it can work, and its figures.

The figures are as Prometheus reads them: numbers, and nothing that anybody wrote or is called.
"""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from functools import partial
from typing import Generic, TypeVar

from fastapi import APIRouter, HTTPException, Request, Response
from fastapi.responses import PlainTextResponse
from prometheus_client import CollectorRegistry, Counter, Histogram, PlatformCollector, ProcessCollector
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, Metric
from prometheus_client.exposition import CONTENT_TYPE_PLAIN_0_0_4, generate_latest
from prometheus_client.registry import Collector
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from postil.workbench.http.addresses import is_monitor
from postil.workbench.settings import Settings
from postil.workbench.store.database import Store
from postil.workbench.store.jobs import (
    DEFERRED,
    ENDED,
    GRADED,
    KINDS,
    SECONDS,
    Figures,
    is_ready,
    read_figures,
)

_ASKED_BY = ("grade", "regrade", "recheck", "api")
_STAGES = ("waiting", "judging", "explaining", "storing", "grouping", "proposing", "facets", "api")
_BUCKETS = (0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0)


class Metrics:
    """The metrics of this process, and their output together with those of the installation."""

    def __init__(self) -> None:
        # Not the library's own registry: in tests, several workbenches live in one process.
        self._own = CollectorRegistry()
        self._requests = Counter(
            "postil_requests", "Requests to this process.", ["part", "status"], registry=self._own
        )
        self._seconds = Histogram(
            "postil_request_seconds",
            "How long requests to this process took.",
            ["part"],
            registry=self._own,
            buckets=_BUCKETS,
        )
        ProcessCollector(registry=self._own)
        PlatformCollector(registry=self._own)

    def note(self, part: str, status: int, took: float) -> None:
        """Count a request to a part of the workbench."""
        self._requests.labels(part, f"{status // 100}xx").inc()
        self._seconds.labels(part).observe(took)

    def show(self, figures: Figures | None) -> bytes:
        """All figures; those of the installation are left out where the database did not say them."""
        shared = CollectorRegistry()
        shared.register(_Shared(figures))
        return generate_latest(shared) + generate_latest(self._own)


class Metered:
    """Counts and times every request, except those of monitors."""

    def __init__(self, app: ASGIApp, metrics: Metrics, api: str, unmetered: frozenset[str]) -> None:
        self.app = app
        self.metrics = metrics
        self.api = api
        self.unmetered = unmetered

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on, and measure how long it takes."""
        if scope["type"] != "http" or scope["path"] in self.unmetered:
            await self.app(scope, receive, send)
            return
        begun, status = time.monotonic(), 500

        async def answer(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
            await send(message)

        try:
            await self.app(scope, receive, answer)
        finally:
            self.metrics.note(self._part(scope["path"]), status, time.monotonic() - begun)

    def _part(self, path: str) -> str:
        if path == self.api or path.startswith(f"{self.api}/"):
            return "api"
        return "static" if path.startswith("/static/") else "page"


class _Shared(Collector):
    """The figures of the installation, which are the same whichever process is asked."""

    def __init__(self, figures: Figures | None) -> None:
        self._figures = figures

    def collect(self) -> Iterator[Metric]:
        """The figures as Prometheus metrics; what was never counted is 0, so that alerts can be tested."""
        up = 0 if self._figures is None else 1
        yield GaugeMetricFamily("postil_database_up", "Whether the database has answered just now.", up)
        if self._figures is not None:
            yield from _counters(self._figures)
            yield from _gauges(self._figures)


def _counters(figures: Figures) -> Iterator[Metric]:
    by_asker = [(by,) for by in _ASKED_BY]
    stages = [(stage,) for stage in _STAGES]
    ends = [(kind, state) for kind in KINDS for state in ("done", "failed")]
    for name, what, labels, cases in (
        (GRADED, "Answers graded, by what asked for it.", ["by"], by_asker),
        (DEFERRED, "Answers graded and left to a person, by what asked for it.", ["by"], by_asker),
        (SECONDS, "Seconds spent, by stage.", ["stage"], stages),
        (ENDED, "Jobs that ended.", ["kind", "state"], ends),
    ):
        family = CounterMetricFamily(f"postil_{name}", what, labels=labels)
        for case in cases:
            family.add_metric(case, figures.counters.get((name, " ".join(case)), 0))
        yield family


def _gauges(figures: Figures) -> Iterator[Metric]:
    graded, deferred = (
        sum(figures.counters.get((name, by), 0) for by in _ASKED_BY) for name in (GRADED, DEFERRED)
    )
    rate = deferred / graded if graded else 0.0
    for name, what, value in (
        ("deferral_rate", "Share of graded answers that were left to a person.", rate),
        ("oldest_waiting_job_seconds", "How long the oldest waiting job has been waiting.", figures.oldest),
        ("workers_alive", "Workers that are alive.", figures.workers),
    ):
        yield GaugeMetricFamily(f"postil_{name}", what, value)
    for name, what, jobs in (
        ("jobs_waiting", "Jobs that no worker has taken yet.", figures.waiting),
        ("jobs_running", "Jobs that a worker is doing.", figures.running),
    ):
        queue = GaugeMetricFamily(f"postil_{name}", what, labels=["kind"])
        for kind, number in jobs.items():
            queue.add_metric([kind], number)
        yield queue


PATIENCE = 2.0  # seconds that a monitor waits for the database
_T = TypeVar("_T")


class Probe(Generic[_T]):
    """A question that one thread asks at a time; whoever asks meanwhile gets the same answer.

    It has a thread of its own: those of the pages may all be waiting for a database that hangs. Nobody can
    end that wait, so there is never a second: monitors come again and again.
    """

    def __init__(self, ask: Callable[[], _T]) -> None:
        self._ask = ask
        self._lock = threading.Lock()
        self._asked: Future[_T | None] | None = None

    async def answer(self, seconds: float = PATIENCE) -> _T | None:
        """The answer; None if there was an error, or none within so many seconds."""
        with self._lock:
            asked = self._asked
            if asked is None or asked.done():
                asked = Future()
                threading.Thread(target=self._run, args=(asked,), daemon=True).start()
                self._asked = asked  # not before somebody asks: what nobody asks is never answered
        waiting = asyncio.wrap_future(asked)
        # Not `wait_for`, which would cancel what others are waiting for.
        await asyncio.wait([waiting], timeout=seconds)
        return waiting.result() if waiting.done() else None

    def _run(self, asked: Future[_T | None]) -> None:
        try:
            asked.set_result(self._ask())
        except Exception:  # noqa: BLE001 - the answer is no, whatever it was
            asked.set_result(None)  # an error that comes too late for all who asked would go into the log


router = APIRouter()
# The guard lets these pass: monitors have no session, and call a machine by another name than people do.
PATHS = frozenset({"/healthz", "/readyz", "/metrics"})
_ASKED = ["GET", "HEAD"]  # some monitors want the status alone


class Monitor:
    """What the routes below need: the figures of this process, and two questions to the database."""

    def __init__(self, settings: Settings, store: Store) -> None:
        self.settings = settings
        self.metrics = Metrics()
        self.ready: Probe[bool] = Probe(partial(is_ready, store))
        self.figures: Probe[Figures] = Probe(partial(read_figures, store))


# All are coroutines: the threads in which other routes run may all be waiting for the database.
@router.api_route("/healthz", methods=_ASKED)
async def show_health() -> Response:
    """This process answers."""
    return PlainTextResponse("ok\n")


@router.api_route("/readyz", methods=_ASKED)
async def show_readiness(request: Request) -> Response:
    """Whether requests can be answered: the database is reachable and has this version's tables."""
    monitor: Monitor = request.app.state.monitor
    ready = await monitor.ready.answer()
    return PlainTextResponse("ready\n") if ready else PlainTextResponse("not ready\n", 503)


@router.get("/metrics")
async def show_metrics(request: Request) -> Response:
    """The figures, for those who may have them; everybody else gets the usual 404."""
    monitor: Monitor = request.app.state.monitor
    if not is_monitor(request, monitor.settings):
        raise HTTPException(404)
    return Response(monitor.metrics.show(await monitor.figures.answer()), media_type=CONTENT_TYPE_PLAIN_0_0_4)
