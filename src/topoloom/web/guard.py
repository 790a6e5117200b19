"""Who may ask: the right host, the right origin, the token, requests of bounded size; and what browsers are told."""

import hmac
from http.cookies import CookieError, SimpleCookie
from time import monotonic
from urllib.parse import parse_qsl, urlencode

from starlette.types import ASGIApp, Message, Receive, Scope, Send

#: Bytes of a request's body, at most.
MOST_BODY = 1 << 20
#: Requests that one address may make: so many at once, and so many a second afterwards.
BURST, A_SECOND = 400, 100
#: Open websockets, at most.
MOST_SOCKETS = 32

#: Pages run our scripts alone, and fetch from this server alone.
POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data: blob:; connect-src 'self';"
    " frame-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
#: Reports are whole pages with scripts of their own: they run as strangers, without a cookie.
FILE_POLICY = (
    "sandbox allow-scripts; default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; img-src 'self' data:;"
    " base-uri 'none'; form-action 'none'; frame-ancestors 'self'"
)
_HEADERS = (
    (b"x-content-type-options", b"nosniff"),
    (b"referrer-policy", b"no-referrer"),
    (b"cross-origin-opener-policy", b"same-origin"),
    (b"cross-origin-resource-policy", b"same-origin"),
    (b"permissions-policy", b"camera=(), microphone=(), geolocation=()"),
)


class Guard:
    """Lets requests through to `app` that come from our own pages and carry the token.

    Parameters
    ----------
    app : ASGI application
    token : str
        In the first address, later in a cookie.
    hosts : sequence of str
        What the Host of a request may be: ``127.0.0.1:8765``.
    """

    def __init__(self, app: ASGIApp, token: str, hosts: tuple[str, ...]) -> None:
        self._app, self._token = app, token
        self._hosts = {host.lower() for host in hosts}
        self._cookie = "topoloom-" + hosts[0].rpartition(":")[2]
        self._sockets = 0
        self._buckets: dict[str, tuple[float, float]] = {}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """One request."""
        if scope["type"] not in ("http", "websocket"):
            await self._app(scope, receive, send)
            return
        headers = {name.decode("latin-1").lower(): value.decode("latin-1") for name, value in scope["headers"]}
        status, why = self._refused(scope, headers)
        if status:
            await _refuse(scope, receive, send, status, why)
        elif scope["type"] == "websocket":
            await self._socket(scope, receive, send)
        elif scope["method"] == "GET" and "token" in dict(parse_qsl(scope["query_string"].decode("latin-1"))):
            await self._welcome(scope, send)
        else:
            await self._app(scope, _bounded(receive), _told(send))

    def _refused(self, scope: Scope, headers: dict[str, str]) -> tuple[int, str]:
        """Why a request is refused; 0 where it is not."""
        if not self._paced(scope):
            return 429, "too many requests; wait a second"
        if headers.get("host", "").lower() not in self._hosts:
            return 421, "this server does not answer for that host"
        origin = headers.get("origin")
        if origin is not None or scope["type"] == "websocket":
            scheme, _, host = (origin or "").partition("://")
            if scheme not in ("http", "https") or host.lower() not in self._hosts:
                return 403, "requests from other pages are refused"
        if headers.get("sec-fetch-site", "same-origin") not in ("same-origin", "none"):
            return 403, "requests from other pages are refused"
        if not self._known(scope, headers):
            return 401, "the token is missing; open the address that topoloom serve printed"
        length = headers.get("content-length", "0")
        if not length.isdecimal() or int(length) > MOST_BODY:
            return 413, f"more than {MOST_BODY >> 20} MB; that is no request of ours"
        return 0, ""

    def _paced(self, scope: Scope) -> bool:
        """Whether an address asks no faster than anybody could look."""
        client = (scope.get("client") or ("?",))[0]
        now = monotonic()
        left, last = self._buckets.get(client, (float(BURST), now))
        left = min(BURST, left + (now - last) * A_SECOND) - 1
        if len(self._buckets) > 1000:
            self._buckets.clear()
        self._buckets[client] = max(left, -1), now
        return left >= 0

    def _known(self, scope: Scope, headers: dict[str, str]) -> bool:
        given = [headers.get("authorization", "").removeprefix("Bearer ")]
        if scope["type"] == "http":
            given += [value for name, value in parse_qsl(scope["query_string"].decode("latin-1")) if name == "token"]
        try:
            morsel = SimpleCookie(headers.get("cookie", "")).get(self._cookie)
        except CookieError:
            morsel = None
        given += [morsel.value] if morsel is not None else []
        return any(hmac.compare_digest(one.encode(), self._token.encode()) for one in given)

    async def _welcome(self, scope: Scope, send: Send) -> None:
        """The cookie, and the address without the token, so that it stands in no history."""
        left = urlencode([pair for pair in parse_qsl(scope["query_string"].decode("latin-1")) if pair[0] != "token"])
        # A path of two slashes would be another host's.
        place = "/" + scope["path"].lstrip("/\\") + (f"?{left}" if left else "")
        cookie = f"{self._cookie}={self._token}; Path=/; HttpOnly; SameSite=Strict"
        headers = [
            (b"location", place.encode("latin-1", "ignore")),
            (b"set-cookie", cookie.encode()),
            (b"content-length", b"0"),
        ]
        await send({"type": "http.response.start", "status": 303, "headers": [*headers, *_HEADERS]})
        await send({"type": "http.response.body", "body": b""})

    async def _socket(self, scope: Scope, receive: Receive, send: Send) -> None:
        if self._sockets >= MOST_SOCKETS:
            await _refuse(scope, receive, send, 429, "too many open connections")
            return
        self._sockets += 1
        try:
            await self._app(scope, receive, send)
        finally:
            self._sockets -= 1


async def _refuse(scope: Scope, receive: Receive, send: Send, status: int, why: str) -> None:
    if scope["type"] == "websocket":
        await receive()
        await send({"type": "websocket.close", "code": 1008, "reason": why})
        return
    headers = [(b"content-type", b"text/plain; charset=utf-8"), (b"connection", b"close"), *_HEADERS]
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": why.encode() + b"\n"})


def _bounded(receive: Receive) -> Receive:
    """What is received, no more than a request may have."""
    read = 0

    async def take() -> Message:
        nonlocal read
        message = await receive()
        read += len(message.get("body", b""))
        if read > MOST_BODY:
            return {"type": "http.disconnect"}
        return message

    return take


def _told(send: Send) -> Send:
    """What is sent, with what browsers are to know."""

    async def give(message: Message) -> None:
        if message["type"] == "http.response.start":
            names = {name for name, _ in message["headers"]}
            message["headers"] = [*message["headers"], *_HEADERS]
            if b"content-security-policy" not in names:
                message["headers"].append((b"content-security-policy", POLICY.encode()))
            if b"cache-control" not in names:
                message["headers"].append((b"cache-control", b"no-store"))
        await send(message)

    return give
