"""Intents as JSON text and back."""

import json

from penstock.core.asked.intent_plain import intent_of_plain, plain_intent
from penstock.core.asked.intents import Intent
from penstock.store.codec import plain_of


def encode_intent(intent: Intent) -> str:
    """The intent as JSON text, the same for equal intents."""
    return json.dumps(plain_intent(intent), separators=(",", ":"))


def decode_intent(text: str) -> Intent:
    """The intent that was encoded."""
    return intent_of_plain(plain_of(text))
