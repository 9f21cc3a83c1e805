"""The answers of the Cognito services against AWS's own models, and against a list of members that was written by
hand: models rarely say what a client may rely on."""

import pytest

from amazon_answers import Answers
from cognito_life import Life
from cognito_page import page, served
from muster_process import MusterProcess
from push_apps import apns, certificate, fcm, push_options  # noqa: F401


def under(path, *names):
    return {path} | {f"{path}.{name}" for name in names}


tokens = under("AuthenticationResult", "AccessToken", "ExpiresIn", "IdToken", "TokenType")
signed_in = tokens | {"AuthenticationResult.RefreshToken", "ChallengeParameters"}
challenge = {"ChallengeName"} | under(
    "ChallengeParameters", "SALT", "SECRET_BLOCK", "SRP_B", "USERNAME", "USER_ID_FOR_SRP")
delivery = under("CodeDeliveryDetails", "Destination")
user = ("Username", "Enabled", "UserStatus", "Attributes", "Attributes[].Name", "Attributes[].Value")
group = ("GroupName", "UserPoolId")
pool = {"IdentityPoolId", "IdentityPoolName", "AllowUnauthenticatedIdentities", "CognitoIdentityProviders"} | {
    f"CognitoIdentityProviders[].{name}" for name in ("ProviderName", "ClientId", "ServerSideTokenCheck")}
dataset = (
    "IdentityId", "DatasetName", "CreationDate", "LastModifiedDate", "LastModifiedBy", "DataStorage", "NumRecords")
record = {"Records"} | {f"Records[].{name}" for name in (
    "Key", "Value", "SyncCount", "LastModifiedDate", "LastModifiedBy", "DeviceLastModifiedDate")}
usage = ("IdentityPoolId", "SyncSessionsCount", "DataStorage", "LastModifiedDate")
configuration = {"IdentityPoolId"} | under("PushSync", "ApplicationArns", "RoleArn") | under(
    "CognitoStreams", "StreamName", "RoleArn", "StreamingStatus")

wanted = {
    "cognito-idp": {
        "InitiateAuth": signed_in | challenge, "AdminInitiateAuth": challenge, "RespondToAuthChallenge": signed_in,
        "AdminRespondToAuthChallenge": signed_in, "GetTokensFromRefreshToken": tokens, "RevokeToken": set(),
        "GetUser": {"Username", "UserAttributes", "UserAttributes[].Name", "UserAttributes[].Value"},
        "ChangePassword": set(), "GlobalSignOut": set(), "DeleteUser": set(),
        "SignUp": {"UserConfirmed", "UserSub"} | delivery, "ConfirmSignUp": set(),
        "ResendConfirmationCode": delivery, "ForgotPassword": delivery, "ConfirmForgotPassword": set(),
        "AdminCreateUser": under("User", *user),
        "AdminGetUser": {"Username", "Enabled", "UserStatus", "UserAttributes", "UserAttributes[].Name",
                         "UserAttributes[].Value"},
        "AdminDeleteUser": set(), "AdminSetUserPassword": set(), "AdminResetUserPassword": set(),
        "AdminUpdateUserAttributes": set(), "AdminConfirmSignUp": set(), "AdminUserGlobalSignOut": set(),
        "AdminAddUserToGroup": set(), "AdminRemoveUserFromGroup": set(),
        "AdminListGroupsForUser": {"Groups"} | {f"Groups[].{name}" for name in group},
        "ListUsers": {"Users", "PaginationToken"} | {f"Users[].{name}" for name in user},
        "ListUsersInGroup": {"Users", "NextToken"} | {f"Users[].{name}" for name in user},
        "ListGroups": {"Groups"} | {f"Groups[].{name}" for name in group}, "GetGroup": under("Group", *group),
        "ListUserPools": {"UserPools", "UserPools[].Id", "UserPools[].Name"},
        "DescribeUserPool": under(
            "UserPool", "Id", "Name", "EstimatedNumberOfUsers", "Policies", "Policies.PasswordPolicy",
            "Policies.PasswordPolicy.MinimumLength", "AdminCreateUserConfig",
            "AdminCreateUserConfig.AllowAdminCreateUserOnly", "MfaConfiguration"),
        "ListUserPoolClients": {"UserPoolClients"} | {
            f"UserPoolClients[].{name}" for name in ("ClientId", "ClientName", "UserPoolId")},
    },
    "cognito-identity": {
        "GetId": {"IdentityId"}, "GetOpenIdToken": {"IdentityId", "Token"},
        "GetCredentialsForIdentity": {"IdentityId"} | under(
            "Credentials", "AccessKeyId", "SecretKey", "SessionToken", "Expiration"),
        "ListIdentityPools": {"IdentityPools", "IdentityPools[].IdentityPoolId", "IdentityPools[].IdentityPoolName",
                              "NextToken"},
        "DescribeIdentityPool": pool, "CreateIdentityPool": pool, "UpdateIdentityPool": pool,
        "DeleteIdentityPool": set(),
        "ListIdentities": {"IdentityPoolId", "Identities", "Identities[].IdentityId", "Identities[].Logins",
                           "NextToken"},
        "DescribeIdentity": {"IdentityId", "Logins"},
    },
    "cognito-sync": {
        "ListDatasets": {"Datasets", "Count", "NextToken"} | {f"Datasets[].{name}" for name in dataset},
        "DescribeDataset": under("Dataset", *dataset), "DeleteDataset": under("Dataset", *dataset),
        "ListRecords": record | {
            "Count", "DatasetSyncCount", "LastModifiedBy", "MergedDatasetNames", "DatasetExists",
            "DatasetDeletedAfterRequestedSyncCount", "SyncSessionToken", "NextToken"},
        "UpdateRecords": record,
        "DescribeIdentityUsage": under(
            "IdentityUsage", "IdentityId", "IdentityPoolId", "DatasetCount", "DataStorage", "LastModifiedDate"),
        "RegisterDevice": {"DeviceId"}, "SubscribeToDataset": set(), "UnsubscribeFromDataset": set(),
        "ListIdentityPoolUsage": {"IdentityPoolUsages", "MaxResults", "Count", "NextToken"} | {
            f"IdentityPoolUsages[].{name}" for name in usage},
        "DescribeIdentityPoolUsage": under("IdentityPoolUsage", *usage),
        "GetIdentityPoolConfiguration": configuration, "SetIdentityPoolConfiguration": configuration,
        "GetCognitoEvents": under("Events", "SyncTrigger"), "SetCognitoEvents": set(),
        "BulkPublish": {"IdentityPoolId"},
        "GetBulkPublishDetails": {"IdentityPoolId", "BulkPublishStartTime", "BulkPublishCompleteTime",
                                  "BulkPublishStatus"},
    },
}
"""The members that an app finds in the answers of each operation, over all that it asked in its life."""


@pytest.fixture(scope="module")
def answers(tmp_path_factory, push_options):
    answers = Answers()
    options = [*push_options, "--registration", "open"]
    with MusterProcess(tmp_path_factory.mktemp("muster"), options) as server:
        Life(server, server.admin(), answers).run()
    return answers


def test_the_list_holds_every_operation_that_is_served():
    assert [(service, operation) for service in sorted(wanted) for operation in sorted(wanted[service])] == served(page)


@pytest.mark.parametrize("service, operation", served(page), ids=lambda name: name)
def test_an_answer_follows_the_model_and_has_the_members_that_clients_need(answers, service, operation):
    assert answers.bodies.get((service, operation)), "no client asked"
    assert answers.faults(service, operation) == []
    found = answers.members(service, operation)
    assert found == wanted[service][operation], (found - wanted[service][operation], wanted[service][operation] - found)
