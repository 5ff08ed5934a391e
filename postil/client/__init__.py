"""A small client for the REST API of a Postil server: `from postil.client import Client`.

It needs `pip install 'postil[client]'` and nothing of what the server needs.
"""

from __future__ import annotations

from postil.client.client import Client
from postil.client.problems import ApiError, UnreachableError
from postil.client.results import NewAnswer, NewFacet

__all__ = ["ApiError", "Client", "NewAnswer", "NewFacet", "UnreachableError"]
