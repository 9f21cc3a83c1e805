/** The link by which ATAK enrolls: which hosts it takes, and how it adds a port. */
import assert from "node:assert/strict";
import { test } from "node:test";

import { enrollmentLink, isHost, withoutBrackets } from "../../Web/console/shared/tak.js";

const hostIn = (order) =>
    new URL(enrollmentLink({ device: "alice/phone", token: "secret", ...order })).searchParams.get("host");

test("a host is a name or an address, without a scheme, a port or a path", () => {
    for (const host of ["muster.example.org", "localhost", "10.0.0.1", "::1", "2001:db8::7", "::ffff:10.0.0.1"]) {
        assert.ok(isHost(host), host);
    }
    for (const text of ["", "host:8443", "10.0.0.1:8443", "[::1]", "https://host/", "a host", "a:b:host"]) {
        assert.ok(!isHost(text), text);
    }
});

test("the host that the page has is one that the link takes", () => {
    assert.equal(withoutBrackets("[2001:db8::7]"), "2001:db8::7");
    assert.equal(withoutBrackets("muster.example.org"), "muster.example.org");
});

test("the link names a port that is not the usual one, after brackets where the host is an IPv6 address", () => {
    assert.equal(hostIn({ host: "muster.example.org" }), "muster.example.org");
    assert.equal(hostIn({ host: "muster.example.org", port: 9000 }), "muster.example.org:9000");
    assert.equal(hostIn({ host: "::1" }), "::1");
    assert.equal(hostIn({ host: "::1", port: 9000 }), "[::1]:9000");
});
