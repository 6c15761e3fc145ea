"""Client of Tapedeck's local API (`tapedeck serve --api`). Needs nothing but Python; frames need pandas or Polars."""

from __future__ import annotations

import http.client
import io
import json
import os
import sys
from pathlib import Path
from typing import Any, Dict, Iterator, List, Mapping, Optional, Sequence, Union
from urllib.parse import quote, urlencode, urlsplit

from ._error import TapedeckError, offline, parse, refusal, truncated, unexpected
from ._socket import LiveStream

__all__ = ["LiveStream", "Replay", "Tapedeck", "TapedeckError"]

Json = Dict[str, Any]
Time = Union[str, int]
_PIECE = 1 << 16
_LONGEST_FAILURE = 1 << 16
# More than any answer has: a server that never ends would use up the memory.
_LONGEST_ANSWER, _LONGEST_LINE = 1 << 28, 1 << 27


def _home() -> Path:
    """Tapedeck's folder, as Tapedeck finds it."""
    if os.environ.get("TAPEDECK_HOME"):
        return Path(os.environ["TAPEDECK_HOME"])
    if sys.platform == "darwin":
        return Path.home() / "Library" / "Application Support" / "Tapedeck"
    if sys.platform == "win32":
        return Path(os.environ.get("APPDATA") or Path.home() / "AppData" / "Roaming") / "Tapedeck"
    return Path(os.environ.get("XDG_DATA_HOME") or Path.home() / ".local" / "share") / "tapedeck"


class _Body(io.RawIOBase):
    """The body of an answer as a file. Raises if it ends early, which http.client's own readline hides."""

    def __init__(self, response: http.client.HTTPResponse, connection: http.client.HTTPConnection) -> None:
        self._response = response
        self._connection = connection

    @property
    def kind(self) -> str:
        """The media type."""
        return self._response.headers.get_content_type()

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        try:
            piece = self._response.read1(min(len(buffer), _PIECE))
            # Without chunks, read1 takes an early end for the end.
            if not piece and len(buffer) > 0 and self._response.length:
                raise http.client.IncompleteRead(piece, self._response.length)
        except (http.client.HTTPException, OSError) as error:
            raise truncated() from error
        buffer[: len(piece)] = piece
        return len(piece)

    def close(self) -> None:
        self._connection.close()
        super().close()


class Tapedeck:
    """A running Tapedeck. Times are ISO 8601 texts, epoch milliseconds, or texts such as "today" and "-1h", in UTC."""

    def __init__(self, base_url: str, token: str, timeout: Optional[float] = 60) -> None:
        """`timeout`: seconds in which Tapedeck has to answer; None: forever."""
        self.base_url = base_url
        self._token = token
        self._timeout = timeout

    @classmethod
    def connect(
        cls, home: Union[str, "os.PathLike[str]", None] = None, timeout: Optional[float] = 60
    ) -> "Tapedeck":
        """Reads address and token from `api.json` in Tapedeck's folder (default: its own). Raises `not-found`.

        `timeout`: seconds in which Tapedeck has to answer; None: forever.
        """
        file = (_home() if home is None else Path(home)) / "api.json"
        hint = "Start tapedeck serve --api first."
        try:
            found = json.loads(file.read_text("utf-8"))
            return cls(found["base_url"], found["token"], timeout)
        except FileNotFoundError as error:
            raise TapedeckError("not-found", f"There is no {file}.", hint) from error
        except OSError as error:
            raise TapedeckError("not-found", f"Couldn't read {file}: {error.strerror}.") from error
        except (ValueError, KeyError, TypeError) as error:
            raise TapedeckError("not-found", f"There is no address in {file}.", hint) from error

    # What is recorded

    def info(self) -> Json:
        return self._json("GET", "/v1")

    def sessions(self) -> List[Json]:
        return self._part("sessions", "/v1/sessions")

    def session(self, name: str = "latest") -> Json:
        return self._json("GET", f"/v1/sessions/{quote(name, safe='')}")

    def gaps(self, feed: Optional[str] = None, **query: Any) -> List[Json]:
        """Intervals that weren't received. `session`, `source`, `start`, `end` narrow them."""
        return self._part("gaps", "/v1/gaps" + _query(feed=feed, **query))

    def symbols(self, feed: str, **query: Any) -> List[Json]:
        return self._part("symbols", "/v1/symbols" + _query(feed=feed, **query))

    def ticks(self, feed: str, **query: Any) -> Iterator[Json]:
        """Ticks as they are read. `symbols`, `session`, `source`, `start`, `end`, `after`, `raw` narrow or extend them."""
        return self._lines("/v1/ticks" + _query(feed=feed, **query))

    def bars(self, feed: str, **query: Any) -> Iterator[Json]:
        """Bars as they are read. Also takes `interval` (default "1m") and `of`."""
        return self._lines("/v1/bars" + _query(feed=feed, **query))

    def ticks_frame(self, feed: str, engine: str = "pandas", **query: Any) -> Any:
        """Ticks as a frame of pandas or Polars."""
        return self._frame("/v1/ticks" + _query(feed=feed, format="csv", **query), engine, ["event_time", "recv_time"])

    def bars_frame(self, feed: str, engine: str = "pandas", **query: Any) -> Any:
        """Bars as a frame of pandas or Polars."""
        return self._frame("/v1/bars" + _query(feed=feed, format="csv", **query), engine, ["start_time"])

    # What happens now

    def live(self, feed: str, symbols: Sequence[str], credit: int = 1_000) -> LiveStream:
        """Live messages, to be iterated: ticks, gaps, and how many ticks were lost. Close it, or use `with`."""
        parts = urlsplit(self.base_url)
        host, port = parts.hostname or "127.0.0.1", parts.port or 80
        stream = LiveStream(host, port, "/v1/stream", self._token, credit, self._timeout)
        try:
            stream.subscribe(feed, symbols)
        except BaseException:
            stream.close()
            raise
        return stream

    def open_replay(self, sessions: Sequence[str] = ("latest",), at: Optional[Time] = None) -> "Replay":
        body: Json = {"sessions": list(sessions)}
        if at is not None:
            body["at"] = str(at)
        return Replay(self, self._part("replay", "/v1/replays", "POST", body))

    def replays(self) -> List["Replay"]:
        """Open replays, also those of windows."""
        return [Replay(self, _field(one, "replay")) for one in self._part("replays", "/v1/replays")]

    def alerts(self) -> List[Json]:
        return self._part("alerts", "/v1/alerts")

    def add_alert(self, alert: Mapping[str, Any]) -> Json:
        return self._json("POST", "/v1/alerts", dict(alert))

    def remove_alert(self, alert: str) -> None:
        self._json("DELETE", f"/v1/alerts/{quote(alert, safe='')}")

    def alert_events(self, alert: Optional[str] = None, limit: int = 100) -> List[Json]:
        return self._part("events", "/v1/alert-events" + _query(alert=alert, limit=limit))

    # How it is asked

    def _open(self, method: str, path: str, body: Optional[Json] = None) -> _Body:
        parts = urlsplit(self.base_url)
        connection = http.client.HTTPConnection(parts.hostname or "127.0.0.1", parts.port, timeout=self._timeout)
        headers = {"authorization": f"Bearer {self._token}"}
        try:
            connection.request(method, path, None if body is None else json.dumps(body).encode(), headers)
            response = connection.getresponse()
        except OSError as error:
            connection.close()
            raise offline(f"Couldn't reach {self.base_url}.") from error
        except http.client.HTTPException as error:
            connection.close()
            raise unexpected(f"{self.base_url} doesn't answer as a web server does.") from error
        if response.status < 300:
            if response.length is not None or response.chunked:
                return _Body(response, connection)
            connection.close()
            # An answer that is cut off would look whole.
            raise unexpected("The answer doesn't say where it ends.")
        try:
            text = response.read(_LONGEST_FAILURE)
        except (http.client.HTTPException, OSError):
            text = b""
        finally:
            connection.close()
        raise refusal(response.status, text)

    def _json(self, method: str, path: str, body: Optional[Json] = None) -> Any:
        with io.BufferedReader(self._open(method, path, body), _PIECE) as answer:
            # Not in one go, which would reserve the longest answer's memory.
            pieces: List[bytes] = []
            left = _LONGEST_ANSWER
            while piece := answer.read(_PIECE):
                pieces.append(piece)
                left -= len(piece)
                if left <= 0:
                    raise unexpected("The answer is too long.")
            text = b"".join(pieces)
        return parse(text) if text else None

    def _part(self, name: str, path: str, method: str = "GET", body: Optional[Json] = None) -> Any:
        return _field(self._json(method, path, body), name)

    def _rows(self, path: str, kind: str) -> io.BufferedReader:
        body = self._open("GET", path)
        if body.kind == kind:
            return io.BufferedReader(body, _PIECE)
        body.close()
        raise unexpected(f"The answer is {body.kind}, not {kind}.")

    def _lines(self, path: str) -> Iterator[Json]:
        with self._rows(path, "application/x-ndjson") as lines:
            while True:
                line = lines.readline(_LONGEST_LINE)
                if not line:
                    return
                if len(line) == _LONGEST_LINE:
                    raise unexpected("A line of the answer is too long.")
                if not line.endswith(b"\n"):
                    raise truncated()
                yield parse(line)

    def _frame(self, path: str, engine: str, times: List[str]) -> Any:
        if engine not in ("pandas", "polars"):
            raise TapedeckError("usage", f'"engine" is pandas or polars, not "{engine}".')
        with self._rows(path, "text/csv") as body:
            if engine == "polars":
                import polars

                return polars.read_csv(body.read(), try_parse_dates=True)
            import pandas

            return pandas.read_csv(body, parse_dates=times, float_precision="round_trip")


class Replay:
    """An open replay. Nothing later than its clock is in its state."""

    def __init__(self, deck: Tapedeck, replay: str) -> None:
        self.id = replay
        self._deck = deck

    @property
    def state(self) -> Json:
        return self._deck._json("GET", self._path)

    def play(self) -> Json:
        return self._change(playing=True)

    def pause(self) -> Json:
        return self._change(playing=False)

    def seek(self, at: Time) -> Json:
        return self._change(at=str(at))

    def set_speed(self, speed: Union[float, str]) -> Json:
        """0.25 to 1000, or "max"."""
        return self._change(speed=speed)

    def close(self) -> None:
        self._deck._json("DELETE", self._path)

    @property
    def _path(self) -> str:
        return f"/v1/replays/{quote(self.id, safe='')}"

    def _change(self, **change: Any) -> Json:
        return self._deck._json("POST", self._path, change)


def _field(value: Any, name: str) -> Any:
    if isinstance(value, dict) and name in value:
        return value[name]
    raise unexpected(f'The answer has no "{name}".')


_NAMES = {"symbols": "symbol", "sessions": "session", "start": "from", "end": "to"}


def _query(**given: Any) -> str:
    """Parameters of an address. Lists repeat, None is left out."""
    pairs = []
    for name, value in given.items():
        many = value if isinstance(value, (list, tuple)) else [value]
        pairs += [(_NAMES.get(name, name), _text(one)) for one in many if one is not None]
    return f"?{urlencode(pairs)}" if pairs else ""


def _text(value: Any) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)
