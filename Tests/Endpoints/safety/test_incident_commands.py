"""What the command line says of people and does in an incident."""

import json

from muster_process import run


def test_people_are_marked_and_an_incident_is_followed_to_its_report(server):
    def muster(*arguments, **more):
        return run(*arguments, data=server.data, **more)

    team, ann, ben = "crew", "ann", "ben"
    muster("team", "add", team)
    for name in (ann, ben):
        muster("user", "add", name, "--team", team)
    assert muster("person", "sos", ann, "--note", "stairs").split("\t")[:2] == [ann, "SOS"]
    assert "acknowledged by" not in muster("team", "status", team)
    muster("person", "acknowledge", ann)
    assert "acknowledged by" in muster("team", "status", team)
    assert json.loads(muster("person", "clear", ann, "--json"))["safety"]["state"] == "unknown"
    line = muster("incident", "start", team, "--drill", "--note", "spring")
    assert line.startswith("DRILL ") and line.rstrip().endswith("open")
    number = line.split()[1]
    assert number in muster("incident", "list")
    muster("person", "safe", ann)
    lines = muster("incident", "show", number).splitlines()
    assert lines[1:3] == ["led by admin", "1 of 2 accounted for, 0 checking, 1 unaccounted"]
    assert lines[3].startswith(f"accounted\t{ann}\tsafe\t") and lines[3].endswith("marked by admin")
    assert lines[4] == f"MISSING\t{ben}\tunknown\tnever reported\tno report"
    muster("person", "off-site", ben)
    assert ", all accounted for since " in muster("incident", "list", team)
    assert muster("incident", "visitor", number, "Zoe", "--note", "red coat").endswith("\tZoe\t-1\n")
    assert "MISSING\tZoe (visitor)\tunknown" in muster("incident", "show", number)
    muster("incident", "mark", number, "Zoe", "safe")
    muster("incident", "visitor", number, "Yan")
    assert muster("incident", "take-off", number, "Yan", "--reason", "went home").startswith("off the roll")
    assert "nobody on this roll" in muster("incident", "mark", number, "Yan", "safe", status=1)
    lines = muster("incident", "close", number, "--reason", "all clear").splitlines()
    assert "closed" in lines[0] and lines[1] == "3 of 3 accounted for, 0 checking, 0 unaccounted"
    line = muster("incident", "list", team)
    assert "(by admin)" in line and "not all" not in line
    assert muster("incident", "reopen", number, "--reason", "smoke").rstrip().split("\t")[-1].startswith("open")
    muster("person", "safe", ann)
    muster("incident", "close", number, "--reason", "all clear")
    for form, mark in (("json", '"allAccountedTimes"'), ("csv", ",allAccounted,"), ("html", "<!doctype html>")):
        assert mark in muster("incident", "report", number, "--format", form)
    second = json.loads(muster("incident", "start", team, "--json"))["number"]
    muster("incident", "start", team, status=1)
    assert "not all accounted for" in muster("incident", "close", str(second), "--reason", "false alarm")
    choices = ["--closes-drills", "true", "--declared-holds-seconds", "60"]
    changed = json.loads(muster("team", "set", team, *choices, "--json"))
    assert changed["closesDrills"] is True and changed["declaredHoldsSeconds"] == 60
