"""Every operation of the JSON protocols of Cognito, as AWS's models list them, as everyone: the default is no.

What is served, and for whom, is what docs/cognito.md says.
"""

import pytest
from botocore import UNSIGNED, xform_name
from botocore.config import Config
from botocore.exceptions import ClientError

import amazon
import cognito
from amazon_answers import Answers
from amazon_model import model
from cognito_page import page, served

services = ("cognito-idp", "cognito-identity")
roles = ("member", "leader", "analyst", "gateway", "admin")
callers = ("nobody", "guest", *roles)
denials = {"cognito-idp": "AccessDeniedException", "cognito-identity": "NotAuthorizedException"}


def operations(for_whom):
    """The operations of the rows of the page's table that are for someone."""
    rows = [line for line in page.splitlines() if line.startswith("| cognito-i") and for_whom in line.split("|")[1]]
    return set(served("## What is served\n" + "\n".join(rows)))


opened = operations("anyone") | operations("for a guest")
"""What nobody signs: each proves by its own members who calls."""
administered = operations("an admin's signature")


@pytest.fixture(scope="module")
def answers():
    return Answers()


@pytest.fixture(scope="module")
def clients(server, admin, answers):
    """A client of each service as each caller, which itself checks nothing."""
    admin.make_team("crew")
    for role in roles[:-1]:
        admin.make_user(role, role, "crew" if role in ("member", "leader") else None)
    boss = amazon.client(server, service="cognito-identity")
    pools = boss.list_identity_pools(MaxResults=9)["IdentityPools"]
    [crew] = [pool["IdentityPoolId"] for pool in pools if pool["IdentityPoolName"] == "crew"]
    boss.update_identity_pool(IdentityPoolId=crew, IdentityPoolName="crew", AllowUnauthenticatedIdentities=True)
    stranger = cognito.unsigned(server, "cognito-identity")
    guest = stranger.get_credentials_for_identity(
        IdentityId=stranger.get_id(IdentityPoolId=crew)["IdentityId"])["Credentials"]
    guest = {"accessKeyId": guest["AccessKeyId"], "secretAccessKey": guest["SecretKey"],
             "sessionToken": guest["SessionToken"]}
    made = {}
    for service in services:
        for caller in callers:
            if caller == "nobody":
                made[service, caller] = amazon.make_client(
                    service, endpoint_url=server.address, region_name=amazon.region, config=Config(
                        signature_version=UNSIGNED, parameter_validation=False, retries={"total_max_attempts": 1}))
            else:
                key = guest if caller == "guest" else amazon.aws_key(server, caller)
                made[service, caller] = amazon.client(server, service=service, key=key, checks=False)
            answers.record(made[service, caller])
    return made


def code(client, operation):
    """The code of the error that an operation without members is answered with; None for none."""
    try:
        getattr(client, xform_name(operation))()
    except ClientError as error:
        return error.response["Error"]["Code"]
    return None


def test_the_page_states_for_every_operation_whether_it_is_signed():
    assert not opened & administered
    assert opened | administered == {entry for entry in served(page) if entry[0] in services}
    for service, operation in opened | administered:
        assert operation in model(service)["operations"], f"{service} has no {operation}"


@pytest.mark.parametrize("caller", callers)
@pytest.mark.parametrize("service", services)
def test_an_operation_admits_the_callers_that_the_page_names(clients, answers, service, caller):
    # A guest is told no before the service is asked.
    denial = "AccessDeniedException" if caller == "guest" else denials[service]
    wrong = {}
    for operation, described in model(service)["operations"].items():
        told = code(clients[service, caller], operation)
        is_open, is_administered = (service, operation) in opened, (service, operation) in administered
        if is_open:
            # Without its members it proves nothing, whoever signs it.
            is_right = told == "InvalidParameterException"
        elif caller == "nobody" or described.get("authtype") == "none":
            # Clients do not sign some operations that are not served: that is no either.
            is_right = told == "MissingAuthenticationToken"
        elif is_administered:
            is_right = (told == denial) == (caller != "admin")
        else:
            # What is not served is told as that.
            is_right = told == (denial if caller == "guest" else "UnknownOperationException")
        if not is_right:
            wrong[operation] = told
        if (is_open or is_administered) and answers.foreign_errors(service, operation):
            wrong[operation] = answers.foreign_errors(service, operation)
    assert wrong == {}
