"""A figure that a notebook shows by itself, whether or not anybody imported pyplot there."""

from io import BytesIO

from matplotlib.figure import Figure

_DPI = 80.0


class Picture(Figure):
    """matplotlib registers how its figures are shown when pyplot is imported, which nobody need do for this one."""

    def _repr_png_(self) -> bytes:
        drawn = BytesIO()
        self.savefig(drawn, format="png", dpi=_DPI)
        return drawn.getvalue()
