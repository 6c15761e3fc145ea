"""What the client raises."""

from __future__ import annotations

import json
from typing import Any, Optional, Union


class TapedeckError(Exception):
    """A refusal or failure. `code` is stable, the message a sentence, `hint` says what to do next."""

    def __init__(self, code: str, message: str, hint: Optional[str] = None) -> None:
        super().__init__(message if hint is None else f"{message} {hint}")
        self.code = code
        self.hint = hint


def offline(message: str) -> TapedeckError:
    return TapedeckError("offline", message, "Check that tapedeck serve --api is running.")


def unexpected(message: str) -> TapedeckError:
    return TapedeckError("unexpected-answer", message, "Check that the address is Tapedeck's.")


def truncated() -> TapedeckError:
    return TapedeckError("truncated", "The stream ended early.", "Ask for it again.")


def refusal(status: object, body: bytes) -> TapedeckError:
    """What an answer with a status of 400 or more says."""
    try:
        failure = json.loads(body)["error"]
        return TapedeckError(str(failure["code"]), str(failure["message"]), failure.get("hint"))
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        return unexpected(f"The answer was {status}.")


def parse(text: Union[bytes, str]) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError) as error:
        raise unexpected("The answer isn't JSON.") from error
