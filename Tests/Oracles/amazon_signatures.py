"""Signs requests with botocore's own signer, for Tests/MusterServerTests/Golden/amazon-signatures.json.

Run: python Tests/Oracles/amazon_signatures.py > Tests/MusterServerTests/Golden/amazon-signatures.json
"""

import datetime
import json
from unittest import mock

from botocore import auth
from botocore.awsrequest import AWSRequest
from botocore.credentials import Credentials

now = datetime.datetime(2026, 11, 21, 12, 34, 56, tzinfo=datetime.timezone.utc)
secret = "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY"

requests = [
    ("nothing but a path", "GET", "http://127.0.0.1:8080/", b"", {}, None, "geo", "us-east-1"),
    ("a body", "POST", "http://127.0.0.1:8080/tracking/v0/trackers", b'{"TrackerName":"t"}',
     {"Content-Type": "application/json"}, None, "geo", "eu-west-2"),
    ("an ARN in the path", "GET",
     "http://localhost:9/tags/arn%3Aaws%3Ageo%3Aus-east-1%3A000000000000%3Atracker%2Fone", b"", {}, None, "geo",
     "us-east-1"),
    ("a query out of order", "DELETE", "http://localhost:9/tags/arn%3Aaws?tagKeys=b&tagKeys=a%20c&tagKeys=a&a=",
     b"", {}, None, "geo", "us-east-1"),
    ("an id that is not ASCII", "GET", "http://localhost:9/tracking/v0/trackers/t/devices/%D0%B4-1/positions/latest",
     b"", {}, None, "geo", "us-east-1"),
    ("a session token", "POST", "https://muster.example/", b"{}",
     {"Content-Type": "application/x-amz-json-1.1", "X-Amz-Target": "AWSEvents.PutRule"}, "a/token+of=some kind",
     "events", "ap-southeast-7"),
    ("blanks in headers and dots in the path", "PUT", "http://localhost:9/aws/./x//y/../z/", b"\xd0\xb4",
     {"X-Amz-Client-Context": "  many   blanks \t here  "}, None, "geo", "us-east-1"),
]


def signed(name, method, url, body, headers, token, service, region):
    request = AWSRequest(method, url, headers=dict(headers), data=body)
    signer = auth.SigV4Auth(Credentials("AKIDEXAMPLE", secret, token), service, region)
    with mock.patch.object(auth, "get_current_datetime", return_value=now):
        signer.add_auth(request)
    authorization = request.headers["Authorization"]
    del request.headers["Authorization"]
    canonical = signer.canonical_request(request)
    request.headers["Authorization"] = authorization
    path, _, query = url.split("/", 3)[3].partition("?")
    host = url.split("/")[2]
    return {
        "name": name, "method": method, "path": "/" + path, "query": query, "body": body.decode(),
        "headers": {"Host": host, **{key: str(value) for key, value in request.headers.items()}},
        "service": service, "region": region, "canonicalRequest": canonical}


if __name__ == "__main__":
    print(json.dumps({"secret": secret, "requests": [signed(*each) for each in requests]}, indent=1,
                     ensure_ascii=False))
