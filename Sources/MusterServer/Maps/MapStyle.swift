/// A style of MapLibre at another server, which the operator chose for the live map.
package struct MapStyle: Hashable, Sendable {
    /// The address of the style.
    package let url: String
    /// Its scheme, host and port: what the page may load besides this server's own files.
    package let origin: String

    /// Nil when the text is no address of HTTP, names a user, or has characters that an address does not have.
    package init?(_ url: String) {
        let address = /(https?:\/\/(?:[A-Za-z0-9.\-]+|\[[0-9A-Fa-f:.]+\])(?::[0-9]{1,5})?)([\/?][!-~]*)?/
        guard url.utf8.count <= 2_000, let parts = url.wholeMatch(of: address), !url.contains(/["'<>\\^`{|}]/) else {
            return nil
        }
        self.url = url
        origin = String(parts.1)
    }
}
