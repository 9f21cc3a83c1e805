import MusterCore
import Testing

@testable import MusterWire

/// Feeds whose entries link to alerts.
@Suite struct WarningFeedTests {
    private func feed(_ text: String) throws -> WarningFeed {
        let document = try Array(text.utf8).withUnsafeBytes { try WarningDocument(parsing: $0) }
        guard case .feed(let feed) = document else { throw CAPError.otherRoot("alert") }
        return feed
    }

    @Test func `an Atom feed gives the links of its alerts, the newest first`() throws {
        let feed = try feed(
            """
            <?xml version="1.0" encoding="UTF-8"?>
            <feed xmlns="http://www.w3.org/2005/Atom" xmlns:cap="urn:oasis:names:tc:emergency:cap:1.2" xml:lang="en-US">
                <id>https://api.weather.example/alerts/active.atom</id>
                <generator>NWS CAP Server</generator>
                <updated>2026-12-01T06:10:00+00:00</updated>
                <link rel="self" href="https://api.weather.example/alerts/active.atom"/>
                <entry>
                    <id>https://api.weather.example/alerts/urn:oid:2.49.0.1.840.0.1.001.1</id>
                    <updated>2026-12-01T00:00:00-06:00</updated>
                    <published>2026-12-01T00:00:00-06:00</published>
                    <author><name>NWS</name><uri>https://weather.example</uri></author>
                    <title>Flood Warning</title>
                    <link rel="alternate" href="https://api.weather.example/alerts/urn:oid:2.49.0.1.840.0.1.001.1.cap"/>
                    <cap:event>Flood Warning</cap:event>
                    <cap:expires>2026-12-01T09:00:00-06:00</cap:expires>
                </entry>
                <entry>
                    <id>https://feeds.meteo.example/es?index=610201</id>
                    <updated>2026-12-01T06:05:00Z</updated>
                    <link title="Aviso" href="https://meteo.example"/>
                    <link type="application/cap+xml" href="/api/v1/warnings/12f80051&amp;x=1"/>
                    <link rel="related" type="text/html" href="https://meteo.example/page"/>
                </entry>
                <entry><id>none</id><updated>2026-12-01T06:05:00Z</updated></entry>
            </feed>
            """)
        #expect(
            feed.entries.map(\.link) == [
                "/api/v1/warnings/12f80051&x=1",
                "https://api.weather.example/alerts/urn:oid:2.49.0.1.840.0.1.001.1.cap",
            ])
        #expect(feed.leftOut == 1)
        #expect(feed.entries[1].updated == (try Instant(rfc3339: "2026-12-01T06:00:00Z")))
        #expect(feed.entries[1].version.contains("2026-12-01T00:00:00-06:00"))
    }

    @Test func `an RSS feed gives the links of its alerts in its own order`() throws {
        let feed = try feed(
            """
            <rss version="2.0"><channel><title>Warnings</title><link>https://w.example</link>
            <item><title>One</title><link>https://w.example/1.xml</link><guid>1</guid><pubDate>once</pubDate></item>
            <item><link>https://w.example/page</link><enclosure url="2.cap" type="application/cap+xml" length="1"/>
            <guid>2</guid><pubDate>Tue, 01 Dec 2026 06:00:00 GMT</pubDate></item></channel></rss>
            """)
        #expect(feed.entries.map(\.link) == ["https://w.example/1.xml", "2.cap"])
        #expect(feed.entries[1].updated == (try Instant(rfc3339: "2026-12-01T06:00:00Z")))
    }

    @Test func `entries beyond the limit are counted`() throws {
        let entries = String(repeating: "<entry><link href='a'/></entry>", count: 2_500)
        let feed = try feed("<feed>\(entries)</feed>")
        #expect(feed.entries.count == WarningFeed.entryLimit && feed.leftOut == 500)
    }

    @Test func `the newest entry is read, though it stands beyond the limit`() throws {
        let old = "<entry><updated>2026-12-01T06:00:00Z</updated><link href='old'/></entry>"
        let new = "<entry><updated>2026-12-01T06:01:00Z</updated><link href='new'/></entry>"
        let feed = try feed("<feed>\(String(repeating: old, count: 2_500))\(new)</feed>")
        #expect(feed.entries.first?.link == "new")
        #expect(feed.entries.count == WarningFeed.entryLimit && feed.leftOut == 501)
    }
}
