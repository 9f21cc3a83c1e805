"""Unmodified clients of Cognito, pointed at a server of ours as docs/cognito.md says."""

import jwt
import requests
from botocore import UNSIGNED
from botocore.config import Config

import amazon


def unsigned(server, service, retries=1):
    """A boto3 client without credentials."""
    return amazon.make_client(
        service, endpoint_url=server.address, region_name=amazon.region,
        config=Config(signature_version=UNSIGNED, retries={"total_max_attempts": retries, "mode": "standard"}))


def settings(server):
    """What a client is configured with."""
    return server.admin().ok("GET", "/cognito")


def sign_in(server, name, password=None):
    """The tokens of a sign-in by password."""
    return unsigned(server, "cognito-idp").initiate_auth(
        ClientId=settings(server)["clientId"], AuthFlow="USER_PASSWORD_AUTH",
        AuthParameters={"USERNAME": name, "PASSWORD": password or f"{name}'s password"})["AuthenticationResult"]


def verified(server, token, audience=None):
    """The claims of a token, verified as any relying party does: by the JWKS of its issuer."""
    issuer = jwt.decode(token, options={"verify_signature": False})["iss"]
    described = requests.get(f"{issuer}/.well-known/openid-configuration", timeout=60).json()
    assert described["issuer"] == issuer
    key = jwt.PyJWKClient(described["jwks_uri"]).get_signing_key_from_jwt(token)
    return jwt.decode(token, key, algorithms=["RS256"], audience=audience, issuer=issuer,
                      options={"require": ["exp", "iat", "iss", "sub"]})


class Person:
    """Someone who signed in to the user pool, as an app does it."""

    def __init__(self, server, identity, name, pool):
        self.server, self.identity = server, identity
        self.tokens = sign_in(server, name)
        self.settings = settings(server)
        provider = f"cognito-idp.{self.settings['region']}.amazonaws.com/{self.settings['userPoolId']}"
        self.logins = {provider: self.tokens["IdToken"]}
        self.pool = pool
        self.id = identity.get_id(IdentityPoolId=pool, Logins=self.logins)["IdentityId"]

    def credentials(self, logins=None):
        answer = self.identity.get_credentials_for_identity(IdentityId=self.id, Logins=logins or self.logins)
        assert answer["IdentityId"] == self.id
        return answer["Credentials"]

    def client(self, service, credentials=None):
        credentials = credentials or self.credentials()
        return amazon.client(self.server, service=service, key={
            "accessKeyId": credentials["AccessKeyId"], "secretAccessKey": credentials["SecretKey"],
            "sessionToken": credentials["SessionToken"]})
