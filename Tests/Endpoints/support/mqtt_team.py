"""A team whose phones publish by MQTT, and clients of its leader."""

import json

from mqtt_client import Client
from owntracks_phone import location


class Team:
    """A team with a leader and members, by their keys and their phones' tokens."""

    made = 0

    def __init__(self, admin, members=("ana", "ben"), features=()):
        Team.made += 1
        self.name = f"team{Team.made}"
        self.admin = admin
        admin.make_team(self.name, features)
        self.leader = f"lena{Team.made}"
        self.key = admin.make_user(self.leader, "leader", self.name).token
        self.users = [f"{member}{Team.made}" for member in members]
        self.keys, self.tokens = {}, {}
        for user in self.users:
            self.keys[user] = admin.make_user(user, "member", self.name).token
            self.tokens[user] = admin.make_device(user).token

    def publish(self, port, user, **more):
        with Client(port, user, self.tokens[user], "5") as phone:
            message = location(**more)
            assert phone.publish(f"owntracks/{user}/phone", json.dumps(message)) == 0
            return message


def watcher(port, team, version, name, **more):
    """A leader's client whose session is kept."""
    more = {"expiry": 3600, **more} if version == "5" else more
    return Client(port, team.leader, team.key, version, name, clean=False, **more)
