"""The life of a person who uses Cognito: every operation that is served, by unmodified clients, at least once."""

from pycognito.aws_srp import AWSSRP

import amazon
import cognito
import webhook_targets
from push_apps import fresh
from webhook_receiver import Receiver

services = ("cognito-idp", "cognito-identity", "cognito-sync")


def password(name):
    return f"{name}'s password"


class Life:
    """One run through everything. `answers` records what came."""

    def __init__(self, server, admin, answers):
        self.server, self.admin, self.answers = server, admin, answers
        self.settings = cognito.settings(server)
        self.pool = {"UserPoolId": self.settings["userPoolId"]}
        self.client = {"ClientId": self.settings["clientId"]}
        self.boss = {service: answers.record(amazon.client(server, service=service)) for service in services}
        self.anyone = {service: answers.record(cognito.unsigned(server, service)) for service in services[:2]}

    def run(self):
        self.keep_pools()
        self.keep_accounts()
        self.sign_up()
        self.sign_in()
        self.use_identities()
        self.synchronize()
        self.keep_streams()
        self.end_accounts()

    def keep_pools(self):
        identity = self.boss["cognito-identity"]
        made = identity.create_identity_pool(IdentityPoolName="crew", AllowUnauthenticatedIdentities=True)
        self.crew = {"IdentityPoolId": made["IdentityPoolId"]}
        identity.update_identity_pool(**self.crew, IdentityPoolName="crew", AllowUnauthenticatedIdentities=True)
        identity.describe_identity_pool(**self.crew)
        identity.list_identity_pools(MaxResults=60)
        other = identity.create_identity_pool(IdentityPoolName="other", AllowUnauthenticatedIdentities=False)
        identity.list_identity_pools(MaxResults=1)
        identity.delete_identity_pool(IdentityPoolId=other["IdentityPoolId"])
        identity.create_identity_pool(IdentityPoolName="third", AllowUnauthenticatedIdentities=False)

    def keep_accounts(self):
        idp, pool = self.boss["cognito-idp"], self.pool
        team = [{"Name": "custom:team", "Value": "crew"}]
        for name in ("ida", "lou"):
            idp.admin_create_user(
                **pool, Username=name, TemporaryPassword=password(name), UserAttributes=team)
            idp.admin_update_user_attributes(**pool, Username=name, UserAttributes=team)
        idp.admin_get_user(**pool, Username="ida")
        idp.admin_add_user_to_group(**pool, Username="lou", GroupName="leader")
        idp.admin_list_groups_for_user(**pool, Username="lou")
        idp.admin_remove_user_from_group(**pool, Username="lou", GroupName="leader")
        idp.get_group(**pool, GroupName="leader")
        idp.list_groups(**pool)
        idp.list_users(**pool, Limit=1)
        idp.list_users_in_group(**pool, GroupName="member", Limit=1)
        idp.list_user_pools(MaxResults=60)
        idp.describe_user_pool(**pool)
        idp.list_user_pool_clients(**pool)

    def code(self, name):
        [code] = [entry["code"] for entry in self.admin.ok("GET", "/codes")["items"] if entry["user"] == name]
        return code

    def sign_up(self):
        idp = self.anyone["cognito-idp"]
        for name in ("kim", "joe"):
            idp.sign_up(**self.client, Username=name, Password=password(name))
            idp.resend_confirmation_code(**self.client, Username=name)
        idp.confirm_sign_up(**self.client, Username="kim", ConfirmationCode=self.code("kim"))
        self.boss["cognito-idp"].admin_confirm_sign_up(**self.pool, Username="joe")

    def sign_in(self):
        idp, boss = self.anyone["cognito-idp"], self.boss["cognito-idp"]
        answer = self.proof(lambda **begun: idp.initiate_auth(**self.client, **begun))
        self.tokens = idp.respond_to_auth_challenge(**self.client, **answer)["AuthenticationResult"]
        answer = self.proof(lambda **begun: boss.admin_initiate_auth(**self.pool, **self.client, **begun))
        boss.admin_respond_to_auth_challenge(**self.pool, **self.client, **answer)
        tokens = self.by_password("kim")
        idp.get_tokens_from_refresh_token(**self.client, RefreshToken=tokens["RefreshToken"])
        idp.get_user(AccessToken=tokens["AccessToken"])
        idp.revoke_token(**self.client, Token=tokens["RefreshToken"])
        idp.change_password(
            AccessToken=self.by_password("kim")["AccessToken"], PreviousPassword=password("kim"),
            ProposedPassword="kim's other password")
        idp.forgot_password(**self.client, Username="kim")
        idp.confirm_forgot_password(
            **self.client, Username="kim", ConfirmationCode=self.code("kim"), Password=password("kim"))
        idp.global_sign_out(AccessToken=self.by_password("kim")["AccessToken"])

    def by_password(self, name):
        return self.anyone["cognito-idp"].initiate_auth(
            **self.client, AuthFlow="USER_PASSWORD_AUTH",
            AuthParameters={"USERNAME": name, "PASSWORD": password(name)})["AuthenticationResult"]

    def proof(self, initiate, name="ida"):
        """The answer to the challenge that a sign-in by proof begins with."""
        side = AWSSRP(name, password(name), self.settings["userPoolId"], self.settings["clientId"],
                      client=self.anyone["cognito-idp"])
        begun = side.get_auth_params()
        challenge = initiate(AuthFlow="USER_SRP_AUTH", AuthParameters=begun)
        return {"ChallengeName": challenge["ChallengeName"],
                "ChallengeResponses": side.process_challenge(challenge["ChallengeParameters"], begun)}

    def use_identities(self):
        identity, boss = self.anyone["cognito-identity"], self.boss["cognito-identity"]
        provider = f"cognito-idp.{self.settings['region']}.amazonaws.com/{self.settings['userPoolId']}"
        self.logins = {provider: self.tokens["IdToken"]}
        self.guest = identity.get_id(**self.crew)["IdentityId"]
        self.id = identity.get_id(**self.crew, Logins=self.logins)["IdentityId"]
        self.as_guest = self.sync_of(self.guest)
        self.as_ida = self.sync_of(self.id, Logins=self.logins)
        identity.get_open_id_token(IdentityId=self.guest)
        identity.get_open_id_token(IdentityId=self.id, Logins=self.logins)
        boss.list_identities(**self.crew, MaxResults=1)
        boss.describe_identity(IdentityId=self.id)

    def sync_of(self, identity, **proof):
        """A client of Cognito Sync with temporary credentials of an identity."""
        made = self.anyone["cognito-identity"].get_credentials_for_identity(
            IdentityId=identity, **proof)["Credentials"]
        return self.answers.record(amazon.client(self.server, service="cognito-sync", key={
            "accessKeyId": made["AccessKeyId"], "secretAccessKey": made["SecretKey"],
            "sessionToken": made["SessionToken"]}))

    def synchronize(self):
        sync, ids = self.as_ida, {**self.crew, "IdentityId": self.id}
        dataset = {**ids, "DatasetName": "settings"}
        put_records(self.as_guest, {**self.crew, "IdentityId": self.guest}, theme="light", size="12")
        put_records(sync, ids, theme="dark", size="14")
        # The guest signs in: the guest's dataset of the same name is merged.
        self.sync_of(self.guest, Logins=self.logins)
        device = sync.register_device(**ids, Platform="APNS", Token=fresh())["DeviceId"]
        sync.subscribe_to_dataset(**dataset, DeviceId=device)
        sync.unsubscribe_from_dataset(**dataset, DeviceId=device)
        sync.list_records(**dataset)
        sync.list_records(**dataset, MaxResults=1)
        sync.list_datasets(**ids, MaxResults=1)
        sync.describe_dataset(**dataset)
        sync.describe_identity_usage(**ids)

    def keep_streams(self):
        sync = self.boss["cognito-sync"]
        with Receiver(lambda call: 204) as receiver:
            webhook_targets.make(self.admin, "stream", receiver.url)
            sync.set_identity_pool_configuration(
                **self.crew, PushSync={"ApplicationArns": ["arn:aws:sns:us-east-1:000000000000:app/APNS/muster"],
                                       "RoleArn": "arn:aws:iam::000000000000:role/none"},
                CognitoStreams={"StreamName": "stream", "RoleArn": "arn:aws:iam::000000000000:role/none",
                                "StreamingStatus": "ENABLED"})
            sync.get_identity_pool_configuration(**self.crew)
            sync.bulk_publish(**self.crew)
            webhook_targets.eventually(
                lambda: sync.get_bulk_publish_details(**self.crew)["BulkPublishStatus"],
                lambda status: status == "SUCCEEDED")
            webhook_targets.settled(self.admin)
            sync.set_identity_pool_configuration(**self.crew, CognitoStreams={"StreamingStatus": "DISABLED"})
        sync.set_cognito_events(
            **self.crew, Events={"SyncTrigger": "arn:aws:muster:us-east-1:000000000000:target/stream"})
        sync.get_cognito_events(**self.crew)
        sync.list_identity_pool_usage(MaxResults=1)
        sync.describe_identity_pool_usage(**self.crew)
        self.as_ida.delete_dataset(**self.crew, IdentityId=self.id, DatasetName="settings")

    def end_accounts(self):
        boss, pool = self.boss["cognito-idp"], self.pool
        boss.admin_user_global_sign_out(**pool, Username="ida")
        boss.admin_set_user_password(**pool, Username="ida", Password="ida's other password", Permanent=True)
        boss.admin_reset_user_password(**pool, Username="ida")
        boss.admin_get_user(**pool, Username="ida")
        boss.admin_delete_user(**pool, Username="ida")
        self.anyone["cognito-idp"].delete_user(AccessToken=self.by_password("kim")["AccessToken"])


def put_records(sync, ids, **values):
    dataset = {**ids, "DatasetName": "settings"}
    token = sync.list_records(**dataset)["SyncSessionToken"]
    sync.update_records(**dataset, SyncSessionToken=token, DeviceId="phone", RecordPatches=[
        {"Op": "replace", "Key": key, "Value": value, "SyncCount": 0} for key, value in values.items()])
