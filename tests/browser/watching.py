"""What no page of the workbench may do: open a dialog, fail, break its policy, or reach another computer."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlsplit

from playwright.sync_api import Page


@dataclass
class Watch:
    """What pages did that they must not do, in words."""

    complaints: list[str] = field(default_factory=list)

    def over(self, page: Page) -> None:
        """Note from now on what this page does."""
        page.on("dialog", self._dialog)
        page.on("pageerror", lambda error: self.complaints.append(f"uncaught: {error}"))
        page.on("console", self._console)
        page.on("request", self._request)

    def _dialog(self, dialog: Any) -> None:
        self.complaints.append(f"dialog: {dialog.message}")
        dialog.dismiss()

    def _console(self, message: Any) -> None:
        if message.type in ("error", "warning"):
            self.complaints.append(f"{message.type}: {message.text}")

    def _request(self, request: Any) -> None:
        address = urlsplit(request.url)
        if address.scheme not in ("data", "blob") and address.hostname != "127.0.0.1":
            self.complaints.append(f"request to {request.url}")
