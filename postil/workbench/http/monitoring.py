"""For programs that watch over the workbench: whether it lives, whether it can work, and its figures."""

from __future__ import annotations

from functools import partial

from fastapi import APIRouter, HTTPException, Request, Response
from fastapi.responses import PlainTextResponse

from postil.workbench.http.addresses import is_monitor
from postil.workbench.http.metrics import CONTENT_TYPE, Metrics
from postil.workbench.http.probing import Probe
from postil.workbench.settings import Settings
from postil.workbench.store.database import Store
from postil.workbench.store.monitoring import Figures, is_ready, read_figures

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
    """Whether requests can be answered: the database is there, and has this version's tables."""
    monitor: Monitor = request.app.state.monitor
    ready = await monitor.ready.answer()
    return PlainTextResponse("ready\n") if ready else PlainTextResponse("not ready\n", 503)


@router.get("/metrics")
async def show_metrics(request: Request) -> Response:
    """The figures, for those who may have them; for others there is no such page."""
    monitor: Monitor = request.app.state.monitor
    if not is_monitor(request, monitor.settings):
        raise HTTPException(404)
    return Response(monitor.metrics.show(await monitor.figures.answer()), media_type=CONTENT_TYPE)
