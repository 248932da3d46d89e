"""`penstock intents`: what tenants ask for, in words; to OpenSLO, and from it."""

from pathlib import Path

import click

from penstock.cli.output import say, write_json
from penstock.cli.recorded import json_option

EXAMPLE = """
\b
Examples:
  penstock intents tenants.yaml
  penstock intents tenants.yaml --openslo > slos.yaml
  penstock intents slos.yaml                 (back to jobs with intents)
"""


@click.command(epilog=EXAMPLE)
@click.argument("file", type=click.Path(path_type=Path, dir_okay=False))
@click.option("--openslo", is_flag=True, help="Write them as OpenSLO v1 documents.")
@click.option("--run", default=None, help="Name of the run in the metric queries. Default: the file's name.")
@json_option
def intents(file: Path, openslo: bool, run: str | None, json_out: str | None) -> None:
    """Show what the tenants of FILE ask for. FILE is a tenants file or has OpenSLO documents."""
    import yaml

    from penstock.config.document import Document, document_in, is_openslo, read_text
    from penstock.config.openslo import openslo_in, to_openslo
    from penstock.config.wanted import wanted_in
    from penstock.core.asked.hours import instant_text

    text = read_text(file, "FILE")
    if is_openslo(text):
        read = openslo_in(text, file)
        wanted_in_words = {"jobs": list(read.jobs)}
        wanted_in(Document(str(file), wanted_in_words))  # what is wrong with it is said here, too
        for left_out in read.left_out:
            say(f"penstock: {left_out}", err=True)
        if json_out is not None:
            write_json(json_out, wanted_in_words)
        if json_out != "-":
            say(yaml.safe_dump(wanted_in_words, sort_keys=False, default_flow_style=None), nl=False)
        return
    document = document_in(text, file, "tenants file")
    wanted = wanted_in(document)
    slos = to_openslo(run or str(document.values.get("name", "tenants")), wanted)
    if json_out is not None:
        write_json(json_out, slos if openslo else {name: asked.text() for name, asked in wanted.asked().items()})
    if json_out == "-":
        return
    if openslo:
        say(yaml.safe_dump_all(slos, sort_keys=False), nl=False)
        return
    for name, intent in wanted.asked().items():
        budget = "" if intent.budget is None else f"; to be kept in {intent.budget.text()}"
        but = ", ".join(
            f"{one.why} from {instant_text(one.from_epoch_s)} to {instant_text(one.to_epoch_s)}"
            for one in intent.excluded
        )
        say(f"{name}: {intent.text()}, worth {intent.max_utility:g}{budget}{f'; but not during {but}' if but else ''}")
