"""Unmodified clients of Cognito, pointed at a server of ours as docs/cognito.md says."""

import boto3
import jwt
import requests
from botocore import UNSIGNED
from botocore.config import Config

import amazon


def unsigned(server, service, retries=1):
    """A boto3 client without credentials."""
    return boto3.session.Session().client(
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
    described = requests.get(f"{issuer}/.well-known/openid-configuration", timeout=30).json()
    assert described["issuer"] == issuer
    key = jwt.PyJWKClient(described["jwks_uri"]).get_signing_key_from_jwt(token)
    return jwt.decode(token, key, algorithms=["RS256"], audience=audience, issuer=issuer,
                      options={"require": ["exp", "iat", "iss", "sub"]})
