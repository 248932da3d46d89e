"""What a Kafka broker says: where topics end, which rows lie there; and topics that are made at it."""
