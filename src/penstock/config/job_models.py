"""What the operators of a governed job can do: the file that `penstock plan` reads, and the rate it begins with.

models:
  fraud: fraud-plan.yaml                                     # its first step is what its models say
  revenue: {plan: revenue-plan.yaml, rate: 400, headroom: 1.5}   # and it begins with what 400 rows/s need
"""

from pathlib import Path
from typing import Annotated, Any, ClassVar

from pydantic import BaseModel, ConfigDict, Field, GetCoreSchemaHandler, GetJsonSchemaHandler
from pydantic.json_schema import JsonSchemaValue
from pydantic_core import CoreSchema, core_schema

from penstock.config.fields import A_NUMBER
from penstock.config.plan_job import read_plan_job
from penstock.core.known.job_models import JobModels


class ModelsPart(BaseModel):
    """The models of one job."""

    model_config: ClassVar[ConfigDict] = ConfigDict(extra="forbid", frozen=True, allow_inf_nan=False)

    plan: str  # a file, or a DAG that ships
    rate: Annotated[float, Field(gt=0, le=1e12), A_NUMBER] | None = (
        None  # rows per second that are expected at each source
    )
    headroom: Annotated[float, Field(gt=0, le=1000), A_NUMBER] = 2.0

    def read(self, base: Path, field: str) -> JobModels:
        """The models, from a file below `base`; `field` is the place of this part, for errors."""
        job = read_plan_job(self.plan, base=base, field=field)
        return JobModels(job.models, job.selectivity, self.headroom, job.topology)


class _FileOrPart:
    """A file's name stands for a part with nothing else in it."""

    def __get_pydantic_core_schema__(self, source: Any, handler: GetCoreSchemaHandler) -> CoreSchema:
        return core_schema.no_info_before_validator_function(_as_part, handler(source))

    def __get_pydantic_json_schema__(self, schema: CoreSchema, handler: GetJsonSchemaHandler) -> JsonSchemaValue:
        return {"anyOf": [{"type": "string"}, handler(schema)]}


def _as_part(value: Any) -> Any:
    return {"plan": value} if isinstance(value, str) else value


FileOrPart = Annotated[ModelsPart, _FileOrPart()]
