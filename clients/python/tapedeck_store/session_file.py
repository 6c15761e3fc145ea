"""Reads Tapedeck's session files (.tapedeck) as docs/format.md describes them."""
import hashlib, itertools, json, struct
from collections import Counter
import numpy as np
from . import Cursor, Row, attempt, check, check_session, sha256, unzstd

MAX_CONTENT = 96 << 20

def read_parts(path):
    """Kind and content of each part, after its checks. The last one also covers every byte before it."""
    with open(path, "rb") as file:
        head, whole = file.read(16), hashlib.sha256()
        check(head == struct.pack("<8sH6x", b"TAPEDECK", 1), "this isn't a session file of version 1")
        whole.update(head)
        for number in itertools.count():
            before, head = whole.hexdigest(), file.read(48)
            check(len(head) == 48, "the file is cut off")
            kind, index, size, stored = struct.unpack_from("<4s3I", head)
            check(index == number and stored <= size <= MAX_CONTENT, f"part {number}")
            packed = file.read(stored)
            content = packed if stored == size else unzstd(packed, size)
            check(sha256(head[:16], content) == head[16:], f"part {number}")
            if kind == b"done":
                return check(content.decode() == before and not file.read(1), "the whole file")
            whole.update(head + packed)
            yield kind.decode(), content

def read_rows(content, feeds, counts):
    """Messages of a part. `counts`: how many of each connection came before."""
    cursor = Cursor(content)
    n = cursor.varint()
    def column():
        scale = cursor.byte()
        if scale == 255:
            return np.frombuffer(cursor.take(8 * n), "<f8").tolist()
        values = np.cumsum([float(cursor.signed()) for _ in range(n)])
        return [values, values / 1000, values * 1000][scale].tolist()
    seq, recv, mono, conn = column(), column(), column(), column()
    flags, sizes = cursor.take(n), [cursor.varint() for _ in range(n)]
    for row in zip(seq, recv, mono, map(int, conn), flags, sizes):
        counts[row[3]] += 1
        yield Row(int(row[0]), *row[1:4], counts[row[3]], row[4], feeds[row[3]], cursor.take(row[5]))
    check(cursor.at == len(content), "lengths")

class SessionFile:
    """A session file. Its one session has the fields of a store's, and `meta` what else the file says of it."""
    def __init__(self, path):
        self.path, first = path, next(read_parts(path))
        check(first[0] == "meta", "part 0")
        self.meta = json.loads(first[1])
        self.feeds = {one["conn"]: one["feed"] for one in self.meta["connections"]}

    def sessions(self):
        source = self.meta["source"]
        key = "demo" if source["kind"] == "demo" else f"{source['kind']}:{source['user']}@{source['origin']}"
        names = {"startedMs": "started_ms", "endedMs": "ended_ms", "clean": "clean", "session": "session"}
        return [{"source": key, **{name: self.meta[field] for field, name in names.items()}}]

    def messages(self, session):
        return (row for row in self.rows() if row.conn)

    def rows(self):
        """Messages and entries by seq, each part's after its checks."""
        counts, messages = Counter(), []
        for kind, content in read_parts(self.path):
            if kind == "rows":
                messages = list(read_rows(content, self.feeds, counts))
            elif kind == "entr":
                lines = [json.loads(line) for line in content.split(b"\n") if line]
                entries = [Row(*stamps, 0, 0, 0, "", body.encode()) for *stamps, body in lines]
                yield from sorted(messages + entries, key=lambda row: row.seq)

    def verify(self, report):
        """Recomputes checksums and hash chains. Calls `report` with a text for each difference."""
        def read():
            runs, numbers = {}, []
            for kind, content in itertools.islice(read_parts(self.path), 1, 2):
                check(kind == "chns", "part 1")
                numbers = np.frombuffer(content, "<u4").tolist()
            while numbers:
                (conn, n), rest = numbers[:2], numbers[2:]
                runs[conn], numbers = [(*rest[i : i + 2], None) for i in range(0, 2 * n, 2)], rest[2 * n :]
            check_session(self.sessions()[0], self.feeds, runs, self.rows(), self.meta, report)
        attempt(report, "the session file", read)
