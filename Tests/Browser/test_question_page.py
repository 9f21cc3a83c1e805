"""A leader asks "where are you now?", and the person answers on the live page."""


from live_server import box, password, until

west, south = 10.7760, 59.8780


def asked(page):
    """What the page says that somebody asks."""
    return page.text('#alarms [data-kind="asked"]')


def test_a_person_who_is_asked_for_their_location_sees_it_and_answers_with_the_devices_position(page, server, tmp_path):
    server.make_team("quay", [box("hall", "Hall", west, south, muster=True)])
    server.make_user("odd", "member", "quay")
    page.context.grant_permissions(["geolocation"], origin=server.address)
    page.open().sign_in("odd", password)
    assert asked(page) == ""
    server.ask("POST", "users/odd/location-request")
    until(lambda: "admin asks where you are now" in asked(page))
    page.save_picture(tmp_path / "asked.png")
    # A reload keeps it.
    page.reload()
    until(lambda: page.is_live() and asked(page))
    # The browser dates the fix when it is set.
    page.context.set_geolocation({"latitude": south + 0.0002, "longitude": west + 0.0002, "accuracy": 9})
    page.find('#alarms [data-kind="asked"] button').click()
    until(lambda: "The server has where you were at" in (told := page.text("#said")) and "within 9 m" in told)
    until(lambda: asked(page) == "")
    question = server.ask("GET", "users/odd/location-request")
    assert question["state"] == "answered" and "live" in [channel["channel"] for channel in question["channels"]]
    [device] = server.ask("GET", "devices?user=odd")["items"]
    assert (device["name"], device["position"]["accuracy"]) == ("browser", 9)
