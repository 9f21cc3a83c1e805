"""Holds what is answered to AWS clients against AWS's own models, which are part of botocore."""

import json
import re

from amazon_model import model

characters = {"L": r"\w", "M": "", "N": r"\w", "S": r"!-/:-@\[-`{-~", "P": r"!-/:-@\[-`{-~", "Z": " "}
"""What a class of Unicode is in the texts of the tests, within a class of a pattern."""

common_errors = {
    "AccessDeniedException", "IncompleteSignatureException", "InvalidSignatureException", "MissingAuthenticationToken",
    "SignatureDoesNotMatch", "UnknownOperationException", "UnrecognizedClientException"}
"""The errors of every service ("Common Errors" in AWS's references), which no operation lists."""


class Answers:
    """Every answer that clients received, as its JSON text says."""

    def __init__(self):
        self.bodies = {}
        """The bodies of successful answers, by service and operation."""
        self.errors = {}
        """The codes of errors, by service and operation."""

    def record(self, client):
        """Records the answers to a client from now on. Returns the client."""
        client.meta.events.register("before-parse", self._receive)
        return client

    def _receive(self, operation_model, response_dict, **_):
        key = operation_model.service_model.service_name, operation_model.name
        body = json.loads(response_dict["body"] or b"null")
        if response_dict["status_code"] == 200:
            self.bodies.setdefault(key, []).append(body)
        else:
            self.errors.setdefault(key, set()).add(body["__type"])

    def faults(self, service, operation):
        """What the model does not allow in the answers of an operation."""
        found = []
        for body in self.bodies.get((service, operation), []):
            found += faults(service, operation, body)
        return found

    def members(self, service, operation):
        """The paths of all members in the answers of an operation."""
        found = set()
        for body in self.bodies.get((service, operation), []):
            found |= members(body)
        return found

    def foreign_errors(self, service, operation):
        """The errors that the model does not list for an operation."""
        listed = {error["shape"] for error in model(service)["operations"][operation].get("errors", [])}
        return self.errors.get((service, operation), set()) - listed - common_errors


def faults(service, operation, body):
    """Returns what the model of an operation does not allow in the body of an answer, each as a text."""
    described = model(service)
    output = described["operations"][operation].get("output")
    if output is None:
        return [] if body in (None, {}) else [f"{operation} answers nothing, but {body!r:.60} came"]
    found = []
    examine(described["shapes"], output["shape"], body, operation, found)
    return found


def examine(shapes, name, value, place, found):
    shape = shapes[name]
    kind = shape["type"]
    if not isinstance(value, kinds[kind]) or (isinstance(value, bool) and kind != "boolean"):
        found.append(f"{place}: {value!r:.60} is no {kind}")
    elif kind == "structure":
        for key in value:
            if key not in shape["members"]:
                found.append(f"{place}.{key} is no member")
        for key, inner in shape["members"].items():
            if key in value:
                examine(shapes, inner["shape"], value[key], f"{place}.{key}", found)
            elif key in shape.get("required", []):
                found.append(f"{place}.{key} is missing")
    elif kind == "list":
        for item in value:
            examine(shapes, shape["member"]["shape"], item, f"{place}[]", found)
        bounded(shape, len(value), place, found)
    elif kind == "map":
        for key, inner in value.items():
            examine(shapes, shape["key"]["shape"], key, f"{place}{{}}", found)
            examine(shapes, shape["value"]["shape"], inner, f"{place}.{key}", found)
    elif kind == "string":
        if "enum" in shape and value not in shape["enum"]:
            found.append(f"{place}: {value!r:.60} is none of {shape['enum']}")
        pattern = re.sub(r"\\p\{(\w)\}", lambda match: characters[match[1]], shape.get("pattern", "(?s).*"))
        if re.fullmatch(pattern, value) is None:
            found.append(f"{place}: {value!r:.60} has not the form {shape['pattern']}")
        bounded(shape, len(value), place, found)
    elif kind in ("integer", "long"):
        bounded(shape, value, place, found)


kinds = {
    "structure": dict, "map": dict, "list": list, "string": str, "boolean": bool, "integer": int, "long": int,
    "double": (int, float), "float": (int, float), "timestamp": (int, float)}
"""What JSON has for each type: times are numbers in the bodies of these protocols."""


def bounded(shape, size, place, found):
    if not shape.get("min", size) <= size <= shape.get("max", size):
        found.append(f"{place}: {size} is not from {shape.get('min')} to {shape.get('max')}")


def members(value, path=""):
    """Returns the paths of all members of a JSON value, such as `Users[].Username`."""
    if isinstance(value, list):
        return set().union(*(members(item, path + "[]") for item in value)) if value else set()
    if not isinstance(value, dict):
        return set()
    found = set()
    for key, inner in value.items():
        place = f"{path}.{key}" if path else key
        found |= {place} | members(inner, place)
    return found
