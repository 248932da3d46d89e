"""What slots cost, as files state it: {slot_hour: 0.05, currency: EUR}, or executor_hour instead of slot_hour."""

from typing import Annotated, ClassVar

from pydantic import BaseModel, ConfigDict, Field, model_validator

from penstock.config.fields import A_NUMBER, within
from penstock.core.asked.price import MOST_AN_HOUR, Price
from penstock.errors import ConfigError


class PricePart(BaseModel):
    """What an hour costs: of a slot, or of an executor with all its slots."""

    model_config: ClassVar[ConfigDict] = ConfigDict(extra="forbid", frozen=True, allow_inf_nan=False)

    slot_hour: Annotated[float, Field(gt=0, le=MOST_AN_HOUR), A_NUMBER] | None = None
    executor_hour: Annotated[float, Field(gt=0, le=MOST_AN_HOUR), A_NUMBER] | None = None
    currency: Annotated[str, Field(max_length=12)] = ""

    @model_validator(mode="after")
    def _one_of_them(self) -> "PricePart":
        if (self.slot_hour is None) == (self.executor_hour is None):
            remedy = "write slot_hour or executor_hour, one of the two"
            raise within(ConfigError("slot_hour", self.slot_hour, remedy))
        return self

    def of_slots(self, executor_slots: float) -> Price:
        """What a slot costs, where an executor has so many.

        >>> PricePart(executor_hour=0.4, currency="EUR").of_slots(4)
        Price(slot_hour=0.1, currency='EUR')
        """
        if self.executor_hour is not None:
            return Price(self.executor_hour / executor_slots, self.currency)
        assert self.slot_hour is not None  # one of the two
        return Price(self.slot_hour, self.currency)
