"""Which answers a page shows and in which order, as the address says it: `?state=doubtful&label=correct`."""

from __future__ import annotations

from typing import Annotated
from urllib.parse import urlencode

from fastapi import Query

from postil.workbench.records import LABELS
from postil.workbench.store.answers import Filter

STATES = {
    "all": "All",
    "doubtful": "Doubtful",
    "undecided": "Undecided",
    "decided": "Decided",
    "differs": "Decided otherwise",
}
ORDERS = {"doubtful": "doubtful first", "place": "as in the class", "score": "by score"}
_LONGEST_SEARCH = 200


def read_filter(
    label: Annotated[str, Query()] = "",
    state: Annotated[str, Query()] = "all",
    search: Annotated[str, Query()] = "",
    order: Annotated[str, Query()] = "doubtful",
) -> Filter:
    """The filter that an address asks for; what no filter knows is left out, so that old links still open."""
    return Filter(
        label=label if label in LABELS else None,
        state=state if state in STATES else "all",
        search=search.strip()[:_LONGEST_SEARCH],
        order=order if order in ORDERS else "doubtful",
    )


def query_of(chosen: Filter, **more: object) -> str:
    """A filter as the end of an address, with `?` before it; empty where nothing special is asked for."""
    parts = {
        "state": chosen.state if chosen.state != "all" else "",
        "label": chosen.label or "",
        "search": chosen.search,
        "order": chosen.order if chosen.order != "doubtful" else "",
        **more,
    }
    told = {name: value for name, value in parts.items() if value}
    return f"?{urlencode(told)}" if told else ""
