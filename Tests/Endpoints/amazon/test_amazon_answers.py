"""That the examination of answers finds what is missing, mistyped or too much."""

import pytest

from amazon_answers import faults, members

user = {"Username": "ida", "Attributes": [{"Name": "sub", "Value": "x"}], "Enabled": True, "UserStatus": "CONFIRMED"}
record = {"Key": "k", "SyncCount": 1, "LastModifiedDate": 1.5}


def test_an_answer_of_the_model_has_no_fault():
    assert faults("cognito-idp", "ListUsers", {"Users": [user]}) == []
    assert faults("cognito-sync", "UpdateRecords", {"Records": [record]}) == []
    assert faults("cognito-idp", "AdminDeleteUser", {}) == []


@pytest.mark.parametrize("service, operation, body, words", [
    ("cognito-idp", "ListUsers", {"Users": [{**user, "Enabled": "true"}]}, "no boolean"),
    ("cognito-idp", "ListUsers", {"Users": [{**user, "UserStatus": "FINE"}]}, "none of"),
    ("cognito-idp", "ListUsers", {"Users": [{**user, "Username": 7}]}, "no string"),
    ("cognito-idp", "ListUsers", {"Users": [{**user, "Name": "ida"}]}, "Name is no member"),
    ("cognito-idp", "ListUsers", {"Users": {}}, "no list"),
    ("cognito-idp", "GetUser", {"Username": "ida"}, "UserAttributes is missing"),
    ("cognito-idp", "AdminDeleteUser", {"x": 1}, "answers nothing"),
    ("cognito-sync", "UpdateRecords", {"Records": [{**record, "SyncCount": "1"}]}, "no long"),
    ("cognito-sync", "UpdateRecords", {"Records": [{**record, "SyncCount": True}]}, "no long"),
    ("cognito-sync", "UpdateRecords", {"Records": [{**record, "LastModifiedDate": "2026-01-01"}]}, "no timestamp"),
    ("cognito-sync", "UpdateRecords", {"Records": [{**record, "Key": "k" * 1_025}]}, "1025 is not from 1 to 1024"),
    ("cognito-identity", "GetId", {"IdentityId": "none"}, "has not the form"),
])
def test_a_fault_is_found_and_named(service, operation, body, words):
    [fault] = faults(service, operation, body)
    assert words in fault


def test_members_are_named_by_their_paths():
    assert members({"Users": [user]}) == {
        "Users", "Users[].Username", "Users[].Attributes", "Users[].Attributes[].Name", "Users[].Attributes[].Value",
        "Users[].Enabled", "Users[].UserStatus"}
