"""A WebSocket client as small as the live stream needs: text frames, pings, and no extensions (RFC 6455)."""

from __future__ import annotations

import base64
import json
import os
import socket
import struct
from typing import Any, Dict, Iterator, Optional, Sequence, Tuple

from ._error import TapedeckError, offline, parse, refusal, unexpected

_TEXT, _CLOSE, _PING, _PONG = 1, 8, 9, 10
_LONGEST_HEAD, _LONGEST_FRAME = 1 << 16, 1 << 24
_PIECE = 1 << 16


class LiveStream:
    """Live messages of Tapedeck. Iterating grants new credit, so a slow program is sent no more than it can take."""

    def __init__(
        self, host: str, port: int, path: str, token: str, credit: int, timeout: Optional[float] = 60
    ) -> None:
        """`timeout`: seconds in which Tapedeck has to answer, a ping too; None: forever."""
        self._is_closed = False
        self._buffer = bytearray()
        self._credit = credit
        self._used = 0
        try:
            self._socket = socket.create_connection((host, port), timeout=timeout)
        except OSError as error:
            raise offline(f"Couldn't reach http://{host}:{port}.") from error
        try:
            self._upgrade(host, port, path, token)
            self._send({"op": "credit", "messages": credit})
        except OSError as error:
            self.close()
            raise offline(f"http://{host}:{port} closed the live stream, or didn't answer.") from error
        except BaseException:
            self.close()
            raise

    def _upgrade(self, host: str, port: int, path: str, token: str) -> None:
        key = base64.b64encode(os.urandom(16)).decode()
        head = [f"GET {path} HTTP/1.1", f"Host: {host}:{port}", "Upgrade: websocket", "Connection: Upgrade"]
        head += [f"Sec-WebSocket-Key: {key}", "Sec-WebSocket-Version: 13", f"Authorization: Bearer {token}", "", ""]
        self._socket.sendall("\r\n".join(head).encode())
        while (end := self._buffer.find(b"\r\n\r\n")) < 0:
            if len(self._buffer) > _LONGEST_HEAD:
                raise unexpected("The answer to the live stream is too long.")
            if not self._receive():
                raise ConnectionResetError("closed before its answer was complete")
        status = bytes(self._buffer[:end]).split(b"\r\n")[0].decode("latin-1").strip()
        del self._buffer[: end + 4]
        if " 101 " not in f"{status} ":
            # A refusal ends the connection after its body.
            while len(self._buffer) <= _LONGEST_HEAD and self._receive():
                pass
            raise refusal(status.partition(" ")[2] or status, bytes(self._buffer))

    def subscribe(self, feed: str, symbols: Sequence[str]) -> None:
        self._send({"op": "subscribe", "feed": feed, "symbols": list(symbols)})

    def unsubscribe(self, feed: str, symbols: Sequence[str]) -> None:
        self._send({"op": "unsubscribe", "feed": feed, "symbols": list(symbols)})

    def __iter__(self) -> Iterator[Dict[str, Any]]:
        """Ends once this stream is closed here. Raises `offline` if Tapedeck ended it, or it was lost."""
        while not self._is_closed:
            try:
                # Granted once the program has taken the messages, many at a time.
                if self._used * 2 >= self._credit:
                    self._grant()
                message = self._message()
            except TapedeckError:
                if self._is_closed:
                    return
                self.close()
                raise
            if message is None:
                continue
            if message.get("type") == "tick":
                self._used += 1
            yield message

    def _message(self) -> Optional[Dict[str, Any]]:
        """The next message; None for a frame that isn't one."""
        try:
            kind, payload = self._frame()
            if kind == _PING:
                self._write(_PONG, payload)
        except (OSError, ValueError) as error:
            raise offline("The live stream was lost.") from error
        if kind == _CLOSE:
            raise offline("Tapedeck ended the live stream.")
        if kind != _TEXT:
            return None
        message = parse(payload)
        if not isinstance(message, dict):
            raise unexpected("A message of the live stream isn't an object.")
        return message

    def _grant(self) -> None:
        self._send({"op": "credit", "messages": self._used})
        self._used = 0

    def close(self) -> None:
        """Also ends the iteration of another thread."""
        self._is_closed = True
        try:
            self._socket.shutdown(socket.SHUT_RDWR)
        except OSError:
            pass  # it was lost, or is closed
        self._socket.close()

    def __enter__(self) -> "LiveStream":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _send(self, message: Dict[str, Any]) -> None:
        try:
            self._write(_TEXT, json.dumps(message).encode())
        except OSError as error:
            raise offline("The live stream was lost.") from error

    def _write(self, kind: int, payload: bytes) -> None:
        size = len(payload)
        head = bytes([0x80 | kind, 0x80 | size]) if size < 126 else bytes([0x80 | kind, 0x80 | 126]) + struct.pack(">H", size)
        mask = os.urandom(4)
        self._socket.sendall(head + mask + bytes(byte ^ mask[i % 4] for i, byte in enumerate(payload)))

    def _frame(self) -> Tuple[int, bytes]:
        first, second = self._read(2)
        size = second & 0x7F
        if size == 126:
            (size,) = struct.unpack(">H", self._read(2))
        elif size == 127:
            (size,) = struct.unpack(">Q", self._read(8))
        if size > _LONGEST_FRAME:
            raise unexpected("A message of the live stream is too long.")
        return first & 0x0F, self._read(size)

    def _read(self, size: int) -> bytes:
        is_asked = False
        while len(self._buffer) < size:
            try:
                if not self._receive():
                    raise ConnectionError("the connection ended")
                is_asked = False
            except socket.timeout:
                # A quiet market isn't a lost connection, but Tapedeck answers a ping.
                if is_asked:
                    raise
                self._write(_PING, b"")
                is_asked = True
        data = bytes(self._buffer[:size])
        del self._buffer[:size]
        return data

    def _receive(self) -> bool:
        """Whether something was received: the connection has ended otherwise."""
        piece = self._socket.recv(_PIECE)
        self._buffer += piece
        return len(piece) > 0
