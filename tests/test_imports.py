"""The shape of the house: imports go round in no circle, not even those that only a type checker sees."""

from graphlib import TopologicalSorter

import grimp


def test_no_import_goes_round_in_a_circle() -> None:
    graph = grimp.build_graph("penstock", cache_dir=None)
    imports = {module: graph.find_modules_directly_imported_by(module) for module in graph.modules}
    TopologicalSorter(imports).prepare()  # raises a CycleError that names the circle
