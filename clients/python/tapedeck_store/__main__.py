"""Command line of the reader. Exit code: 0, or 1 if something is corrupt.

sessions: one JSON object a line. messages: one JSON object a line, in the order of seq, as "tapedeck export --format
jsonl --raw" writes them but without the symbol; raw_base64 stands for raw if the message isn't UTF-8.
"""
import argparse, base64, json, os, sqlite3, sys
from . import Corrupt, Store
from .session_file import SessionFile

ESCAPES = {**{c: f"\\u{c:04x}" for c in range(32)}, ord('"'): '\\"', ord("\\"): "\\\\"}

def message_line(row):
    """A message as JSON. A time is written without a fraction if it has none."""
    recv_ms = int(row.recv_ms) if row.recv_ms == int(row.recv_ms) else row.recv_ms
    try:
        raw = f'"raw":"{row.raw.decode().translate(ESCAPES)}"'
    except UnicodeDecodeError:
        raw = f'"raw_base64":"{base64.b64encode(row.raw).decode()}"'
    return f'{{"feed":"{row.feed}","recv_ms":{recv_ms},"seq":{row.seq},{raw}}}\n'

def main():
    parser = argparse.ArgumentParser(prog="tapedeck_store", description="Reads Tapedeck's stores and session files.")
    parser.add_argument("command", choices=("sessions", "messages", "verify"))
    parser.add_argument("path", help="tapedeck.db, or a .tapedeck file")
    parser.add_argument("--session", metavar="ID", help="messages of this session only")
    parser.add_argument("--feed", help="messages of this feed only")
    options = parser.parse_args()
    with open(options.path, "rb") as file:
        is_session_file = file.read(8) == b"TAPEDECK"
    source = (SessionFile if is_session_file else Store)(options.path)
    out = sys.stdout.buffer
    if options.command == "verify":
        problems = []
        source.verify(problems.append)
        print(*problems, f"{len(problems)} differences" if problems else "All as recorded.", sep="\n")
        return 1 if problems else 0
    for session in source.sessions():
        if options.command == "sessions":
            print(json.dumps({name: value for name, value in session.items() if name != "summary"}))
        elif options.session in (None, session["session"]):
            for row in source.messages(session):
                if options.feed in (None, row.feed):
                    out.write(message_line(row).encode())
    return 0

if __name__ == "__main__":
    try:
        sys.exit(main())
    except BrokenPipeError:  # such as "| head"
        os._exit(1)
    except (Corrupt, OSError, sqlite3.Error) as error:
        sys.exit(f"tapedeck_store: {error}")
