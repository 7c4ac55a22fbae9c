"""Text that keeps its size relative to the axes' units, as boxes do. Needs matplotlib."""

from typing import Any

from matplotlib.backend_bases import RendererBase
from matplotlib.text import Text
from matplotlib.transforms import Bbox

from fairpath.plots.canvas import POINTS


class FittedText(Text):
    """Text whose letters are ``units`` of the x axis high, however large the axes become.

    Axes get their size when the figure is laid out, which is after they were drawn on.
    """

    def __init__(self, x: float, y: float, text: str, *, units: float, **look: Any) -> None:  # noqa: ANN401
        super().__init__(x, y, text, fontsize=units, clip_on=False, **look)
        self.units = units

    def draw(self, renderer: RendererBase) -> None:
        """Draw in the size that fits."""
        self._fit()
        super().draw(renderer)

    def get_window_extent(
        self, renderer: RendererBase | None = None, dpi: float | None = None
    ) -> Bbox:
        """Return the box of the text in the size that fits."""
        self._fit()
        return super().get_window_extent(renderer, dpi)

    def _fit(self) -> None:
        if self.axes is None or self.figure is None:
            return
        (left, _), (right, _) = self.axes.transData.transform([(0.0, 0.0), (1.0, 0.0)])
        size = float(self.units * abs(right - left) * POINTS / self.figure.dpi)
        if size > 0 and size != self.get_fontsize():
            self.set_fontsize(size)
