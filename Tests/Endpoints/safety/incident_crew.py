"""A team of people with phones, for the tests of incidents."""


def make_crew_in(yard, server, name, people):
    """Makes a team whose muster region is `yard`, with a leader and members, each with a phone. Returns the leader's
    API and the phones by user."""
    admin = server.admin()
    admin.make_team(name, [yard])
    leader = admin.make_user(f"{name}-lea", "leader", name)
    phones = {}
    for index in range(people):
        user = f"{name}-p{index}"
        admin.make_user(user, "member", name)
        phones[user] = admin.make_device(user)
    return leader, phones
