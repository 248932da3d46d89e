"""What slots cost, as the tenants file states it, and amounts in words."""

from dataclasses import dataclass

MOST_AN_HOUR = 1_000_000  # of one slot, in whatever currency


@dataclass(frozen=True, slots=True)
class Price:
    """What an hour of one slot costs."""

    slot_hour: float
    currency: str = ""

    def of(self, slots: float) -> float:
        """What so many slots cost an hour.

        >>> Price(0.05).of(4)
        0.2
        """
        return self.slot_hour * slots

    def text(self, amount: float) -> str:
        """An amount in the file's currency; small ones with the digits that say something.

        >>> Price(0.1, "EUR").text(12.4), Price(0.1).text(0.0031), Price(0.1, "USD").text(1234.6)
        ('12.40 EUR', '0.0031', '1,235 USD')
        """
        digits = 0 if amount >= 1000 else 2 if amount >= 0.1 or amount == 0 else 4
        return f"{amount:,.{digits}f} {self.currency}".rstrip()
