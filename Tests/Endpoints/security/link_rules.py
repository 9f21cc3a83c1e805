"""Who may what with links, for the table in test_roles.py: method, route, path, who is allowed, body, refusals."""

from role_rule import everyone

v1 = "/api/v1"
links = v1 + "/links"
shared = v1 + "/shared"
about_sam = {"kind": "person", "user": "sam", "expiresSeconds": 60}

link_rules = [
    ("GET", links, links, {"admin", "own leader", "other leader"}),
    ("POST", links, links, {"admin", "own leader"}, about_sam, (401, 403, 404, 422)),
    # There is none of that id: that is said to those who may know.
    ("DELETE", links + "/{link}", links + "/AAAAAAAAAAAAAAAA", set(), None, (401, 403, 404)),
    # The token of a link alone opens these: nobody's key does, not even an admin's.
    ("GET", shared, shared, set(), None, (401,)),
    # The token is in the path: one that is not valid is told so by a map without anything on it.
    ("GET", shared + "/{token}/link.kml", shared + "/none/link.kml", everyone, None, ()),
    ("GET", shared + "/{token}/map.kml", shared + "/none/map.kml", everyone, None, ()),
    ("POST", shared + "/visitors", shared + "/visitors", set(), {"id": "1", "name": "Vera"}, (401,)),
    ("POST", shared + "/password", shared + "/password", set(), {"password": "a good long password"}, (401,)),
]
