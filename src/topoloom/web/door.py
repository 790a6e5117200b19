"""Connections: incomplete requests end within seconds, and clients without the token cannot displace those with it.

A connection is untrusted until one of its requests contains the token. Untrusted connections are limited in number and time;
the oldest is closed for the newest. Connections with the token are counted separately.
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
#: Most connections at a time, without the token and with it.
MOST_STRANGERS, MOST_OWNERS = 256, 256
#: Requests of a connection with the token: how many at once, and how many per second after that.
_BURST, _PER_SECOND = 400, 100


class Doors:
    """All connections of a server.

    Parameters
    ----------
    strangers, owners : int
        Most connections at a time, without the token and with it.
    """

    def __init__(self, strangers: int = MOST_STRANGERS, owners: int = MOST_OWNERS) -> None:
        self._most_strangers, self._most_owners = strangers, owners
        # Ordered by arrival, or by last use.
        self._strangers: dict[Door, None] = {}
        self._owners: dict[Door, None] = {}

    def enter(self, door: "Door") -> None:
        """Add a new connection; if there are too many without the token, the oldest is closed."""
        self._strangers[door] = None
        while len(self._strangers) > self._most_strangers:
            oldest = next(iter(self._strangers))
            del self._strangers[oldest]
            oldest.shut()

    def leave(self, door: "Door") -> None:
        """Remove a connection that is closed, or that became a websocket, which is counted elsewhere."""
        self._strangers.pop(door, None)
        self._owners.pop(door, None)

    def admit(self, door: "Door") -> bool:
        """Move a connection that has shown the token; False if all places are taken by active connections."""
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
    """One connection; its requests refer to it as ``scope["state"]["door"]``."""

    #: The connections of a server; each server sets it in a subclass.
    doors = Doors()

    def __init__(self, *arguments: Any, **named: Any) -> None:
        super().__init__(*arguments, **named)
        self.app_state = {**self.app_state, "door": self}
        self._timer: asyncio.TimerHandle | None = None
        self.pace = RequestPace(_BURST, _PER_SECOND)

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Register the connection; its first request must arrive within seconds."""
        super().connection_made(transport)
        self._expect()
        self.doors.enter(self)

    def connection_lost(self, exc: Exception | None) -> None:
        """Remove the connection."""
        self._expect_nothing()
        self.doors.leave(self)
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        """Handle a part of a request; unreadable data ends the connection."""
        if self._timer is None:
            self._expect()
        try:
            super().data_received(data)
        except Exception as error:  # of a parser: no answer is possible, and the connection cannot continue
            log.warning("a request that cannot be read: %s", type(error).__name__)
            self.shut()

    def handle_events(self) -> None:
        """As in the parent; the timer stops when the headers are complete, and starts again with the next request."""
        super().handle_events()
        if self.conn.their_state is not h11.IDLE:
            self._expect_nothing()
        elif self._timer is None and self.conn.trailing_data[0]:
            self._expect()

    def handle_websocket_upgrade(self, event: h11.Request) -> None:
        """Accept a handshake that is a GET of HTTP/1.1 without a body; refuse anything else."""
        names = {name for name, _ in self.headers}
        if event.method != b"GET" or event.http_version != b"1.1" or names & {b"content-length", b"transfer-encoding"}:
            self.send_400_response("no websocket begins like this")
            return
        self._expect_nothing()
        self.doors.leave(self)
        super().handle_websocket_upgrade(event)

    @property
    def idle(self) -> bool:
        """Whether no request is being answered."""
        return self.cycle is None or self.cycle.response_complete

    def shut(self) -> None:
        """End the connection now; unsent data is lost."""
        self._expect_nothing()
        if self.transport is not None and not self.transport.is_closing():
            self.transport.abort()

    def _expect(self) -> None:
        self._timer = self.loop.call_later(HEADERS_S, self.shut)

    def _expect_nothing(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
