"""The floor plan: cabinets at their places, shaded by the cables that leave them, as SVG text."""

from html import escape

import numpy as np

from topoloom.layout.layout import Layout

_MARGIN = 46


def floorplan_svg(layout: Layout) -> str:
    """Every place of the floor to scale; a used one shows its cabinet's number and switches, darker with more cables out."""
    floor = layout.floor
    rows, columns = floor.shape(layout.cabinets)
    scale = min(860 / (columns * floor.width_m), 620 / (rows * floor.depth_m), 110.0)
    cell_x, cell_y = floor.width_m * scale, floor.depth_m * scale
    switches = np.bincount(layout.cabinet, minlength=layout.cabinets)
    leaving = np.bincount(layout.cabinet[layout.topology.links[layout.between]].ravel(), minlength=layout.cabinets)
    most = max(1, int(leaving.max()))
    width, height = columns * cell_x + 2 * _MARGIN, rows * cell_y + 2 * _MARGIN + 16
    title = (
        f"{layout.topology.name}: {layout.cabinets} cabinets on {rows} x {columns} places of"
        f" {floor.width_m:g} m x {floor.depth_m:g} m"
    )
    out = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:.0f} {height:.0f}"'
        f' font-family="sans-serif" role="img"><title>{escape(title)}</title>'
    ]
    # A hall of empty places would only fill the file.
    for place in range(rows * columns if rows * columns <= 5000 else layout.cabinets):
        x = _MARGIN + place % columns * cell_x
        y = _MARGIN + place // columns * cell_y
        used = place < layout.cabinets
        share = leaving[place] / most if used else 0.0
        fill = (
            f"rgb({round(228 - 150 * share)},{round(238 - 110 * share)},{round(248 - 60 * share)})"
            if used
            else "#ffffff"
        )
        dash = "" if used else ' stroke-dasharray="3 3"'
        hint = (
            f"cabinet {place}: {switches[place]} switches, {leaving[place]} cables leave it" if used else "empty place"
        )
        out.append(
            f'<rect x="{x + 1:.1f}" y="{y + 1:.1f}" width="{cell_x - 2:.1f}" height="{cell_y - 2:.1f}" fill="{fill}"'
            f' stroke="#8793a3" stroke-width="0.8"{dash}><title>{hint}</title></rect>'
        )
        if used:
            ink = "#ffffff" if share > 0.75 else "#1c2733"
            lines = [str(place), f"{switches[place]} sw"] if min(cell_x / 3.4, cell_y / 3) >= 12 else [str(place)]
            out += _lines(lines, x + cell_x / 2, y + cell_y / 2, min(13.0, cell_x / 2.6, cell_y / 1.6), ink)
    out.append(_scale_bars(columns * floor.width_m, rows * floor.depth_m, columns * cell_x, rows * cell_y))
    out.append("</svg>")
    return "\n".join(out)


def _lines(lines: list[str], x: float, y: float, size: float, ink: str) -> list[str]:
    """One or two lines of text around a point; nothing where they would be too small to read."""
    if size < 6:
        return []
    above = y + size * (0.35 if len(lines) == 1 else -0.15)
    return [
        f'<text x="{x:.1f}" y="{above + number * size * 1.1:.1f}" font-size="{size * (1 - 0.15 * number):.1f}" fill="{ink}"'
        f' text-anchor="middle" font-weight="{600 - 200 * number}">{line}</text>'
        for number, line in enumerate(lines)
    ]


def _scale_bars(width_m: float, depth_m: float, width: float, height: float) -> str:
    """The floor's two sides with their lengths in metres."""
    below, left = _MARGIN + height + 14, _MARGIN - 12
    return (
        f'<g stroke="#444" fill="#444" font-size="12"><path fill="none" d="M{_MARGIN} {below}h{width:.1f}'
        f'M{left} {_MARGIN}v{height:.1f}"/>'
        f'<text stroke="none" x="{_MARGIN + width / 2:.1f}" y="{below + 18:.1f}" text-anchor="middle">{width_m:.1f} m</text>'
        f'<text stroke="none" x="{left - 8}" y="{_MARGIN + height / 2:.1f}" text-anchor="middle"'
        f' transform="rotate(-90 {left - 8} {_MARGIN + height / 2:.1f})">{depth_m:.1f} m</text></g>'
    )
