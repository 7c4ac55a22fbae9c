"""An explanation as text and as a small table for notebooks."""

from html import escape
from typing import TYPE_CHECKING, Any

import numpy as np

from fairpath.explanation.quantities import Comparison, Numbers
from fairpath.uncertainty import Estimate

if TYPE_CHECKING:
    from fairpath.explanation.explanation import Explanation

MOST_ROWS = 12
BAR = 24
POSITIVE, NEGATIVE = "rgb(255,0,81)", "rgb(0,139,251)"


def as_text(explanation: "Explanation") -> str:
    """Return a headline and the largest contributions, with bars."""
    lines = []
    for compared in explanation.compared:
        lines.append(_headline(explanation, compared))
        rows, left = _rows(explanation, compared)
        width = max(len(name) for name, _ in rows)
        largest = max(abs(estimate.value) for _, estimate in rows) or 1.0
        for name, estimate in rows:
            bar = "█" * round(BAR * abs(estimate.value) / largest)
            lines.append(f"  {name:<{width}}  {_signed(estimate)}  {bar}")
        if left:
            lines.append(f"  … and {left} smaller paths: see .table()")
    if explanation.utility is not None:
        lines.append(f"utility {explanation.utility}")
    if explanation.if_contested_cut is not None:
        lines += [_contested(explanation, k) for k in explanation.compared]
    return "\n".join(lines)


def as_html(explanation: "Explanation") -> str:
    """Return the same as a table."""
    parts = []
    for compared in explanation.compared:
        rows, left = _rows(explanation, compared)
        largest = max(abs(estimate.value) for _, estimate in rows) or 1.0
        body = "".join(
            f"<tr><td style='text-align:left'>{escape(name)}</td>"
            f"<td>{estimate.value:+.4f}</td>"
            f"<td style='white-space:nowrap'>{_interval(estimate)}</td>"
            f"<td style='text-align:left'><div style='height:0.8em;width:"
            f"{120 * abs(estimate.value) / largest:.0f}px;background:"
            f"{POSITIVE if estimate.value > 0 else NEGATIVE}'></div></td></tr>"
            for name, estimate in rows
        )
        more = f"<p>… and {left} smaller paths</p>" if left else ""
        parts.append(
            f"<p><b>{escape(_headline(explanation, compared))}</b></p>"
            "<table><thead><tr><th>path</th><th>contribution</th><th>95 % interval</th><th></th>"
            f"</tr></thead><tbody>{body}</tbody></table>{more}"
        )
    if explanation.utility is not None:
        parts.append(f"<p>utility {explanation.utility}</p>")
    if explanation.if_contested_cut is not None:
        parts += [f"<p>{escape(_contested(explanation, k))}</p>" for k in explanation.compared]
    notes = "".join(f"<li>{escape(note)}</li>" for note in explanation.notes)
    parts.append(f"<details><summary>notes</summary><ul>{notes}</ul></details>" if notes else "")
    return "".join(parts)


def _headline(explanation: "Explanation", compared: Comparison) -> str:
    setting, levels = explanation.setting, explanation.levels
    name = explanation.viewpoint.name
    if compared.view.outcome is not None:
        name += f" among {setting.outcome} = {_outcome_of(explanation, compared)}"
    return (
        f"{name}, {setting.output}: {setting.sensitive} = {levels[compared.stratum]} minus "
        f"{levels[explanation.reference]}: {_at(explanation, explanation.disparity, compared)}"
    )


def _outcome_of(explanation: "Explanation", compared: Comparison) -> str:
    favoured = explanation.setting.favourable
    return str(favoured) if compared.view.outcome == 1 else f"not {favoured}"


def _contested(explanation: "Explanation", compared: Comparison) -> str:
    contested = "; ".join(str(path) for path in explanation.contested) or "none"
    whom = str(explanation.levels[compared.stratum])
    if compared.view.outcome is not None:
        whom += f" among {explanation.setting.outcome} = {_outcome_of(explanation, compared)}"
    return (
        f"if only the allowed paths carried {explanation.setting.sensitive}, the disparity of "
        f"{whom} would be "
        f"{_at(explanation, explanation.if_contested_cut, compared)}; contested: {contested}"
    )


def _at(explanation: "Explanation", found: Any, compared: Comparison) -> object:  # noqa: ANN401
    """Return the estimate of a comparison, be it the only one."""
    if compared.view.outcome is not None:
        found = found[compared.view.outcome]
    return found[explanation.levels[compared.stratum]] if isinstance(found, dict) else found


def _rows(
    explanation: "Explanation", compared: Comparison
) -> tuple[list[tuple[str, Estimate]], int]:
    """Return the largest contributions and what no path carries; how many paths are left out."""
    found = explanation.estimates_at(compared)
    place = Numbers(len(explanation.paths))
    start = place.contributions.start
    order = np.argsort(-np.abs(found.values[place.contributions]), kind="stable")
    shown = order if len(order) <= MOST_ROWS + 1 else order[:MOST_ROWS]
    rows = [(str(explanation.paths[i]), found[start + int(i)]) for i in shown]
    if compared.view.apart is not None:
        rows.append((compared.view.apart, found[place.apart]))
    return [*rows, ("remainder", found[place.remainder])], len(order) - len(shown)


def _signed(estimate: Estimate) -> str:
    interval = _interval(estimate)
    return f"{estimate.value:+.4f} {interval}" if interval else f"{estimate.value:+.4f}"


def _interval(estimate: Estimate) -> str:
    if np.isnan(estimate.low):
        return ""
    return f"[{estimate.low:+.4f}, {estimate.high:+.4f}]"
