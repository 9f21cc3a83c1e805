"""Answers of `GET /shared` as a test wants them: what a link shows, faults, and its end. The whole way of a link
through the server is in `test_links_page.py`."""

from datetime import datetime, timedelta, timezone

from live_server import stamp


class Links:
    """What the bearer of a link is answered, until it is over."""

    def __init__(self, shown):
        self.shown, self.is_over, self.is_gone, self.visitors, self.refusal = shown, False, False, [], None
        self.seen = []
        self.version = 0

    def answer(self, route):
        request = route.request
        self.seen.append(request)
        if self.is_gone:
            return route.abort()
        if self.is_over or not request.headers.get("authorization", "").startswith("Bearer ms_"):
            return route.fulfill(status=401, json={"title": "Sign in.", "status": 401})
        if request.url.endswith("/shared/visitors"):
            body = request.post_data_json
            if self.refusal:
                status, detail = self.refusal
                return route.fulfill(status=status, json={"detail": detail})
            if body["id"] not in [v["id"] for v in self.visitors]:
                self.visitors.append(body)
            return route.fulfill(status=201, json={"name": body["name"], "time": stamp_now()})
        tag = f'W/"{self.version}"'
        if request.headers.get("if-none-match") == tag:
            return route.fulfill(status=304, headers={"ETag": tag})
        expires = datetime.now(timezone.utc) + timedelta(hours=4)
        return route.fulfill(json={**self.shown, "expiresTime": stamp(expires),
                                   "asOf": stamp_now(), "serverTime": stamp_now()}, headers={"ETag": tag})

    def show(self, shown):
        self.shown = shown
        self.version += 1


def stamp_now(ago=0):
    return stamp(datetime.now(timezone.utc) - timedelta(seconds=ago))
