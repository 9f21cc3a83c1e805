"""Generates requests at the limits of botocore's models of AWS's services.

For each member of a request, the generated values are just allowed, or just not allowed, by the model.
"""

import copy
import gzip
import json
import pathlib
import re
from dataclasses import dataclass

import botocore

versions = {
    "location": "2020-11-19", "events": "2015-10-07", "cognito-idp": "2016-04-18", "cognito-identity": "2014-06-30",
    "cognito-sync": "2014-06-30"}


def model(service):
    """Returns botocore's model of a service, unchanged."""
    file = pathlib.Path(botocore.__file__).parent / "data" / service / versions[service] / "service-2.json"
    packed = file.with_name(file.name + ".gz")
    return json.loads(gzip.open(packed).read() if packed.exists() else file.read_bytes())


@dataclass
class Trial:
    """One value to try for one member, and whether the model allows it."""

    operation: str
    member: str
    """For example `Updates[].DeviceId`."""
    path: tuple
    value: object
    is_allowed: bool
    why: str
    location: str

    @property
    def name(self):
        return f"{self.operation}.{self.member}"

    def __str__(self):
        kind = "allowed" if self.is_allowed else "not allowed"
        return f"{self.name} {kind}, {self.why}: {self.value!r:.60}"


letters = {
    r"[-._\w]+": ("aZ0_.-", " /:é\u0434"), r"[-._\p{L}\p{N}]+": ("aZ0_.-\u0434\u0660\u00bd", " /:+\u0301"),
    r"([\p{L}\p{Z}\p{N}_.,:/=+\-@]*)": ("aZ0_.,:/=+-@ \u0434", "#%!\n"), r"[\.\-_A-Za-z0-9]+": ("aZ0_.-", " /:é"),
    r"[A-Za-z0-9\_\-]+": ("aZ0_-", " .é"),
}
"""For patterns of one character class: characters inside and outside the class."""

wholes = {
    "arn(:": (["arn:aws:geo:us-east-1:1:tracker/x", "arn:a:b:::", "arn:aws-cn:s3:::c d"],
              ["arn:aws:geo:us-east-1:1", "urn:aws:geo:us-east-1:1:tracker/x", "arn:aws:GEO:us-east-1:1:tracker/x",
               "arn:aws:geo:us--east:1:tracker/x", "arn::geo:us-east-1:1:tracker/x", "arn:aws:geo:us-east-1:1:/x"]),
    "(arn:aws": (["default", "arn:aws:events:us-east-1:000000000000:event-bus/default", "a.b-c_d"],
                 ["a b", "arn:aws:events:us-east-1:1:event-bus/default",
                  "arn:aws:events:useast:000000000000:event-bus/default",
                  "arn:aws:sqs:us-east-1:000000000000:event-bus/default", "b:us"]),
    r"^[A-Za-z0-9\-]+[\.]": (["abc.d-1"], ["abc", "a_b.c", "a.b.c", ".b"]),
}
"""For other patterns, by their beginning: matching and other values."""


def trials(service, operation, base):
    """Returns trials of every constrained member of an operation that the valid request `base` contains."""
    described = model(service)
    shapes = described["shapes"]
    found = []

    def add(member, path, value, is_allowed, why, location):
        found.append(Trial(operation, member, path, value, is_allowed, why, location))

    def walk(shape_name, member, path, location, sound):
        shape = shapes[shape_name]
        for value, is_allowed, why in around(shape, sound):
            if location == "uri" and (value == "" or "\n" in str(value)):
                continue
            add(member, path, value, is_allowed, why, location)
        kind = shape["type"]
        if kind == "structure" and isinstance(sound, dict):
            for key, inner in shape["members"].items():
                if key not in sound:
                    continue
                place = f"{member}.{key}" if member else key
                walk(inner["shape"], place, (*path, key), inner.get("location", location), sound[key])
                if key in shape.get("required", []) and inner.get("location") != "uri":
                    add(place, (*path, key), Missing, False, "missing", inner.get("location", location))
        elif kind == "list" and sound:
            walk(shape["member"]["shape"], f"{member}[]", (*path, 0), location, sound[0])
        elif kind == "map" and sound:
            key = next(iter(sound))
            for value, is_allowed, why in around(shapes[shape["key"]["shape"]], key):
                add(f"{member}{{key}}", path, {value: sound[key]}, is_allowed, why, location)
            walk(shape["value"]["shape"], f"{member}{{value}}", (*path, key), location, sound[key])

    walk(described["operations"][operation]["input"]["shape"], "", (), "body", base)
    return [trial for trial in found if trial.path]


class Missing:
    """Stands for a member that a trial leaves out."""


def around(shape, sound):
    """Yields values at the limits of a shape, each with whether the model allows it and a description."""
    kind = shape["type"]
    least, most = shape.get("min"), shape.get("max")
    if kind == "string":
        if "enum" in shape:
            yield from ((word, True, "of the list") for word in shape["enum"])
            yield shape["enum"][0].lower() + "x", False, "not of the list"
            return
        pattern = shape.get("pattern")
        if pattern is None and least is None and most is None:
            return
        if pattern is None or pattern in letters:
            good, bad = letters.get(pattern, ("a\u0434 :", ""))
            yield from ((good[0] * most, True, "the longest") for _ in [0] if most and most <= 10_000)
            yield from ((good[0] * (most + 1), False, "too long") for _ in [0] if most and most <= 10_000)
            yield (good * 8)[:max(least or 1, min(most or 8, 8))], True, "every kind of character"
            yield from ((good[0] + letter, False, f"with {letter!r}") for letter in bad)
            if least:
                yield good[0] * least, True, "the shortest"
                yield good[0] * (least - 1), False, "too short"
        else:
            good, bad = next(found for start, found in wholes.items() if pattern.startswith(start))
            yield from ((text, True, "of the form") for text in good)
            yield from ((text, False, "not of the form") for text in bad)
    elif kind in ("integer", "long", "double", "float"):
        if least is not None:
            yield least, True, "the least"
            yield least - 1, False, "too little"
        if most is not None:
            yield most, True, "the most"
            yield most + 1, False, "too much"
    elif kind == "list" and sound:
        if least:
            yield sound[:1] * (least - 1), False, "too few"
        if most is not None and most <= 250:
            yield [copy.deepcopy(sound[-1]) for _ in range(most + 1)], False, "too many"
    elif kind == "map" and sound:
        if most is not None and most <= 100:
            value = next(iter(sound.values()))
            yield {f"k{number}": value for number in range(most)}, True, "the most"
            yield {f"k{number}": value for number in range(most + 1)}, False, "too many"


def request(base, trial):
    """Returns the valid request `base` with the trial's value in its place."""
    changed = copy.deepcopy(base)
    place = changed
    for key in trial.path[:-1]:
        place = place[key]
    if trial.value is Missing:
        del place[trial.path[-1]]
    else:
        place[trial.path[-1]] = copy.deepcopy(trial.value)
    return changed


def documented(page):
    """Returns the members that a table in the documentation lists as different from the model."""
    return set(re.findall(r"^\| `([A-Za-z*]+\.[^`]*)` \|", page, re.MULTILINE))


def is_documented(trial, members):
    return any(member in members for member in (trial.name, f"*.{trial.member}", f"*.{trial.path[-1]}"))
