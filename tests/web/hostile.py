"""Hostile requests: how paths are disguised, raw HTTP that no browser sends, and random requests from a seed."""

import json
import random
import socket
from collections.abc import Iterator
from contextlib import suppress
from http.client import HTTPException, HTTPResponse
from pathlib import Path
from urllib.parse import quote

#: Each argument of each operation that can name a file: `{}` is the file.
NAMING = (
    ("info", "topology", "{}"),
    ("draw", "topology", "{}"),
    ("draw", "floor", "{}"),
    ("trace", "topology", "{}"),
    ("hops", "topology", "{}"),
    ("quality", "topology", "{}"),
    ("quality", "traffic", "trace:{}"),
    ("simulate", "topology", "{}"),
    ("simulate", "traffic", "trace:{}"),
    ("simulate", "traffic", "matrix:{}"),
    ("simulate", "traffic", "rates:{}:uniform"),
    ("simulate", "traffic", "among:0-3:matrix:{}"),
    ("simulate", "traffic", "goal:file={}"),
    ("simulate", "traffic", "GOAL: file = {}"),
    ("simulate", "traffic", "chakra:peak_gflops=1,file={}"),
    ("simulate", "traffic", "chakra:file=x,groups={}"),
    ("app", "topology", "{}"),
    ("app", "app", "goal:file={}"),
    ("app", "app", "chakra:file={}"),
    ("app", "app", "training:model={},tp=1"),
    ("app", "floor", "{}"),
    ("app", "placement", "file:{}"),
    ("collective", "topology", "{}"),
    ("collective", "schedule", "{}"),
    ("collective", "placement", "file:{}"),
    ("degradation", "topology", "{}"),
    ("degradation", "floor", "{}"),
    ("layout", "floor", "{}"),
    ("layout", "hosts", "{}"),
    ("layout", "parts", "{}"),
    ("layout", "prices", "{}"),
    ("stand", "topology", "{}"),
    ("stand", "floor", "{}"),
    ("elevations", "topology", "{}"),
    ("elevations", "floor", "{}"),
    ("grow", "into", "{}"),
    ("grow", "parts", "{}"),
    ("grow", "prices", "{}"),
    ("resilience", "floor", "{}"),
    ("route", "topology", "{}"),
    ("verify", "plan", "{}"),
    ("verify", "actual", ["{}"]),
    ("verify", "actual", ["compute={}"]),
    ("verify", "counters", ["{}"]),
    ("verify", "guids", "{}"),
    ("watch", "discoveries", ["{}"]),
    ("watch", "plane", ["nets/mine.json,{}"]),
    ("discoveries", "files", ["{}"]),
)
_TOPOLOGY = {"topology": "petersen:hosts=1"}
#: The other arguments of an operation; a topology if it is not here.
NEEDED = {
    "trace": _TOPOLOGY | {"from_switch": 0, "to_switch": 1},
    "app": _TOPOLOGY | {"app": "pingpong"},
    "grow": _TOPOLOGY | {"to": 12},
    "verify": {"plan": "petersen"},
    "watch": {"plan": "petersen"},
    "discoveries": {"plan": "petersen"},
}


def needed(operation: str) -> dict[str, object]:
    """The arguments that an operation needs."""
    return NEEDED.get(operation, _TOPOLOGY)


#: Requirements that name a file.
REQUIREMENTS = ('parts = "{}"', 'prices = "{}"', '[floor]\nfile = "{}"', '[families]\nspecs = ["{}"]')


def disguises(secret: Path, root: Path) -> dict[str, str]:
    """Ways to write the path of a file that lies next to a folder that is served as ``nets``, which has links to it."""
    return {
        "plain": str(secret),
        "line end": f"{secret}\n",
        "tab": f"{secret}\t",
        "return": f"\r{secret}",
        "blanks": f"  {secret}  ",
        "nul": f"{secret}\0.json",
        "separator": f"{secret}\u2028",
        "dots": f"nets/../{secret.name}",
        "dots below": f"nets/sizes/../../{secret.name}",
        "slashes": f"nets//{secret}",
        "relative": f"../{secret.name}",
        "encoded": f"nets/%2e%2e/{secret.name}",
        "backslashes": f"nets\\..\\{secret.name}",
        "home": "~/secret.toml",
        "variable": "$HOME/secret.toml",
        "process": f"/proc/self/root{secret}",
        "working folder": f"/proc/self/cwd/{secret.name}",
        "double slash": f"/{secret}",
        "link": "nets/way.toml",
        "link by its name": "way.toml",
        "link by its path": str(root / "way.toml"),
        "link in the middle": f"nets/out/{secret.name}",
        "link in a folder": "nets/trap",
        "url": f"file://{secret}",
        "case": f"NETS/../{secret.name}",
    }


#: Requests by their first line and headers; ``HOST`` and ``TOKEN`` are put in. Each is answered, by no 5xx, or ended.
RAW = {
    "no token": "GET / HTTP/1.1\r\nHost: HOST\r\n\r\n",
    "line end in a path": "GET /a%0d%0aset-cookie:%20a=b?token=TOKEN HTTP/1.1\r\nHost: HOST\r\n\r\n",
    "line end in a query": "GET /?token=TOKEN&a=%0d%0ax:%20y HTTP/1.1\r\nHost: HOST\r\n\r\n",
    "not UTF-8 in a path": "GET /%ff%fe/?token=TOKEN HTTP/1.1\r\nHost: HOST\r\n\r\n",
    "signs in a path": "GET /\u00e9\u4e2d%e4%b8%ad?token=TOKEN HTTP/1.1\r\nHost: HOST\r\n\r\n",
    "another server": "GET //evil.example/?token=TOKEN HTTP/1.1\r\nHost: HOST\r\n\r\n",
    "another server, encoded": "GET /%2f%2fevil.example?token=TOKEN HTTP/1.1\r\nHost: HOST\r\n\r\n",
    "another server, backslash": "GET /\\evil.example/?token=TOKEN HTTP/1.1\r\nHost: HOST\r\n\r\n",
    "another server, tab": "GET /%09/evil.example?token=TOKEN HTTP/1.1\r\nHost: HOST\r\n\r\n",
    "whole address": "GET http://evil.example/?token=TOKEN HTTP/1.1\r\nHost: HOST\r\n\r\n",
    "authority": "CONNECT evil.example:80 HTTP/1.1\r\nHost: HOST\r\nAuthorization: Bearer TOKEN\r\n\r\n",
    "star": "OPTIONS * HTTP/1.1\r\nHost: HOST\r\nAuthorization: Bearer TOKEN\r\n\r\n",
    "no host": "GET / HTTP/1.1\r\nAuthorization: Bearer TOKEN\r\n\r\n",
    "two hosts": "GET / HTTP/1.1\r\nHost: HOST\r\nHost: evil.example\r\nAuthorization: Bearer TOKEN\r\n\r\n",
    "host with a user": "GET / HTTP/1.1\r\nHost: a@HOST\r\nAuthorization: Bearer TOKEN\r\n\r\n",
    "HTTP/1.0": "GET / HTTP/1.0\r\nHost: HOST\r\nAuthorization: Bearer TOKEN\r\n\r\n",
    "HTTP/9": "GET / HTTP/9.9\r\nHost: HOST\r\n\r\n",
    "HTTP/2": "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
    "no HTTP": "\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03",
    "words": "hello\r\n\r\n",
    "empty lines": "\r\n\r\n\r\nGET / HTTP/1.1\r\nHost: HOST\r\nAuthorization: Bearer TOKEN\r\n\r\n",
    "folded header": "GET / HTTP/1.1\r\nHost: HOST\r\nX: a\r\n b\r\n\r\n",
    "nul in a header": "GET / HTTP/1.1\r\nHost: HOST\r\nX: a\0b\r\n\r\n",
    "long header": "GET / HTTP/1.1\r\nHost: HOST\r\nX: " + "a" * 70_000 + "\r\n\r\n",
    "many headers": "GET / HTTP/1.1\r\nHost: HOST\r\n" + "a: b\r\n" * 5000 + "\r\n",
    "long path": "GET /" + "a" * 70_000 + " HTTP/1.1\r\nHost: HOST\r\n\r\n",
    "long name": f"GET /files/nets/{'a' * 300} HTTP/1.1\r\nHost: HOST\r\nAuthorization: Bearer TOKEN\r\n\r\n",
    "longer path": f"GET /files/nets/{'a/' * 3000} HTTP/1.1\r\nHost: HOST\r\nAuthorization: Bearer TOKEN\r\n\r\n",
    "name of a surrogate": "GET /files/nets/%ed%a0%80 HTTP/1.1\r\nHost: HOST\r\nAuthorization: Bearer TOKEN\r\n\r\n",
    "name with a line end": "GET /files/nets/a%0ab HTTP/1.1\r\nHost: HOST\r\nAuthorization: Bearer TOKEN\r\n\r\n",
    "name with a nul": "GET /files/nets/a%00b HTTP/1.1\r\nHost: HOST\r\nAuthorization: Bearer TOKEN\r\n\r\n",
    "name of the folder": "GET /files/nets HTTP/1.1\r\nHost: HOST\r\nAuthorization: Bearer TOKEN\r\n\r\n",
    "no name": "GET /files/ HTTP/1.1\r\nHost: HOST\r\nAuthorization: Bearer TOKEN\r\n\r\n",
    "part of a file": (
        "GET /files/nets/report.html HTTP/1.1\r\nHost: HOST\r\nAuthorization: Bearer TOKEN\r\n"
        f"Range: bytes={','.join(f'{k}-{k}' for k in range(4000))}\r\n\r\n"
    ),
    "no part": (
        "GET /files/nets/report.html HTTP/1.1\r\nHost: HOST\r\nAuthorization: Bearer TOKEN\r\nRange: bytes=9-2\r\n\r\n"
    ),
    "head": "HEAD /files/nets/report.html HTTP/1.1\r\nHost: HOST\r\nAuthorization: Bearer TOKEN\r\n\r\n",
    "trailing slash": "GET /design/ HTTP/1.1\r\nHost: HOST\r\nAuthorization: Bearer TOKEN\r\n\r\n",
    "length and chunks": (
        "POST /api/tasks HTTP/1.1\r\nHost: HOST\r\nAuthorization: Bearer TOKEN\r\nContent-Length: 5\r\n"
        "Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n"
    ),
    "wrong chunks": (
        "POST /api/tasks HTTP/1.1\r\nHost: HOST\r\nAuthorization: Bearer TOKEN\r\nTransfer-Encoding: chunked\r\n\r\n"
        "zz\r\nabc\r\n"
    ),
    "endless chunks": (
        "POST /api/tasks HTTP/1.1\r\nHost: HOST\r\nAuthorization: Bearer TOKEN\r\nTransfer-Encoding: chunked\r\n\r\n"
        + f"10000\r\n{'a' * 0x10000}\r\n" * 20
    ),
    "chunks": (
        "POST /api/tasks HTTP/1.1\r\nHost: HOST\r\nAuthorization: Bearer TOKEN\r\nTransfer-Encoding: chunked\r\n\r\n"
        "1\r\n{\r\n0\r\n\r\n"
    ),
    "other coding": (
        "POST /api/tasks HTTP/1.1\r\nHost: HOST\r\nAuthorization: Bearer TOKEN\r\nTransfer-Encoding: gzip\r\n\r\n"
    ),
    "two lengths": (
        "POST /api/tasks HTTP/1.1\r\nHost: HOST\r\nAuthorization: Bearer TOKEN\r\nContent-Length: 1\r\n"
        "Content-Length: 2\r\n\r\nab"
    ),
    "length of digits": (
        f"POST /api/tasks HTTP/1.1\r\nHost: HOST\r\nAuthorization: Bearer TOKEN\r\nContent-Length: {'9' * 5000}\r\n\r\n"
    ),
    "upgrade with a body": (
        "POST /api/events HTTP/1.1\r\nHost: HOST\r\nAuthorization: Bearer TOKEN\r\nConnection: upgrade\r\n"
        "Upgrade: websocket\r\nContent-Length: 3\r\n\r\nabc"
    ),
    "upgrade of a GET with a body": (
        "GET /api/events HTTP/1.1\r\nHost: HOST\r\nOrigin: http://HOST\r\nAuthorization: Bearer TOKEN\r\n"
        "Connection: upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n"
        "Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\nContent-Length: 3\r\n\r\nabc"
    ),
    "upgrade without a key": (
        "GET /api/events HTTP/1.1\r\nHost: HOST\r\nOrigin: http://HOST\r\nAuthorization: Bearer TOKEN\r\n"
        "Connection: upgrade\r\nUpgrade: websocket\r\n\r\n"
    ),
    "upgrade of no socket": (
        "GET /files/nets/report.html HTTP/1.1\r\nHost: HOST\r\nOrigin: http://HOST\r\nAuthorization: Bearer TOKEN\r\n"
        "Connection: upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n"
        "Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n"
    ),
    "upgrade to another": (
        "GET / HTTP/1.1\r\nHost: HOST\r\nAuthorization: Bearer TOKEN\r\nConnection: upgrade\r\nUpgrade: h2c\r\n\r\n"
    ),
    "wrong frames": (
        "GET /api/events HTTP/1.1\r\nHost: HOST\r\nOrigin: http://HOST\r\nAuthorization: Bearer TOKEN\r\n"
        "Connection: upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n"
        "Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n\xff\xff\xff\xff\xff\xff"
    ),
    "text that is not UTF-8": (
        "GET /api/events HTTP/1.1\r\nHost: HOST\r\nOrigin: http://HOST\r\nAuthorization: Bearer TOKEN\r\n"
        "Connection: upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n"
        "Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n\x81\x82\0\0\0\0\xff\xfe"
    ),
    "bytes": (
        "GET /api/events HTTP/1.1\r\nHost: HOST\r\nOrigin: http://HOST\r\nAuthorization: Bearer TOKEN\r\n"
        "Connection: upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n"
        "Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n\x82\x82\0\0\0\0ab"
    ),
    "cookie of nonsense": 'GET / HTTP/1.1\r\nHost: HOST\r\nCookie: a=";[]=;;\xff\r\n\r\n',
    "long cookie": 'GET / HTTP/1.1\r\nHost: HOST\r\nCookie: a="' + "\\" * 20_000 + "\r\n\r\n",
    "many requests in one": "GET /api/tasks HTTP/1.1\r\nHost: HOST\r\nAuthorization: Bearer TOKEN\r\n\r\n" * 20,
}
#: Bodies of tasks.
BODIES = {
    "deep": b'{"operation": "info", "arguments": {"topology": ' + b"[" * 100_000 + b"]" * 100_000 + b"}}",
    "deep tables": b'{"operation": "info", "arguments": ' + b'{"a":' * 100_000 + b"1" + b"}" * 100_000 + b"}",
    "less deep": b'{"operation": "simulate", "arguments": {"set": {"a": ' + b"[" * 300 + b"]" * 300 + b"}}}",
    "infinite": b'{"operation": "simulate", "arguments": {"topology": "petersen:hosts=1", "loads": 1e999}}',
    "not a number": b'{"operation": "simulate", "arguments": {"topology": "petersen:hosts=1", "loads": NaN}}',
    "digits": b'{"operation": "info", "arguments": {"topology": "petersen", "seeds": ' + b"9" * 5000 + b"}}",
    "digits in a table": (
        b'{"operation": "simulate", "arguments": {"topology": "petersen:hosts=1", "loads": 0.1, "set": {"vcs": '
        + b"9" * 5000
        + b"}}}"
    ),
    "digits after a point": b'{"operation": "simulate", "arguments": {"topology": "petersen", "loads": 0.'
    + b"1" * 9000
    + b"}}",
    "surrogate": b'{"operation": "info", "arguments": {"topology": "\\ud800"}}',
    "surrogate in a requirement": b'{"operation": "need", "arguments": {"text": "hosts = 3 # \\udfff"}}',
    "surrogate in a design": b'{"operation": "design", "arguments": {"text": "hosts = 3 # \\udfff"}}',
    "not UTF-8": b'{"operation": "info", "arguments": {"topology": "\xff\xfe"}}',
    "same key twice": b'{"operation": "info", "operation": "rm", "arguments": {}, "arguments": {"topology": "petersen"}}',
    "key of nothing": b'{"operation": "info", "arguments": {"": "petersen"}}',
    "list": b'{"operation": "info", "arguments": []}',
    "null": b'{"operation": "info", "arguments": {"topology": null}}',
    "long name": b'{"operation": "info", "arguments": {"topology": "nets/' + b"a" * 300 + b'"}}',
    "long operation": b'{"operation": "' + b"a" * 100_000 + b'", "arguments": {}}',
    "no requirement": b'{"operation": "need", "arguments": {}}',
    "requirement of a number": b'{"operation": "need", "arguments": {"text": 3}}',
    "requirement of digits": b'{"operation": "need", "arguments": {"text": "hosts = ' + b"9" * 5000 + b'"}}',
    "deep requirement": b'{"operation": "need", "arguments": {"text": "a = ' + b"[" * 50_000 + b'"}}',
    "dotted requirement": b'{"operation": "need", "arguments": {"text": "' + b"a." * 90_000 + b'b = 1"}}',
    "long requirement": b'{"operation": "need", "arguments": {"text": "' + b"#" * 900_000 + b'"}}',
    "change of a number": b'{"operation": "design", "arguments": {"text": "hosts = 3", "change": 3}}',
    "deep change": b'{"operation": "design", "arguments": {"text": "hosts = 3", "change": '
    + b'{"a":' * 500
    + b"1"
    + b"}" * 502,
    "a million points": b'{"operation": "resilience", "arguments": {"topology": "petersen", "levels": ['
    + b"0.5," * 200_000
    + b"1]}}",
    "placements": b'{"operation": "app", "arguments": {"topology": "petersen:hosts=1", "app": "pingpong", "placement":'
    b' "random*1000000"}}',
}


def raw(host: str, request: bytes, seconds: float = 30.0) -> tuple[int, dict[str, str], bytes]:
    """The status, headers and body that answer some bytes; status 0 where the server only ends the connection."""
    name, _, port = host.partition(":")
    with socket.create_connection((name, int(port)), timeout=seconds) as connection:
        with suppress(ConnectionError):  # it may answer before it has all
            connection.sendall(request)
        answer = HTTPResponse(connection, method="HEAD" if request.startswith(b"HEAD") else None)
        try:
            answer.begin()
            headers = {key.lower(): value for key, value in answer.getheaders()}
            return answer.status, headers, b"" if answer.status == 101 else answer.read()
        except (ConnectionError, HTTPException):
            return 0, {}, b""


def filled(text: str, host: str, token: str) -> bytes:
    """A request of `RAW` for a server."""
    return text.replace("HOST", host).replace("TOKEN", token).encode("latin-1", "replace")


_TEXTS = (
    "",
    "petersen",
    "ring:n=5",
    "nets",
    "nets/mine.json",
    "../x",
    "/etc/passwd",
    "\0",
    "a" * 300,
    "\u4e2d",
    "%s",
    "'",
)
_EXTRA = ("Range", "Cookie", "Origin", "Content-Type", "Accept-Encoding", "If-None-Match", "Expect", "Sec-Fetch-Site")
_NUMBERS = (0, 1, -1, 2**31, 2**63, -(2**64), 1.5, 1e308, 10**30)


def _value(draw: random.Random, depth: int = 0) -> object:
    kind = draw.randrange(8 if depth < 3 else 6)
    if kind < 2:
        return draw.choice(_TEXTS)
    if kind == 2:
        return draw.choice(_NUMBERS)
    if kind == 3:
        return draw.choice((None, True, False))
    if kind < 6:
        return "".join(
            chr(draw.choice((draw.randrange(128), draw.randrange(0xD000)))) for _ in range(draw.randrange(20))
        )
    if kind == 6:
        return [_value(draw, depth + 1) for _ in range(draw.randrange(4))]
    return {str(draw.choice(_TEXTS)): _value(draw, depth + 1) for _ in range(draw.randrange(4))}


def random_requests(seed: int, count: int, operations: dict[str, list[str]], host: str, token: str) -> Iterator[bytes]:
    """Requests of all routes, most of them malformed, always the same for a seed.

    Parameters
    ----------
    seed, count : int
    operations : dict
        The arguments of each operation, by its name.
    host, token : str
        Of the server.
    """
    draw = random.Random(seed)
    paths = ("/", "/network", "/api/catalogue", "/api/tasks", "/api/tasks/{}", "/api/tasks/{}/measured", "/api/curves")
    paths += ("/api/study", "/api/folders", "/files/{}", "/files/nets/{}", "/api/events", "/{}", "//{}", "/explorer.js")
    paths += (
        "/api/uploads",
        "/api/uploads?name={}",
        "/api/tasks/{}/requirement",
        "/api/tasks/{}/candidates",
        "/api/rules",
    )
    paths += ("/compare", "/cabling", "/studies", "/folders", "/tasks", "/explorer.css")
    for _ in range(count):
        method = draw.choice(("GET", "GET", "POST", "DELETE", "HEAD", "PUT", "OPTIONS", "TRACE"))
        path = draw.choice(paths).format(quote(str(_value(draw, 9)), safe="/%"))
        names = ("folder", "x", "y", "by", "where", "digests", "token", "a")
        asked = "&".join(f"{draw.choice(names)}={quote(str(_value(draw)))}" for _ in range(draw.randrange(4)))
        headers = {"Host": host, "Authorization": f"Bearer {token}"}
        body = b""
        if draw.random() < 0.6:
            method, path = "POST", "/api/tasks"
            operation = draw.choice((*operations, "rm"))
            names = [*operations.get(operation, []), "text", "change"]
            arguments = {draw.choice(names): _value(draw) for _ in range(draw.randrange(5))}
            if draw.random() < 0.6:
                arguments["topology"] = draw.choice(("petersen:hosts=1", "ring:n=5"))
                arguments |= {name: value for name, value in NEEDED.get(operation, {}).items() if name not in arguments}
            content = {"operation": operation, "arguments": arguments if draw.random() < 0.9 else _value(draw)}
            body = json.dumps(content).encode()
            if draw.random() < 0.2:
                at = draw.randrange(len(body))
                body = body[:at] + bytes([draw.randrange(256)]) + body[at + 1 :]
            headers["Content-Length"] = str(len(body))
        if draw.random() < 0.2:
            extra = (
                "Range",
                "Cookie",
                "Origin",
                "Content-Type",
                "Accept-Encoding",
                "If-None-Match",
                "Expect",
                "Sec-Fetch-Site",
            )
            headers[draw.choice(extra)] = ascii(_value(draw, 9))[1:60]
        lines = [f"{method} {path}{'?' + asked if asked else ''} HTTP/1.1", *(f"{k}: {v}" for k, v in headers.items())]
        request = "\r\n".join([*lines, "", ""]).encode("latin-1", "replace") + body
        if draw.random() < 0.1:
            at = draw.randrange(len(request))
            request = request[:at] + bytes(draw.randrange(256) for _ in range(draw.randrange(4))) + request[at:]
        yield request
