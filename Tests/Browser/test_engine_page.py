"""The engine in a browser, under the page's content security policy."""

from pathlib import Path

import pytest

web = Path(__file__).parents[2] / "Web"
origin = "http://muster.test"
policy = "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; connect-src 'self'"
types = {".js": "text/javascript", ".wasm": "application/wasm", ".html": "text/html"}

ask = """async () => {
    const { Engine } = await import("/engine/engine.js");
    const engine = await Engine.load();
    const collection = engine.putCollection();
    engine.put(1, { collection, isMuster: true, radius: 50, geometry: { type: "Point", coordinates: [14.5, 46] } });
    engine.review(0);
    for (let second = 0; second <= 60; second += 5) {
        engine.feed({ latitude: 46, longitude: 14.5, accuracy: 5, sampleTime: second * 1000 });
    }
    return { state: engine.safety().state, inside: engine.presences().map(({ isInside }) => isInside) };
}"""


@pytest.fixture
def page(context):
    """A tab whose server has the engine's files and nothing else."""
    page = context.new_page()
    yield page
    page.close()


def serve(page, policy, media=types):
    asked = []

    def answer(route):
        path = route.request.url.removeprefix(origin)
        asked.append(path)
        if path == "/":
            route.fulfill(body="<!doctype html><title>engine</title>",
                          headers={"content-type": "text/html", "content-security-policy": policy})
        else:
            file = web / path.lstrip("/")
            route.fulfill(body=file.read_bytes(), headers={"content-type": media[file.suffix]})

    page.route(f"{origin}/**", answer)
    page.goto(f"{origin}/")
    return asked


def test_the_engine_loads_when_it_is_asked_and_decides(page):
    asked = serve(page, policy)
    assert asked == ["/"]
    assert page.evaluate(ask) == {"state": "safe", "inside": [True]}
    assert page.evaluate(ask) == {"state": "safe", "inside": [True]}
    assert asked == ["/", "/engine/engine.js", "/engine/engine.wasm"], "it is fetched once"


def test_a_server_that_does_not_name_the_type_is_no_reason_to_have_no_engine(page):
    serve(page, policy, {**types, ".wasm": "application/octet-stream"})
    assert page.evaluate(ask)["state"] == "safe"


def test_a_policy_that_forbids_it_is_an_error_that_a_page_can_catch(page):
    serve(page, policy.replace("'wasm-unsafe-eval'", ""))
    with pytest.raises(Exception, match="wasm|WebAssembly|CompileError"):
        page.evaluate(ask)
