"""The guard of the server: checks host, origin, token and size of requests, and adds the security headers."""

import asyncio
import hmac
from html import escape
from http.cookies import CookieError, SimpleCookie
from urllib.parse import parse_qsl, quote, urlencode

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from topoloom.web.browser import OPENED
from topoloom.web.pace import RequestPace

#: Most bytes of a request's body, and seconds within which it must arrive.
MOST_BODY, BODY_S = 1 << 20, 15.0
#: Requests without the token, of all clients: how many at once, how many per second after that, and the delay of further ones.
_BURST, _PER_SECOND, WAIT_S = 60, 20, 0.5
#: Most open websockets.
MOST_SOCKETS = 32

#: Pages run only the server's scripts, and connect only to this server.
POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data: blob:; connect-src 'self';"
    " frame-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
#: Reports are complete pages with scripts: they run in a sandbox, without the cookie.
FILE_POLICY = (
    "sandbox allow-scripts; default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; img-src 'self' data:;"
    " base-uri 'none'; form-action 'none'; frame-ancestors 'self'"
)
_TOO_LARGE = f"a request has at most {MOST_BODY >> 20} MB"
_HEADERS = (
    (b"x-content-type-options", b"nosniff"),
    (b"referrer-policy", b"no-referrer"),
    (b"cross-origin-opener-policy", b"same-origin"),
    (b"cross-origin-resource-policy", b"same-origin"),
    (b"permissions-policy", b"camera=(), microphone=(), geolocation=()"),
)


class Guard:
    """Passes requests to `app` if they come from the server's own pages and contain the token.

    Parameters
    ----------
    app : ASGI application
    token : str
        Part of the first address, later of a cookie.
    hosts : sequence of str
        Allowed values of a request's Host: ``127.0.0.1:8765``.
    """

    def __init__(self, app: ASGIApp, token: str, hosts: tuple[str, ...]) -> None:
        self._app, self._token = app, token
        self._hosts = {host.lower() for host in hosts}
        self._cookie = "topoloom-" + hosts[0].rpartition(":")[2]
        self._sockets = 0
        self._strangers = RequestPace(_BURST, _PER_SECOND)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Handle one request."""
        if scope["type"] not in ("http", "websocket"):
            await self._app(scope, receive, send)
            return
        headers = {name.decode("latin-1").lower(): value.decode("latin-1") for name, value in scope["headers"]}
        admitted = self._has_token(scope, headers)
        if not admitted and not self._strangers.allows():
            if scope["type"] == "http":  # waiting websockets are not counted, so do not let them wait
                await asyncio.sleep(WAIT_S)
            status, why = 429, "too many requests without the token; wait a second"
        else:
            status, why = self._refused(scope, headers, admitted)
        if status:
            await _refuse(scope, receive, send, status, why)
        elif scope["type"] == "websocket":
            await self._socket(scope, receive, send)
        elif self._is_first(scope):
            await self._welcome(scope, headers, send)
        else:
            await self._answer(scope, receive, send)

    def _refused(self, scope: Scope, headers: dict[str, str], admitted: bool) -> tuple[int, str]:
        """The status and reason for refusing a request; status 0 accepts it."""
        if headers.get("host", "").lower() not in self._hosts:
            return 421, "this server does not answer for this host"
        origin = headers.get("origin")
        if origin is not None or scope["type"] == "websocket":
            scheme, _, host = (origin or "").partition("://")
            if scheme not in ("http", "https") or host.lower() not in self._hosts:
                return 403, "requests from other pages are refused"
        # The first address may be opened from anywhere: other pages do not know it.
        same_site = headers.get("sec-fetch-site", "same-origin") in ("same-origin", "none")
        if not same_site and not (admitted and self._is_first(scope)):
            return 403, "requests from other pages are refused"
        if not admitted:
            return 401, "the token is missing; open the address that topoloom serve printed"
        door = scope.get("state", {}).get("door")
        if door is not None and not door.pace.allows():
            return 429, "too many requests; wait a second"
        if door is not None and scope["type"] == "http" and not door.doors.admit(door):
            return 503, "too many requests are being answered; try again in a second"
        length = headers.get("content-length", "0")
        if not length.isdecimal() or len(length) > 20 or int(length) > MOST_BODY:
            return 413, _TOO_LARGE
        return 0, ""

    def _is_first(self, scope: Scope) -> bool:
        """Whether a request is for the first address, which contains the token."""
        if scope["type"] != "http" or scope["method"] != "GET":
            return False
        pairs = parse_qsl(scope["query_string"].decode("latin-1"))
        return any(name == "token" and self._is_token(value) for name, value in pairs)

    def _is_token(self, text: str) -> bool:
        return hmac.compare_digest(text.encode(), self._token.encode())

    def _has_token(self, scope: Scope, headers: dict[str, str]) -> bool:
        candidates = [headers.get("authorization", "").removeprefix("Bearer ")]
        if scope["type"] == "http":
            candidates += [
                value for name, value in parse_qsl(scope["query_string"].decode("latin-1")) if name == "token"
            ]
        try:
            morsel = SimpleCookie(headers.get("cookie", "")).get(self._cookie)
        except CookieError:
            morsel = None
        candidates += [morsel.value] if morsel is not None else []
        return any(self._is_token(text) for text in candidates)

    async def _welcome(self, scope: Scope, headers: dict[str, str], send: Send) -> None:
        """Set the cookie, and redirect to the address without the token, to keep it out of the history."""
        pairs = parse_qsl(scope["query_string"].decode("latin-1"))
        left = urlencode([pair for pair in pairs if pair[0] not in ("token", OPENED)])
        # A path with two leading slashes would lead to another host, and a line end would start another header.
        place = "/" + quote(scope["path"].lstrip("/\\"), safe="/") + (f"?{left}" if left else "")
        cookie = (b"set-cookie", f"{self._cookie}={self._token}; Path=/; HttpOnly; SameSite=Strict".encode())
        status, body, more = 303, b"", [(b"location", place.encode())]
        if any(name == OPENED for name, _ in pairs) or headers.get("sec-fetch-site", "none") != "none":
            # Browsers do not send the new cookie in a redirect that another page or a file started: use a refresh.
            status, more = (
                200,
                [(b"refresh", f"0; url={place}".encode()), (b"content-type", b"text/html; charset=utf-8")],
            )
            head = '<!doctype html><link rel="icon" href="data:,"><title>topoloom</title>'
            body = f'{head}<a href="{escape(place)}">topoloom</a>\n'.encode()
        more += [cookie, (b"content-length", b"%d" % len(body)), (b"cache-control", b"no-store")]
        more += [(b"content-security-policy", POLICY.encode()), *_HEADERS]
        await send({"type": "http.response.start", "status": status, "headers": more})
        await send({"type": "http.response.body", "body": body})

    async def _answer(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Receive the whole body within limits of time and size, and pass the request on."""
        body = bytearray()
        try:
            async with asyncio.timeout(BODY_S):
                more = True
                while more:
                    message = await receive()
                    if message["type"] != "http.request":
                        return  # the client is gone
                    body += message.get("body", b"")
                    more = message.get("more_body", False)
                    if len(body) > MOST_BODY:
                        await _refuse(scope, receive, send, 413, _TOO_LARGE)
                        return
        except TimeoutError:
            await _refuse(scope, receive, send, 408, f"the request did not arrive completely within {BODY_S:.0f} s")
            return
        await self._app(scope, _whole(bytes(body), receive), _with_headers(send))

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
    headers += [(b"retry-after", b"1")] if status in (429, 503) else []
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": why.encode() + b"\n"})


def _whole(body: bytes, receive: Receive) -> Receive:
    """A receive function that returns the body once, and then the client's disconnection."""
    given = False

    async def take() -> Message:
        nonlocal given
        if given:
            return await receive()
        given = True
        return {"type": "http.request", "body": body, "more_body": False}

    return take


def _with_headers(send: Send) -> Send:
    """A send function that adds the security headers."""

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
