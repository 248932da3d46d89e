"""What of an OpenSLO document must be a mapping or a list, before anything is looked for in it."""

from collections.abc import Mapping
from typing import Any, ClassVar

from pydantic import BaseModel, ConfigDict, Field

from penstock.config.document import Document
from penstock.config.problems import tried
from penstock.errors import ConfigError


class _Shape(BaseModel):
    model_config: ClassVar[ConfigDict] = ConfigDict(extra="ignore", frozen=True)


class _MetricSource(_Shape):
    spec: dict[str, Any] | None = None


class _Threshold(_Shape):
    metric_source: _MetricSource | None = Field(None, alias="metricSource")


class _IndicatorSpec(_Shape):
    threshold_metric: _Threshold | None = Field(None, alias="thresholdMetric")


class _Indicator(_Shape):
    spec: _IndicatorSpec | None = None


class _Metadata(_Shape):
    annotations: dict[str, Any] | None = None


class _Spec(_Shape):
    indicator: _Indicator | None = None
    objectives: list[dict[str, Any]] | None = None
    time_window: list[dict[str, Any]] | None = Field(None, alias="timeWindow")


class _Slo(_Shape):
    metadata: _Metadata | None = None
    spec: _Spec | None = None


def check_shape(name: str, slo: Mapping[str, Any]) -> None:
    """A ConfigError that names the SLO and the first field of it that is of another kind.

    >>> check_shape("fresh", {"spec": {"objectives": [{"op": "lt"}]}})
    """
    _, errors = tried(_Slo, slo, Document(name, dict(slo)))
    if errors:
        first = errors[0]
        raise ConfigError(f"{name}.{first.field}", first.value, first.remedy)
