"""Show a browser a secret link: through a page in a file, for a program's arguments are seen by everybody."""

from __future__ import annotations

import os
import webbrowser
from collections.abc import Callable
from html import escape
from pathlib import Path
from threading import Thread
from time import monotonic, sleep

_PATIENCE = 60.0  # seconds that a browser may take to start
_LOOK = 0.2
_PAGE = """<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="referrer" content="no-referrer">
<meta http-equiv="refresh" content="0; url={link}">
<title>Postil</title>
<p><a href="{link}">Open Postil</a></p>
</html>
"""


def open_in_browser(
    link: str, folder: Path, unused: Callable[[], bool], patience: float = _PATIENCE
) -> Thread | None:
    """Open a link in the user's browser; None if there is no browser.

    The page that leads there lies in the folder, for this user only, while the link is unused, and no longer
    than a browser needs to start. The thread that is returned takes it away.
    """
    page = folder / "open.html"
    _write_private(page, _PAGE.format(link=escape(link)))
    try:
        opened = webbrowser.open(page.as_uri())
    except webbrowser.Error:
        opened = False
    if not opened:
        page.unlink(missing_ok=True)
        return None
    remover = Thread(target=_remove_when_used, args=(page, unused, patience), daemon=True)
    remover.start()
    return remover


def _write_private(path: Path, text: str) -> None:
    # The mode is given at the making: set later, it would leave a moment in which others can read.
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(descriptor, "w", encoding="utf-8") as file:
        file.write(text)


def _remove_when_used(page: Path, unused: Callable[[], bool], patience: float) -> None:
    until = monotonic() + patience
    while unused() and monotonic() < until:
        sleep(_LOOK)
    page.unlink(missing_ok=True)
