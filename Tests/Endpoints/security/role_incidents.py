"""Who may what in an incident of team south."""

from role_rule import Rule, readers, south_readers, v1

incident_rules = [
    Rule("POST", v1 + "/teams/{team}/incidents", v1 + "/teams/south/incidents", {"admin", "own leader"},
         {"kind": "drill"}),
    Rule("GET", v1 + "/teams/{team}/incidents", v1 + "/teams/south/incidents",
         south_readers | {"own member", "own device"}),
    Rule("GET", v1 + "/incidents", v1 + "/incidents", readers),
    # A member finds itself alone on the roll.
    Rule("GET", v1 + "/incidents/{incident}", v1 + "/incidents/1", south_readers | {"own member"}),
    # A caller who sees the incident but is not on its roll gets an answer that says so.
    Rule("POST", v1 + "/incidents/{incident}/acknowledgement", v1 + "/incidents/1/acknowledgement",
         south_readers | {"own member", "own device"}, {}),
    Rule("POST", v1 + "/incidents/{incident}/roll", v1 + "/incidents/1/roll", {"admin", "own leader"},
         {"name": "sam"}),
    Rule("POST", v1 + "/incidents/{incident}/roll/{person}/mark", v1 + "/incidents/1/roll/-1/mark",
         {"admin", "own leader"}, {"state": "safe"}),
    Rule("POST", v1 + "/incidents/{incident}/roll/{person}/removal", v1 + "/incidents/1/roll/-1/removal",
         {"admin", "own leader"}, {"reason": "tests"}),
    Rule("POST", v1 + "/incidents/{incident}/par", v1 + "/incidents/1/par", {"admin", "own leader"}, {}),
    Rule("PUT", v1 + "/incidents/{incident}/par", v1 + "/incidents/1/par", {"admin", "own leader"},
         {"everySeconds": 900}),
    Rule("POST", v1 + "/incidents/{incident}/par/reports", v1 + "/incidents/1/par/reports", {"admin", "own leader"},
         {"present": 1}),
    Rule("POST", v1 + "/incidents/{incident}/handover", v1 + "/incidents/1/handover", {"admin", "own leader"},
         {"to": "admin"}),
    Rule("POST", v1 + "/incidents/{incident}/reopen", v1 + "/incidents/1/reopen", {"admin", "own leader"},
         {"reason": "tests"}),
    Rule("POST", v1 + "/incidents/{incident}/close", v1 + "/incidents/1/close", {"admin", "own leader"},
         {"reason": "tests"}),
    Rule("GET", v1 + "/incidents/{incident}/report", v1 + "/incidents/1/report", south_readers),
    Rule("GET", v1 + "/incidents/{incident}/contacts", v1 + "/incidents/1/contacts?person=sam", south_readers),
]
