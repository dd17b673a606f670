"""Serves the page of a run to this machine, to whoever knows its address, and to no page of anybody else.

The address has a random token. Browsers tell in headers which name they asked for and which page asks: other names (that somebody
lets point here) and other pages are refused, whatever they know.
"""

from __future__ import annotations

import secrets
import socketserver
import threading
from collections.abc import Callable
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qs, urlsplit

import msgspec

from drystone.base.refusal import Refusal

HOST = "127.0.0.1"
_NAMES = (HOST, "localhost")
_TOKEN_BYTES = 24
_PATIENCE = 30.0  # seconds, for a client that says nothing
_FRIENDS = ("none", "same-origin")  # who asks: the address bar, or the page itself
_HEADERS = {
    "Cache-Control": "no-store",
    "Content-Security-Policy": "frame-ancestors 'none'",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
}


class Answer(msgspec.Struct, frozen=True):
    kind: str  # media type
    body: bytes
    delivered: Callable[[], None] = lambda: None  # it has been sent


Answering = Callable[[str, str, dict[str, str]], Answer | None]
"""Given the method, the name behind the token and the query; None: there is no such thing."""


class Server:
    """Nobody is heard until `start`: before it, this process may make copies of itself, which must have no threads."""

    def __init__(self, port: int, answer: Answering) -> None:
        token = secrets.token_urlsafe(_TOKEN_BYTES)
        try:
            self._http = _Http((HOST, port), token, answer)
        except (OSError, OverflowError) as problem:
            raise Refusal(f"--serve {port}: {getattr(problem, 'strerror', None) or problem}") from None
        self.address = f"http://{HOST}:{self._http.server_address[1]}/{token}/"
        self._thread: threading.Thread | None = None

    def start(self) -> None:
        self._thread = threading.Thread(target=self._http.serve_forever, kwargs={"poll_interval": 0.1}, daemon=True)
        self._thread.start()

    @property
    def is_started(self) -> bool:
        return self._thread is not None

    def close(self) -> None:
        if self._thread is not None:
            self._http.shutdown()
        self._http.server_close()


class _Http(ThreadingHTTPServer):
    daemon_threads = True
    block_on_close = False

    def __init__(self, address: tuple[str, int], token: str, answer: Answering) -> None:
        self.token, self.answer = token.encode(), answer
        super().__init__(address, _Handler)

    def server_bind(self) -> None:
        """Without asking how this machine is called, which may take long."""
        socketserver.TCPServer.server_bind(self)
        self.server_name, self.server_port = HOST, self.server_address[1]

    def handle_error(self, request: object, client_address: object) -> None:
        """A client that goes away is no error."""


class _Handler(BaseHTTPRequestHandler):
    server: _Http
    server_version, sys_version = "drystone", ""
    timeout = _PATIENCE

    def do_GET(self) -> None:
        self._answer("GET")

    def do_POST(self) -> None:
        self._answer("POST")

    def log_message(self, format: str, *about: object) -> None:
        """Addresses have the token in them."""

    def _answer(self, method: str) -> None:
        address = urlsplit(self.path)
        token, slash, name = address.path.removeprefix("/").partition("/")
        knows = secrets.compare_digest(token.encode("utf-8", "replace"), self.server.token)
        if not (knows and slash and self._is_friend()):
            self._say(HTTPStatus.FORBIDDEN, "text/plain", b"refused\n")
            return
        query = {key: values[0] for key, values in parse_qs(address.query).items()}
        answer = self.server.answer(method, name, query)
        if answer is None:
            self._say(HTTPStatus.NOT_FOUND, "text/plain", b"not here\n")
            return
        if self._say(HTTPStatus.OK, answer.kind, answer.body):
            answer.delivered()

    def _is_friend(self) -> bool:
        """Was this machine asked for by its own name, by nobody's page but this one?"""
        hosts = self.headers.get_all("Host", [])
        if len(hosts) != 1 or hosts[0].partition(":")[0] not in _NAMES:  # the port is another one where it is forwarded
            return False
        origin, site = self.headers.get("Origin"), self.headers.get("Sec-Fetch-Site")
        return (origin is None or origin == f"http://{hosts[0]}") and (site is None or site in _FRIENDS)

    def _say(self, status: HTTPStatus, kind: str, body: bytes) -> bool:
        """Has it been sent?"""
        try:
            self.send_response(status)
            for name, value in _HEADERS.items():
                self.send_header(name, value)
            self.send_header("Content-Type", f"{kind}; charset=utf-8")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)
        except OSError:
            return False
        return True
