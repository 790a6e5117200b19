"""Who may ask: the right host, the right origin, the token, requests of bounded size; and what browsers are told."""

import asyncio
import hmac
from html import escape
from http.cookies import CookieError, SimpleCookie
from urllib.parse import parse_qsl, quote, urlencode

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from topoloom.web.browser import OPENED
from topoloom.web.pace import RequestPace

#: Bytes of a request's body, at most, and seconds in which it must be there.
MOST_BODY, BODY_S = 1 << 20, 15.0
#: Requests without the token, of all clients together: how many at once, how many a second after that; seconds others wait.
_BURST, _PER_SECOND, WAIT_S = 60, 20, 0.5
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
_TOO_LARGE = f"more than {MOST_BODY >> 20} MB; that is no request of ours"
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
        self._strangers = RequestPace(_BURST, _PER_SECOND)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """One request."""
        if scope["type"] not in ("http", "websocket"):
            await self._app(scope, receive, send)
            return
        headers = {name.decode("latin-1").lower(): value.decode("latin-1") for name, value in scope["headers"]}
        admitted = self._has_token(scope, headers)
        if not admitted and not self._strangers.allows():
            if scope["type"] == "http":  # a websocket is counted by nobody while it waits
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
        """Why a request is refused; 0 where it is not."""
        if headers.get("host", "").lower() not in self._hosts:
            return 421, "this server does not answer for that host"
        origin = headers.get("origin")
        if origin is not None or scope["type"] == "websocket":
            scheme, _, host = (origin or "").partition("://")
            if scheme not in ("http", "https") or host.lower() not in self._hosts:
                return 403, "requests from other pages are refused"
        # The first address may be followed from anywhere: no other page knows it.
        own = headers.get("sec-fetch-site", "same-origin") in ("same-origin", "none")
        if not own and not (admitted and self._is_first(scope)):
            return 403, "requests from other pages are refused"
        if not admitted:
            return 401, "the token is missing; open the address that topoloom serve printed"
        door = scope.get("state", {}).get("door")
        if door is not None and not door.pace.allows():
            return 429, "too many requests; wait a second"
        if door is not None and scope["type"] == "http" and not door.doors.admit(door):
            return 503, "too many requests are being answered; ask again in a second"
        length = headers.get("content-length", "0")
        if not length.isdecimal() or len(length) > 20 or int(length) > MOST_BODY:
            return 413, _TOO_LARGE
        return 0, ""

    def _is_first(self, scope: Scope) -> bool:
        """Whether a request is of the first address, the one with the token."""
        if scope["type"] != "http" or scope["method"] != "GET":
            return False
        pairs = parse_qsl(scope["query_string"].decode("latin-1"))
        return any(name == "token" and self._is_token(value) for name, value in pairs)

    def _is_token(self, text: str) -> bool:
        return hmac.compare_digest(text.encode(), self._token.encode())

    def _has_token(self, scope: Scope, headers: dict[str, str]) -> bool:
        given = [headers.get("authorization", "").removeprefix("Bearer ")]
        if scope["type"] == "http":
            given += [value for name, value in parse_qsl(scope["query_string"].decode("latin-1")) if name == "token"]
        try:
            morsel = SimpleCookie(headers.get("cookie", "")).get(self._cookie)
        except CookieError:
            morsel = None
        given += [morsel.value] if morsel is not None else []
        return any(self._is_token(text) for text in given)

    async def _welcome(self, scope: Scope, headers: dict[str, str], send: Send) -> None:
        """The cookie, and the address without the token, so that it stands in no history."""
        pairs = parse_qsl(scope["query_string"].decode("latin-1"))
        left = urlencode([pair for pair in pairs if pair[0] not in ("token", OPENED)])
        # A path of two slashes would be another host's, and a line end another header.
        place = "/" + quote(scope["path"].lstrip("/\\"), safe="/") + (f"?{left}" if left else "")
        cookie = (b"set-cookie", f"{self._cookie}={self._token}; Path=/; HttpOnly; SameSite=Strict".encode())
        status, body, more = 303, b"", [(b"location", place.encode())]
        if any(name == OPENED for name, _ in pairs) or headers.get("sec-fetch-site", "none") != "none":
            # Browsers keep the cookie back while they follow a redirect that another page, or a file, began.
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
        """A request with its whole body, which must be there soon and be of bounded size."""
        body = bytearray()
        try:
            async with asyncio.timeout(BODY_S):
                more = True
                while more:
                    message = await receive()
                    if message["type"] != "http.request":
                        return  # nobody waits for the answer
                    body += message.get("body", b"")
                    more = message.get("more_body", False)
                    if len(body) > MOST_BODY:
                        await _refuse(scope, receive, send, 413, _TOO_LARGE)
                        return
        except TimeoutError:
            await _refuse(scope, receive, send, 408, f"the request was not there after {BODY_S:.0f} s")
            return
        await self._app(scope, _whole(bytes(body), receive), _told(send))

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
    """What is received: the body, and later that nobody waits any more."""
    given = False

    async def take() -> Message:
        nonlocal given
        if given:
            return await receive()
        given = True
        return {"type": "http.request", "body": body, "more_body": False}

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
