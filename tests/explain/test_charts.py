"""The pictures of trust: they parse, show what they should, and say it in words."""

from __future__ import annotations

import xml.etree.ElementTree as ET

from postil.explain.charts import Bin, Step, coverage_curve, reliability_diagram

BINS = [Bin(0.55, 10, 5, 0.2, 0.8), Bin(0.75, 5, 4, 0.4, 0.95), Bin(0.95, 40, 39, 0.9, 1.0)]
STEPS = [Step(percent / 100, (99 - percent) / 19) for percent in range(80, 100)]


def parsed(picture: str) -> ET.Element:
    return ET.fromstring(picture)


def test_a_circle_a_bin_with_its_range():
    svg = parsed(reliability_diagram(BINS, "Sure & right"))
    circles = svg.findall("circle")
    assert len(circles) == 3
    assert len(svg.findall("path[@class='range']")) == 3
    # More sure stands further right, more often right higher, more answers larger.
    assert [float(one.get("cx", "")) for one in circles] == sorted(
        float(one.get("cx", "")) for one in circles
    )
    assert float(circles[2].get("cy", "")) < float(circles[0].get("cy", ""))
    assert float(circles[2].get("r", "")) > float(circles[1].get("r", ""))


def test_a_point_on_the_dashed_line_is_as_right_as_sure():
    svg = parsed(reliability_diagram([Bin(0.6, 5, 3, 0.2, 0.9), Bin(1.0, 5, 5, 0.5, 1.0)], "x"))
    line = svg.find("path[@class='ideal']")
    assert line is not None
    start, end = line.get("d", "")[1:].split("L")
    x0, y0 = map(float, start.split())
    x1, y1 = map(float, end.split())
    for circle in svg.findall("circle"):
        x, y = float(circle.get("cx", "")), float(circle.get("cy", ""))
        assert abs(y0 + (y1 - y0) * (x - x0) / (x1 - x0) - y) < 0.2


def test_both_say_in_words_what_they_show():
    diagram = parsed(reliability_diagram(BINS, 'Sure "&" <right>'))
    assert diagram.findtext("title") == 'Sure "&" <right>'
    assert "about 95% sure: right 39 times out of 40" in (diagram.findtext("desc") or "")
    curve = parsed(coverage_curve(STEPS, Step(0.9, 0.47), "Passing"))
    assert "at 80%, 100% of the answers" in (curve.findtext("desc") or "")
    assert "Chosen: 90%" in (curve.findtext("desc") or "")
    for svg in (diagram, curve):
        ids = {one.get("id") for one in svg.iter()} - {None}
        assert set((svg.get("aria-labelledby") or "").split()) == ids


def test_no_style_and_no_script_comes_along():
    for picture in (reliability_diagram(BINS, "x"), coverage_curve(STEPS, STEPS[3], "x")):
        assert "style" not in picture
        assert "<script" not in picture


def test_the_chosen_accuracy_is_marked_where_it_lies():
    low = parsed(coverage_curve(STEPS, STEPS[0], "x")).find("circle")
    high = parsed(coverage_curve(STEPS, STEPS[-1], "x")).find("circle")
    assert low is not None
    assert high is not None
    assert float(low.get("cx", "")) < float(high.get("cx", ""))
    assert float(low.get("cy", "")) < float(high.get("cy", ""))  # more passes: it stands higher


def test_confidences_below_one_half_widen_the_diagram():
    svg = parsed(reliability_diagram([Bin(0.42, 5, 1, 0.0, 0.6), Bin(0.9, 5, 5, 0.5, 1.0)], "x"))
    marks = [one.text for one in svg.findall("text")]
    assert "40%" in marks
    assert all(float(one.get("cx", "")) >= 40 for one in svg.findall("circle"))
