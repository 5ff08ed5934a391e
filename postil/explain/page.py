"""The frame of every page Postil writes: one file without scripts, nothing fetched, every text escaped."""

from __future__ import annotations

import html
import re

_UNPRINTABLE = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\ud800-\udfff\ufffe\uffff]")
_POLICY = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'"
_STYLE = """
body { font: 16px/1.5 system-ui, sans-serif; color: #1e293b; background: #f8fafc; margin: 2rem auto;
  max-width: 72rem; padding: 0 1rem; }
h1 { font-size: 1.5rem; margin: 0; }
.facts, .note { color: #64748b; font-size: .9rem; margin: .2rem 0 1rem; }
section { background: #fff; border: 1px solid #e2e8f0; border-radius: .6rem; padding: 1rem 1.3rem;
  margin: 1rem 0; }
table { border-collapse: collapse; font-size: .9rem; }
summary { cursor: pointer; color: #475569; }
"""


def page(title: str, body: str, style: str = "") -> str:
    """Put a body of finished HTML into a whole page, with a style of its own after the common one."""
    return f"""<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="{_POLICY}">
<title>{escape(title)}</title>
<style>{_STYLE}{style}</style>
</head>
<body>
<h1>{escape(title)}</h1>
{body}
</body>
</html>
"""


def escape(text: str) -> str:
    """A text as it may stand in HTML, between tags or in a quoted attribute."""
    return html.escape(printable(text))


def printable(text: str) -> str:
    """A text with a replacement mark for every character that no page can show."""
    return _UNPRINTABLE.sub("\ufffd", text)
