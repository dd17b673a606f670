"""The file: markup, style, script and data in one, under a policy that lets it run nothing else and ask nobody for anything."""

from __future__ import annotations

import json
from base64 import b64encode
from functools import cache
from hashlib import sha256
from html import escape
from pathlib import Path

import msgspec

from drystone.report.page.contents import Contents
from drystone.report.page.index import Index

_ASSETS = Path(__file__).with_name("assets")
_COMMON = ("basics.js", "rows.js")
_SCRIPTS = (
    *_COMMON,
    "verdict.js",
    "highlight.js",
    "execution.js",
    "source.js",
    "layout.js",
    "graph.js",
    "story.js",
    "blocks.js",
    "messages.js",
    "time.js",
    "paper.js",
    "live.js",
    "main.js",
)
"""One script, of parts in this order."""
_INDEX_SCRIPTS = (*_COMMON, "index.js")

_PAGE = """\
<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="{policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="referrer" content="no-referrer">
<meta name="generator" content="drystone {version}">
<link rel="icon" href="data:,">
<title>{title}</title>
<style>{style}</style>
</head>
<body>
<noscript><p>{title}</p><p>The views of this report need JavaScript; it asks nobody for anything.</p></noscript>
<div id="page"></div>
<script type="application/json" id="contents">{data}</script>
<script>{script}</script>
</body>
</html>
"""


def page(contents: Contents) -> str:
    """The text of the file."""
    return _document(contents, contents.file, _SCRIPTS, "connect-src 'self'; " if contents.is_live else "")


def index_page(index: Index) -> str:
    return _document(index, index.headline, _INDEX_SCRIPTS)


def _document(contents: Contents | Index, name: str, scripts: tuple[str, ...], more_policy: str = "") -> str:
    """What comes from programs is in the data alone, which nothing reads as markup, and in the title."""
    style, script = assets(scripts)
    return _PAGE.format(
        policy=f"default-src 'none'; img-src data:; style-src {_hash(style)}; script-src {_hash(script)}; "
        f"{more_policy}base-uri 'none'; form-action 'none'",
        version=escape(contents.drystone),
        title=escape(_printable(f"{contents.verdict} · {name} · drystone")),
        style=style,
        data=data_block(contents),
        script=script,
    )


def data_block(contents: object) -> str:
    """JSON in which no end of a script, comment or line hides. Bytes of file names that are no text become question marks."""
    text = json.dumps(msgspec.to_builtins(contents), ensure_ascii=False, separators=(",", ":"))
    for character in "<>&\u2028\u2029":
        text = text.replace(character, f"\\u{ord(character):04x}")
    return text.encode("utf-8", "replace").decode()


@cache
def assets(scripts: tuple[str, ...] = _SCRIPTS) -> tuple[str, str]:
    """Style and script."""
    script = "".join((_ASSETS / name).read_text(encoding="utf-8") for name in scripts)
    return (_ASSETS / "page.css").read_text(encoding="utf-8"), f'"use strict";\n(() => {{\n{script}}})();\n'


def _hash(text: str) -> str:
    return f"'sha256-{b64encode(sha256(text.encode()).digest()).decode()}'"


def _printable(text: str) -> str:
    shown = "".join(character if character.isprintable() else "\ufffd" for character in text)
    return shown.encode("utf-8", "replace").decode()
