"""Reads Tapedeck's stores (tapedeck.db) without writing to them, as docs/format.md describes them."""
import hashlib, heapq, itertools, json, os, sqlite3, struct, urllib.parse, zlib
from collections import Counter, namedtuple
import numpy as np
import zstandard

# recv_ms is UTC ms, mono_ns a monotonic clock in ns, raw the frame's bytes. An entry is a row of connection 0.
Row = namedtuple("Row", "seq recv_ms mono_ns conn conn_seq flags feed raw")
FIXED, JS, PYTHON, EXPLICIT = range(4)
CONSTANT, DELTA, DELTA2, REF, REF_DELTA, CLOCK, DOUBLES, PLAIN = range(8)
TO_MS = [lambda t: t, lambda t: t * 1000, lambda t: t / 1000, lambda t: t / 1e6]

class Corrupt(Exception): """Stored bytes aren't what was written, or are of an unknown version."""

MALFORMED = (Corrupt, IndexError, KeyError, StopIteration, ValueError, struct.error, zstandard.ZstdError)

def check(condition, what):
    if not condition: raise Corrupt(what)

def attempt(report, what, read):
    """What `read` returns. If it meets corrupt bytes, reports them and returns None, or raises without a `report`."""
    try:
        return read()
    except MALFORMED as error:
        if report is None:
            raise Corrupt(f"{what}: {error}") from error
        report(f"{what} is corrupt: {error}")

def sha256(*parts):
    return hashlib.sha256(b"".join(parts)).digest()

def unzstd(packed, size):
    """Decompresses a frame of known size. It never takes more memory than that, whatever the frame says."""
    body = zstandard.ZstdDecompressor().stream_reader(packed).read(size + 1)
    check(len(body) == size, "decompressed size")
    return body

class Cursor:
    def __init__(self, data, at=0):
        self.data, self.at = data, at

    def take(self, size):
        part = self.data[self.at : self.at + size]
        check(len(part) == size, "truncated")
        self.at += size
        return part

    def byte(self): return self.take(1)[0]

    def varint(self):
        value = 0
        for shift in range(0, 56, 7):
            byte = self.byte()
            value |= (byte & 127) << shift
            if byte < 128:
                return value
        raise Corrupt("number")

    def signed(self):
        z = self.varint()
        return -(z + 1) // 2 if z % 2 else z // 2

    def sized(self): return self.take(self.varint())

def literal(mantissa, decimals, style):
    """The text of mantissa / 10^decimals."""
    sign, digits = "-" if mantissa < 0 else "", str(abs(mantissa))
    if style in (JS, PYTHON):
        decimals = decimals if mantissa else 0
        while decimals and digits[-1] == "0":
            digits, decimals = digits[:-1], decimals - 1
        exponent = len(digits) - 1 - decimals
        if exponent < (-4 if style == PYTHON else -6):
            fraction = "." + digits[1:] if len(digits) > 1 else ""
            return f"{sign}{digits[0]}{fraction}e-{-exponent:0{2 if style == PYTHON else 1}d}".encode()
    if decimals == 0:
        return f"{sign}{digits}{'.0' if style == PYTHON else ''}".encode()
    digits = digits.zfill(decimals + 1)
    return f"{sign}{digits[:-decimals]}.{digits[-decimals:]}".encode()

def read_column(head, high, low, known):
    """A column of integers: its description from `head`, its bytes from `high` and `low`. `known`: those before it."""
    n = head.varint()
    check(n <= 1 << 20, "count")
    by = head.byte() if n else CONSTANT
    if by == CONSTANT:
        return np.full(n, float(head.signed() if n else 0))
    if by == DOUBLES:
        return np.frombuffer(high.take(8 * n), "<f8")
    check(by <= PLAIN, "encoding")
    first, ref, scale = float(head.signed()), np.zeros(n), 0
    if by in (REF, REF_DELTA, CLOCK):
        at, scale = head.varint(), head.varint()
        check(at < len(known) and len(known[at]) == n, "reference")
        ref = known[at]
    divisor, floor, bits, planes, patches = head.varint(), head.signed(), head.byte(), head.byte(), head.varint()
    patch_bytes = head.varint() if patches else 0
    check(bits <= 24 and 1 <= planes <= 4 and patches < n, "column")
    r = np.full(n - 1, float(floor))
    for plane in range(planes):
        r += np.frombuffer(high.take(n - 1), np.uint8) * 2.0 ** (bits + 8 * plane)
    if bits:
        packed = np.frombuffer(low.take(((n - 1) * bits + 7) // 8), np.uint8)
        r += np.unpackbits(packed, bitorder="little")[: (n - 1) * bits].reshape(n - 1, bits) @ 2.0 ** np.arange(bits)
    patch, at = Cursor(high.take(patch_bytes)), 0
    for _ in range(patches):
        at += patch.varint() + 1
        check(at < n, "patch")
        r[at - 1] = patch.signed()
    r *= divisor
    if by in (DELTA, REF_DELTA):
        r = first - ref[0] * scale + np.cumsum(r) + ref[1:] * scale
    elif by == DELTA2:
        r = first + np.cumsum(np.cumsum(r))
    elif by == REF:
        r = r + ref[1:] * scale + (first - ref[0] * scale)
    elif by == CLOCK:
        r = r + first + np.floor((ref[1:] - (ref[0] - scale)) / 1e6)
    return np.append(first, r)

def read_block(data):
    """A sealed block: its messages in order, and their event times (UTC ms, NaN if undated)."""
    check(len(data) >= 32 and data[:4] == b"TDBK", "header")
    crc, version, head_size, hot_size, hot_packed, cold_size, cold_packed = struct.unpack_from("<7I", data, 4)
    check(zlib.crc32(data[8:]) == crc, "CRC-32")
    check(version == 1, f"version {version} of blocks isn't supported")
    check(hot_size + cold_size <= 1 << 28 and head_size <= hot_size, "sizes")
    body = unzstd(data[32 : 32 + hot_packed], hot_size)
    cold = Cursor(unzstd(data[32 + hot_packed : 32 + hot_packed + cold_packed], cold_size))
    head, hot, low = Cursor(body[:head_size]), Cursor(body, head_size), Cursor(data[32 + hot_packed + cold_packed :])
    feed, count = head.sized().decode(), head.varint()
    keys = [head.sized() if head.byte() else None for _ in range(head.varint())]
    templates = []  # symbol, columns, and the text before, between and after their numbers
    for _ in range(head.varint()):
        symbol, columns = head.sized(), [head.varint() for _ in range(head.varint())]
        templates.append((symbol, columns, [head.sized() for _ in range(len(columns) + 1)]))
    text_sizes = [head.varint() for _ in range(head.varint())]
    ints, numbers = [], []
    def column(high=hot):
        ints.append(read_column(head, high, low, ints))
        return ints[-1]
    seq, conn, conn_seq, mono, recv = column(), column(cold), column(cold), column(cold), column(cold)
    flags, template_of_row, _text_rows = column(), column(), column()
    for _ in keys:
        style, decimals, values = head.byte(), head.byte(), column()
        places = column() if style == EXPLICIT else np.full(len(values), decimals)
        cells = [literal(m, d, style) for m, d in zip(values.astype("i8").tolist(), places.astype("i8").tolist())]
        for at in column().astype("i8"):  # what isn't such a number is stored as its text
            cells[at] = head.sized()
        numbers.append((values / 10.0**decimals, iter(cells)))
    times, encoding = np.full(count, np.nan), head.byte()
    if encoding == 1:
        values, unit = numbers[head.varint()][0], head.varint()
        times = TO_MS[unit](values)
    elif encoding == 2:
        times = column().copy()
        times[column().astype("i8")] = np.nan
    texts = iter([cold.take(size) for size in text_sizes])
    check((head.at, hot.at, cold.at, low.at + 4) == (head_size, hot_size, cold_size, len(low.data)), "sections")
    raws = []
    for template in template_of_row.astype("i8").tolist():
        _, columns, parts = templates[template - 1] if template else (b"", [], [next(texts)])
        cells = [next(numbers[c][1]) for c in columns]
        raws.append(b"".join(itertools.chain(*zip(parts, cells), parts[-1:])))
    stamps = seq.astype("i8"), recv, mono, conn.astype("i8"), conn_seq.astype("i8"), flags.astype("i8")
    return [Row(*row, feed, raw) for *row, raw in zip(*(stamp.tolist() for stamp in stamps), raws)], times

def read_flush(data, feeds):
    """A journal row's data: its leaves (connection, count, head) and its messages."""
    cursor = Cursor(data)
    leaf_count, n = struct.unpack("<2I", cursor.take(8))
    leaves = [struct.unpack("<2I32s", cursor.take(40)) for _ in range(leaf_count)]
    seq, recv, mono = (np.frombuffer(cursor.take(8 * n), "<f8") for _ in range(3))
    conn, conn_seq, ends = (np.frombuffer(cursor.take(4 * k), "<u4").tolist() for k in (n, n, n + 1))
    stamps = zip(seq.astype("i8").tolist(), recv.tolist(), mono.tolist(), conn, conn_seq, cursor.take(n))
    raws = [cursor.take(to - at) for at, to in zip(ends, ends[1:])]
    check(cursor.at == len(data), "lengths")
    return leaves, [Row(*stamp, feeds[stamp[3]], raw) for stamp, raw in zip(stamps, raws)]

def next_head(head, rows):
    """The head of a chain after a flush: messages of one connection, or entries."""
    if rows[0].conn == 0:
        return sha256(head, *(struct.pack("<4d", *row[:3], len(row.raw)) + row.raw for row in rows))
    seq, recv, mono, conn, conn_seq, flags, _, raws = zip(*rows)
    columns = [np.array(c, "<f8") for c in (seq, recv, mono)] + [np.array(c, "<u4") for c in (conn, conn_seq)]
    ends = np.cumsum([0, *map(len, raws)]).astype("<u4")
    return sha256(head, *(c.tobytes() for c in columns), ends.tobytes(), bytes(flags), *raws)

def check_session(session, feeds, runs, rows, closed, report):
    """Checks order, hash chains and close record (or None) of a session. rows: messages and entries by seq. runs: for
    each connection sizes of flushes, how often each repeats, and the stored head after the last of them, or None."""
    heads, flushes, waiting, last, counts = {}, {}, {}, 0, Counter()
    for conn, feed in [(0, ""), *feeds.items()]:
        heads[conn] = sha256(f"tapedeck 1\n{session['session']}\n{conn}\n{feed}".encode())
        each = [(size, end if i == n - 1 else None) for size, n, end in runs.get(conn, []) for i in range(n)]
        flushes[conn], waiting[conn] = each[::-1], []
    for row in rows:
        if row.seq <= last or (row.seq > last + 1 and not session["source"].startswith("import:")):
            report(f"seq {row.seq} follows {last}")
        last, conn = row.seq, row.conn
        counts[conn > 0] += 1
        waiting[conn].append(row)
        if flushes[conn] and len(waiting[conn]) == flushes[conn][-1][0]:
            heads[conn], stored = next_head(heads[conn], waiting[conn]), flushes[conn].pop()[1]
            if stored not in (None, heads[conn]):
                report(f"the hash chain of connection {conn} doesn't match up to seq {last}")
            heads[conn], waiting[conn] = stored or heads[conn], []
    found = [last, counts[True], counts[False], {str(conn): head.hex() for conn, head in heads.items()}]
    if any(flushes.values()) or any(waiting.values()):
        report("the hash chains cover other messages than are stored")
    if closed and found != [closed[name] for name in ("lastSeq", "messages", "entries", "heads")]:
        report("the close record doesn't match what is stored")

class Store:
    """A store as it was when it was opened. Close it soon: while it is open, its write-ahead log can't be emptied."""
    def __init__(self, path):
        check(not os.path.exists(path + "-restoring.json"), "a backup is being restored into this store")
        uri = f"file:{urllib.parse.quote(os.path.abspath(path))}?mode=ro"
        self.db = sqlite3.connect(uri, uri=True, isolation_level=None)
        self.db.execute("BEGIN")
        ids = self.all("SELECT * FROM pragma_application_id, pragma_user_version")[0]
        check(ids == (0x54444B31, 2), "this isn't a store of version 2")
        check(not self.all("SELECT 1 FROM sqlite_schema WHERE type NOT IN ('table', 'index')"), "triggers or views")

    def all(self, sql, *values): return self.db.execute(sql, values).fetchall()

    def sessions(self):
        """All sessions by start; ended_ms and summary (the close record) are None while a session is open."""
        names = "session", "source", "started_ms", "ended_ms", "clean", "id", "sealed_seq", "summary"
        rows = self.all(f"SELECT key, {', '.join(names[1:])} FROM recording ORDER BY started_ms, id")
        return [dict(zip(names, row)) for row in rows]

    def messages(self, session):
        return (row for row in self.rows(session) if row.conn)

    def rows(self, session, report=None):
        """Messages and entries by seq. Raises Corrupt at corrupt rows, or reports them and leaves them out."""
        sql = "SELECT seq, wall_ms, mono_ns, body FROM entry WHERE recording = ? ORDER BY seq"
        entries = [Row(*stamps, 0, 0, 0, "", body.encode()) for *stamps, body in self.all(sql, session["id"])]
        series = self.all("SELECT id, feed FROM series WHERE recording = ?", session["id"])
        journal = (row for _, rows in self.journal(session, report) for row in rows)
        return heapq.merge(entries, *(self.sealed(*one, report) for one in series), journal, key=lambda row: row.seq)

    def sealed(self, series, feed, report):
        def read():
            check(sha256(struct.pack("<9d", series, *index), data)[:8] == total, "checksum")
            rows, times = read_block(data)
            times = [row.recv_ms if np.isnan(t) else t for row, t in zip(rows, times.tolist())]
            bits = Counter(bit for r in rows for bit in (4, 8, 16) if r.flags & bit and (bit != 8 or not r.flags & 4))
            found = [rows[0].seq, rows[-1].seq, min(times), max(times), len(rows), bits[4], bits[8], bits[16]]
            check(found == index and rows[0].feed == feed, "index")
            return rows
        columns = "id, min_seq, max_seq, min_ms, max_ms, count, control, undecodable, unasked, sum, data"
        sql = f"SELECT {columns} FROM block WHERE series = ? ORDER BY min_seq"
        for id, *index, total, data in self.db.execute(sql, (series,)):
            yield from attempt(report, f"block {id}", read) or []

    def journal(self, session, report):
        def read():
            crc = zlib.crc32(data, zlib.crc32(struct.pack("<3d", session["id"], first, last)))
            check(not torn and crc == stored and first > session["sealed_seq"], "checksum or watermark")
            return read_flush(data, feeds)
        feeds = dict(self.all("SELECT conn, feed FROM connection WHERE recording = ?", session["id"]))
        sql = "SELECT id, first_seq, last_seq, torn, crc, data FROM journal WHERE recording = ? ORDER BY first_seq"
        for id, first, last, torn, stored, data in self.db.execute(sql, (session["id"],)):
            flush = attempt(report, f"journal row {id}", read)
            if flush:
                yield flush

    def verify(self, report):
        """Recomputes checksums and hash chains. Calls `report` with a text for each difference."""
        head, log = sha256(b"tapedeck store 1"), {}
        rows = self.all("SELECT n, kind, body, hash FROM store_log ORDER BY n")
        for at, (n, kind, body, stored) in enumerate(rows, 1):
            if n != at or sha256(head, f"{n}\n{kind}\n{body}".encode()) != stored:
                report(f"row {n} of the store log doesn't match its hash chain")
            head, key = stored, attempt(report, f"row {n} of the store log", lambda: json.loads(body)["recording"])
            log[key] = body if kind == "close" else None
            if kind == "delete":
                del log[key]
        if log != {session["session"]: session["summary"] for session in self.sessions()}:
            report("the sessions don't match the store log")
        for session in self.sessions():
            tell = lambda problem, name=session["session"]: report(f"{name}: {problem}")
            attempt(tell, "the session", lambda: self.verify_session(session, tell))

    def verify_session(self, session, report):
        feeds = dict(self.all("SELECT conn, feed FROM connection WHERE recording = ?", session["id"]))
        runs = {conn: [] for conn in [0, *feeds]}
        sql = "SELECT conn, flushes, head FROM chain WHERE recording = ? ORDER BY conn, part"
        for conn, packed, end in self.all(sql, session["id"]):
            cursor = Cursor(packed)
            while cursor.at < len(packed):
                size, n = cursor.varint(), cursor.varint()
                runs[conn].append((size, n, end if cursor.at == len(packed) else None))
        for leaves, _ in self.journal(session, lambda problem: None):  # rows() reports what is corrupt
            for conn, count, end in leaves:
                runs[conn].append((count, 1, end))
        closed = session["summary"] and json.loads(session["summary"])
        check_session(session, feeds, runs, self.rows(session, report), closed, report)
