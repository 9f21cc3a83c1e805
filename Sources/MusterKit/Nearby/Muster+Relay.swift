import MusterCoding
import MusterMutex

extension Muster {
    /// Returns a discovery for `Nearby` that finds devices of the person's team through the server, wherever they are.
    /// While it runs, the people of the team see this person's account and the device's name; an app that signs out
    /// ends it first.
    ///
    /// - Throws: `.illegalServer`. The discovery itself fails when nobody is signed in, or the person belongs to no
    ///   team.
    public func relay() throws(MusterError) -> RelayDiscovery {
        do {
            return try RelayDiscovery(server: server) {
                guard let session = self.state.withLock({ $0.session }),
                    case .basic(let name, let password) = session.credentials
                else { throw MusterError.signedOut }
                return "Basic " + Base64.encode(Array("\(name):\(password)".utf8))
            }
        } catch {
            throw .illegalServer(server)
        }
    }
}
