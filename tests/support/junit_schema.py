"""What JUnit XML may hold: the common part of the schemas of Jenkins' xUnit plugin (junit-10.xsd, with times as it had them
before 3.0), of Maven (surefire-test-report.xsd) and of Ant's <junitreport>."""

import re
import xml.etree.ElementTree as ElementTree

TIME = re.compile(r"(([0-9]{0,3},)*[0-9]{3}|[0-9]{0,3})*(\.[0-9]{0,3})?")
# Of each element: the attributes that it must have, the others that it may have, and its children in their order.
ELEMENTS = {
    "testsuites": (set(), {"name", "time", "tests", "failures", "errors"}, ["testsuite"]),
    "testsuite": ({"name", "tests", "failures", "errors", "skipped"}, {"time"}, ["properties", "testcase", "system-out"]),
    "properties": (set(), set(), ["property"]),
    "property": ({"name", "value"}, set(), []),
    "testcase": ({"name", "classname", "time"}, set(), ["skipped", "error", "failure", "system-out"]),
    "failure": ({"type"}, {"message"}, []),
    "error": ({"type"}, {"message"}, []),
    "skipped": (set(), {"message"}, []),
    "system-out": (set(), set(), []),
}
REPEATED = {"testsuite", "testcase", "property"}
WITH_TEXT = {"failure", "error", "skipped", "system-out"}


def faults_of(element):
    """What is wrong with the element and those in it, as lines."""
    if element.tag not in ELEMENTS:
        return [f"element {element.tag}"]
    required, allowed, order = ELEMENTS[element.tag]
    out = [f"{element.tag} has no {name}" for name in required - set(element.keys())]
    out += [f"{element.tag} has {name}" for name in set(element.keys()) - required - allowed]
    out += [f"time {value}" for name, value in element.items() if name == "time" and not TIME.fullmatch(value)]
    out += [f"{name} {value}" for name, value in element.items()
            if name in ("tests", "failures", "errors", "skipped") and not value.isdigit()]
    if element.tag not in WITH_TEXT and (element.text or "").strip():
        out.append(f"{element.tag} has text")
    tags = [child.tag for child in element]
    out += [f"{element.tag} holds {tag}" for tag in tags if tag not in order]
    if sorted(tags, key=lambda tag: order.index(tag) if tag in order else 0) != tags:
        out.append(f"{element.tag} holds {tags}, out of order")
    out += [f"{element.tag} holds {tag} twice" for tag in set(tags) - REPEATED if tags.count(tag) > 1]
    for child in element:
        out += faults_of(child)
    return out


def faults_of_file(path):
    return faults_of(ElementTree.parse(path).getroot())
