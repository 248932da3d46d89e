"""`penstock check`: a file that the other commands read, looked through before anything starts."""

from importlib.resources import files
from pathlib import Path

import click

from penstock.cli.completing import policy_names
from penstock.cli.output import say
from penstock.engines.spark.jvm.unstarted import spark_unstarted

EXAMPLE = """
\b
Examples:
  penstock check tenants.yaml
  penstock check tenants.yaml --master spark://127.0.0.1:7077 --policy henge
  penstock check scenarios/henge/fig13.yaml        or a job of `penstock plan`
  penstock check --schema > tenants.schema.json    for your editor
\b
After the last one, begin the file with this line (YAML language server):
  # yaml-language-server: $schema=tenants.schema.json
\b
If the file is wrong, the exit code is 2. Each mistake has a line, such as
  tenants.yaml:9:7: jobs.fraud.max_slot: 4 cannot be used;
  there is no such field; did you mean max_slots?
"""


@click.command(epilog=EXAMPLE)
@click.argument("file", type=click.Path(path_type=Path), required=False)
@click.option("--policy", shell_complete=policy_names, help="Policy that will decide. Default: as in the file.")
@click.option("--master", help="Master that Spark will use. Default: as in the file.")
@click.option("--no-modules", is_flag=True, help="Do not import the jobs' modules.")
@click.option("--schema", is_flag=True, help="Print the JSON Schema of a tenants file, for editors.")
def check(file: Path | None, policy: str | None, master: str | None, no_modules: bool, schema: bool) -> None:
    """Check a YAML file (tenants, scenario or job to plan) without starting anything.

    The command checks fields, modules, functions and their parameters, settings of policies, and settings that
    exclude one another. It reports every mistake with its line and column.
    """
    if schema:
        say(files("penstock.config").joinpath("tenants.schema.json").read_text(encoding="utf-8"), nl=False)
        return
    if file is None:
        raise click.UsageError("Missing argument 'FILE'.")
    from penstock.calls.checked import said_of  # yaml and pydantic take a quarter of a second to import
    from penstock.config.checking import CheckOptions

    say(f"{file}: {said_of(file, CheckOptions(policy, master, None if no_modules else spark_unstarted))}")
