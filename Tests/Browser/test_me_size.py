"""How much a phone loads of the member's app: docs/member-app.md has the figures."""

import re

import pytest
import requests

from live_server import until
from me_page import MePage, phone_profile

page_type, profile = MePage, phone_profile
part_count = 10
# The engine and the map are large, and neither is needed to open the app.
is_apart = re.compile(r"^(engine|vendor/maplibre|console/map|basemap)/")


def packed_bytes(server, paths):
    """The size of files as the server sends them."""
    size = 0
    for path in paths:
        with requests.get(f"{server.address}/{path}", headers={"Accept-Encoding": "gzip"}, stream=True,
                          timeout=60) as answer:
            size += len(answer.raw.read(decode_content=False))
    return size


def requested(page):
    """The paths of the app's files that the page has loaded, without the engine and the map."""
    names = page.script("() => performance.getEntriesByType('resource').map(({ name }) => name)")
    paths = {name.removeprefix(f"{page.server.address}/").split("?")[0] for name in names}
    return sorted(path for path in paths if not path.startswith("api/") and not is_apart.match(path))


@pytest.mark.parametrize("locale, most", [("en-GB", 114_000), ("ja-JP", 119_000)])
def test_the_first_opening_is_small(browsers, server, locale, most):
    context = browsers.context(with_webgl=False, **{**phone_profile, "locale": locale})
    page = MePage(context, server).open()
    until(lambda: page.script(f"() => {page.state}?.parts.length") == part_count)
    paths = requested(page)
    size = packed_bytes(server, paths)
    print(f"{locale}: {len(paths)} files, {size / 1000:.0f} kB")
    context.close()
    assert size < most


def test_what_is_kept_is_small(page, server):
    page.open()
    # The version is asked for once somebody is signed in.
    page.sign_in(*server.admin).keep()
    kept = page.script("""async () => {
        const [name] = (await caches.keys()).filter((each) => each.startsWith("muster-me-shell-"));
        return (await (await caches.open(name)).keys()).map(({ url }) => url);
    }""")
    paths = sorted(url.removeprefix(f"{server.address}/") for url in kept)
    assert "me/app.js" in paths and "me/icons/512.png" not in paths and "me/words/ja.js" not in paths
    paths = [path for path in paths if path != "me/-later" and not is_apart.match(path)]
    size = packed_bytes(server, paths)
    print(f"kept: {len(paths)} files, {size / 1000:.0f} kB")
    assert size < 253_000
