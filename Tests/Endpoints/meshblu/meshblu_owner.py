"""People who use Meshblu's HTTP API, and curl."""

import subprocess

import requests


class Owner:
    """A person with an API key, and requests as them."""

    def __init__(self, admin, name):
        self.address, self.name = admin.address, name
        self.key = admin.make_user(name).token
        self.session = requests.Session()
        self.session.trust_env = False

    def send(self, method, path, body=None, auth=None, **more):
        uuid, token = auth or self.auth
        headers = {"meshblu_auth_uuid": uuid, "meshblu_auth_token": token, **more.pop("headers", {})}
        return self.session.request(
            method, f"{self.address}/{path}", json=body, headers=headers, timeout=60, **more)

    @property
    def auth(self):
        return self.name, self.key

    def device(self, **properties):
        made = self.send("POST", "devices", properties)
        assert made.status_code == 201, made.text
        return made.json()


def data(owner, device):
    return owner.send("GET", f"data/{device['uuid']}").json()["data"]


def curl(*arguments):
    done = subprocess.run(
        ["curl", "-s", "-w", "\n%{http_code}", *arguments], capture_output=True, text=True, timeout=120)
    body, status = done.stdout.rsplit("\n", 1)
    return int(status), body
