"""Connections: half requests end in seconds, those who have not shown the token never take the place of those who have.

A connection is a stranger's until one of its requests shows the token. Strangers are bounded in number and in time, the oldest
giving way to the newest; whoever has the token is not counted among them.
"""

import asyncio
import logging
from typing import Any

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol

from topoloom.web.pace import RequestPace

log = logging.getLogger("uvicorn.error")

#: Seconds from a connection, or the first byte of a further request, to the end of its headers.
HEADERS_S = 5.0
#: Connections of strangers, and of those with the token, at a time.
MOST_STRANGERS, MOST_OWNERS = 256, 256
#: Requests of a connection with the token: how many at once, and how many a second after that.
_BURST, _PER_SECOND = 400, 100


class Doors:
    """All connections of a server.

    Parameters
    ----------
    strangers, owners : int
        Connections at a time, without the token and with it.
    """

    def __init__(self, strangers: int = MOST_STRANGERS, owners: int = MOST_OWNERS) -> None:
        self._most_strangers, self._most_owners = strangers, owners
        # In the order in which they came, or were used last.
        self._strangers: dict[Door, None] = {}
        self._owners: dict[Door, None] = {}

    def enter(self, door: "Door") -> None:
        """A connection is there; the oldest stranger goes where there are too many."""
        self._strangers[door] = None
        while len(self._strangers) > self._most_strangers:
            oldest = next(iter(self._strangers))
            del self._strangers[oldest]
            oldest.shut()

    def leave(self, door: "Door") -> None:
        """A connection is gone, or a websocket now, which are counted elsewhere."""
        self._strangers.pop(door, None)
        self._owners.pop(door, None)

    def admit(self, door: "Door") -> bool:
        """A connection has shown the token; False where there is no place, because as many are being answered."""
        self._strangers.pop(door, None)
        self._owners.pop(door, None)
        if len(self._owners) >= self._most_owners:
            idle = next((other for other in self._owners if other.idle), None)
            if idle is None:
                return False
            del self._owners[idle]
            idle.shut()
        self._owners[door] = None
        return True


class Door(H11Protocol):
    """One connection; requests have it in their scope, as ``scope["state"]["door"]``."""

    #: Of all connections of a server; set by a subclass a server.
    doors = Doors()

    def __init__(self, *arguments: Any, **named: Any) -> None:
        super().__init__(*arguments, **named)
        self.app_state = {**self.app_state, "door": self}
        self._timer: asyncio.TimerHandle | None = None
        self.pace = RequestPace(_BURST, _PER_SECOND)

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """A connection is there; its first request has seconds to arrive."""
        super().connection_made(transport)
        self._expect()
        self.doors.enter(self)

    def connection_lost(self, exc: Exception | None) -> None:
        """It is closed."""
        self._expect_nothing()
        self.doors.leave(self)
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        """A piece of a request; what cannot even be taken apart ends the connection."""
        if self._timer is None:
            self._expect()
        try:
            super().data_received(data)
        except Exception as error:  # of a parser: it has no answer, and the connection no next request
            log.warning("a request that cannot be read: %s", type(error).__name__)
            self.shut()

    def handle_events(self) -> None:
        """As the parent's; nothing is expected once the headers are whole, but again where a next request has begun."""
        super().handle_events()
        if self.conn.their_state is not h11.IDLE:
            self._expect_nothing()
        elif self._timer is None and self.conn.trailing_data[0]:
            self._expect()

    def handle_websocket_upgrade(self, event: h11.Request) -> None:
        """A websocket's handshake is a GET of HTTP/1.1 without a body; anything else is refused before it becomes one."""
        names = {name for name, _ in self.headers}
        if event.method != b"GET" or event.http_version != b"1.1" or names & {b"content-length", b"transfer-encoding"}:
            self.send_400_response("no websocket begins like this")
            return
        self._expect_nothing()
        self.doors.leave(self)
        super().handle_websocket_upgrade(event)

    @property
    def idle(self) -> bool:
        """Whether no request waits for its answer."""
        return self.cycle is None or self.cycle.response_complete

    def shut(self) -> None:
        """End the connection now; what was not sent is not sent."""
        self._expect_nothing()
        if self.transport is not None and not self.transport.is_closing():
            self.transport.abort()

    def _expect(self) -> None:
        self._timer = self.loop.call_later(HEADERS_S, self.shut)

    def _expect_nothing(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
