import MusterCoding
import MusterReplication
import MusterWire

extension HTTPConnections {
    /// The server refused a request for a device, with this status and body.
    struct DeviceRequestError: Error {
        var status: Int
        var body: [UInt8]

        var reason: String? { HTTPConnections.reason(inProblem: body) }
    }

    /// Asks a server for the name of a person's first device. A person without a device gets one, as for their first
    /// recorded location.
    ///
    /// - Parameter server: the server's root address, without a slash at the end.
    /// - Returns: the name of the device; nil if the server lists none although one exists or was just made.
    /// - Throws: `DeviceRequestError`; `ReplicationError` where the server cannot be reached.
    func firstDevice(of user: String, at server: String, credentials: PeerCredentials) async throws -> String? {
        let name = PercentEncoding.encode(user)
        for _ in 0..<2 {
            let (status, body) = try await sendRequest(
                "GET", server + "/api/v1/devices?limit=1&user=\(name)", credentials: credentials)
            guard status == 200 else { throw DeviceRequestError(status: status, body: body) }
            let items = (try? JSONValue(parsing: body))?["items"]?.elements
            if let name = items?.first?["name"]?.string { return name }
            let made = try await sendRequest(
                "POST", server + "/api/v1/users/\(name)/devices", json: Array(#"{"name":"phone"}"#.utf8),
                credentials: credentials)
            // A conflict: a location that was recorded made the device meanwhile.
            guard made.status == 201 || made.status == 409 else {
                throw DeviceRequestError(status: made.status, body: made.body)
            }
        }
        return nil
    }

    /// Asks a server for the device that a token stands for.
    ///
    /// - Parameter server: the server's root address, without a slash at the end.
    /// - Returns: the name of the device; nil if the token does not belong to a device.
    /// - Throws: `DeviceRequestError`; `ReplicationError` where the server cannot be reached.
    func deviceOfToken(at server: String, credentials: PeerCredentials) async throws -> String? {
        let (status, body) = try await sendRequest("GET", server + "/api/v1/session", credentials: credentials)
        guard status == 200 else { throw DeviceRequestError(status: status, body: body) }
        return (try? JSONValue(parsing: body))?["device"]?.string
    }

    /// Returns the server's explanation in a problem document; nil if the body is none.
    static func reason(inProblem body: [UInt8]) -> String? {
        guard let problem = try? JSONValue(parsing: body) else { return nil }
        let fault = problem["errors"]?.elements?.first?["detail"]?.string
        return fault ?? problem["detail"]?.string ?? problem["title"]?.string
    }
}
