"""A WebSocket client as small as the live stream needs: text frames, pings, and no extensions (RFC 6455)."""

from __future__ import annotations

import base64
import json
import os
import socket
import struct
from typing import Any, Dict, Iterator, Sequence, Tuple

_TEXT, _CLOSE, _PING, _PONG = 1, 8, 9, 10


class LiveStream:
    """Live messages of Tapedeck. Iterating grants new credit, so a slow program is sent no more than it can take."""

    def __init__(self, host: str, port: int, path: str, token: str, credit: int) -> None:
        self._socket = socket.create_connection((host, port), timeout=60)
        self._file = self._socket.makefile("rb")
        key = base64.b64encode(os.urandom(16)).decode()
        head = [f"GET {path} HTTP/1.1", f"Host: {host}:{port}", "Upgrade: websocket", "Connection: Upgrade"]
        head += [f"Sec-WebSocket-Key: {key}", "Sec-WebSocket-Version: 13", f"Authorization: Bearer {token}", "", ""]
        self._socket.sendall("\r\n".join(head).encode())
        status = self._file.readline().decode("latin-1").strip()
        while self._file.readline() not in (b"\r\n", b""):
            pass
        if " 101 " not in f"{status} ":
            self.close()
            raise ConnectionError(f"Tapedeck refused the live stream: {status}.")
        self._socket.settimeout(None)  # a quiet market isn't a lost connection
        self._credit = credit
        self._used = 0
        self._send({"op": "credit", "messages": credit})

    def subscribe(self, feed: str, symbols: Sequence[str]) -> None:
        self._send({"op": "subscribe", "feed": feed, "symbols": list(symbols)})

    def unsubscribe(self, feed: str, symbols: Sequence[str]) -> None:
        self._send({"op": "unsubscribe", "feed": feed, "symbols": list(symbols)})

    def __iter__(self) -> Iterator[Dict[str, Any]]:
        while True:
            kind, payload = self._frame()
            if kind == _CLOSE:
                return
            if kind == _PING:
                self._write(_PONG, payload)
            elif kind == _TEXT:
                message = json.loads(payload)
                if message["type"] == "tick":
                    self._used += 1
                yield message
                # Granted once the program has taken the message, many at a time.
                if self._used * 2 >= self._credit:
                    self._send({"op": "credit", "messages": self._used})
                    self._used = 0

    def close(self) -> None:
        self._file.close()
        self._socket.close()

    def __enter__(self) -> "LiveStream":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _send(self, message: Dict[str, Any]) -> None:
        self._write(_TEXT, json.dumps(message).encode())

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
        return first & 0x0F, self._read(size)

    def _read(self, size: int) -> bytes:
        data = self._file.read(size)
        if len(data) < size:
            raise ConnectionError("The live stream was lost.")
        return data
