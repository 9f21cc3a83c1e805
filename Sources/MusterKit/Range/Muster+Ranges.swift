public import MusterCore
import MusterMutex

extension Muster {
    /// Returns the reporter of distances that this device measured to others, for proximity rules and for the contacts
    /// of an incident. It reports for the person who is signed in, as the device of their recorded locations.
    ///
    /// Each call returns the same reporter, with the secret of that call. Ranges that wait for the server are in a file
    /// beside the store. Only the file's owner can read it, and it is not encrypted. Ranges can be recorded before
    /// anybody has signed in. Waiting ranges belong to the account of the store, as its documents do: another account
    /// reports them only if `allowingAccountChange` let it take over the store before the server accepted any range.
    ///
    /// ```
    /// let reporter = try await muster.rangeReporter(secret: try nearbyStore.rangeSecret())
    /// if try await reporter.record(range) { try await reporter.sendAll() }
    /// ```
    ///
    /// - Parameter secret: the secret of this device's range tag, if the person agrees to be measured; nil changes
    ///   nothing about that.
    /// - Throws: `.storeUnavailable`, `.closed`.
    public func rangeReporter(secret: RangeSecret? = nil) async throws(MusterError) -> RangeReporter {
        let opened = state.withLock { state -> Result<RangeReporter, MusterError> in
            if state.isClosed { return .failure(.closed) }
            if let reporter = state.rangeReporter { return .success(reporter) }
            do throws(RangeReportError) {
                let reporter = try RangeReporter(
                    path: rangePath, server: server, secret: secret, connections: options.connections,
                    now: options.pacing.now,
                    reporter: .person { [weak self] in self?.state.withLock { $0.session } })
                state.rangeReporter = reporter
                return .success(reporter)
            } catch {
                return .failure(.storeUnavailable(reason: error.description))
            }
        }
        let reporter = try opened.get()
        await reporter.setSecret(secret)
        return reporter
    }
}
