"""Forms as large as an upload may be; otherwise a thousand fields are read, each up to a megabyte."""

from __future__ import annotations

from collections.abc import Callable, Coroutine
from typing import Any

from fastapi import Request, Response
from fastapi.routing import APIRoute

from postil.workbench.settings import Settings

_OTHER_FIELDS = 1000  # beside one for each answer


class LargeForm(APIRoute):
    """A page that takes much at once: its form is read here, before FastAPI reads it with its own limits."""

    def get_route_handler(self) -> Callable[[Request], Coroutine[Any, Any, Response]]:
        """The page's handler; the request keeps the form that was read, and gives it to whoever asks."""
        handle = super().get_route_handler()

        async def read_first(request: Request) -> Response:
            settings: Settings = request.app.state.settings
            if request.method == "POST":
                most = settings.most_answers + _OTHER_FIELDS
                await request.form(max_fields=most, max_part_size=settings.most_bytes)
            return await handle(request)

        return read_first
