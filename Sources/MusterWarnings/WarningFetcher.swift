import Foundation
import MusterHTTP

/// Why a feed or an alert could not be read.
struct WarningFault: Error, Hashable, Sendable {
    /// The reason in words, without a full stop.
    var detail: String
    /// The seconds after which the service wants to be asked again.
    var retryAfterSeconds: Double?
    /// Whether asking again promises little: the document was fetched and cannot be read, it is gone, or its address
    /// may not be asked.
    var isLasting = false
}

/// Gets documents from services, at checked addresses only: those that targets may have.
struct WarningFetcher: Sendable {
    let client: CheckedHTTPClient

    /// The largest document, in bytes.
    static let bodyLimit = 4 << 20
    /// The largest number of redirects that are followed.
    static let redirectLimit = 3
    /// Seconds within which one answer must arrive whole.
    private static let seconds: Int64 = 20
    private static let accepted =
        "application/cap+xml, application/atom+xml, application/rss+xml, application/xml;q=0.9, text/xml;q=0.8"

    /// What a service says of a version of a document, to be asked whether it has changed.
    struct Validators: Hashable, Sendable {
        var entityTag: String?
        var lastModified: String?
    }

    /// A document, or that it has not changed.
    enum Answer: Hashable, Sendable {
        case unchanged
        case document([UInt8], Validators)
    }

    /// Gets a document.
    ///
    /// - Parameter known: the version that the caller has.
    func fetch(_ url: String, known: Validators = Validators()) async throws(WarningFault) -> Answer {
        var url = url
        var headers = [(name: "Accept", value: Self.accepted)]
        if let tag = known.entityTag { headers.append(("If-None-Match", tag)) }
        if let time = known.lastModified { headers.append(("If-Modified-Since", time)) }
        for _ in 0...Self.redirectLimit {
            let answer = try await answer(url, headers)
            switch answer.status {
            case 200:
                return .document(
                    answer.body,
                    Validators(entityTag: answer.fields.entityTag, lastModified: answer.fields.lastModified))
            case 304: return .unchanged
            case 301, 302, 303, 307, 308:
                guard let location = answer.fields.location else {
                    throw WarningFault(detail: "it answered \(answer.status) without a place", isLasting: true)
                }
                let next = try Self.resolve(location, against: url)
                guard !url.lowercased().hasPrefix("https:") || next.lowercased().hasPrefix("https:") else {
                    throw WarningFault(detail: "it leads from https to http", isLasting: true)
                }
                url = next
            case let status:
                throw WarningFault(
                    detail: "it answered \(status)", retryAfterSeconds: answer.retryAfterSeconds,
                    isLasting: status == 404 || status == 410)
            }
        }
        throw WarningFault(detail: "it leads on more than \(Self.redirectLimit) times", isLasting: true)
    }

    private func answer(
        _ url: String, _ headers: [(name: String, value: String)]
    ) async throws(WarningFault) -> CallAnswer {
        let address: HTTPAddress
        do throws(HTTPAddress.ParsingError) {
            address = try HTTPAddress(url)
        } catch {
            throw WarningFault(detail: "an address \(error.detail)", isLasting: true)
        }
        do throws(CallError) {
            return try await client.get(
                address, headers: headers, within: Self.seconds, keepingBodyUpTo: Self.bodyLimit)
        } catch {
            let isLasting: Bool = if case .forbidden = error { true } else { error == .tooLong }
            throw WarningFault(detail: error.reason, isLasting: isLasting)
        }
    }

    /// The URL that a link in a document stands for, without its fragment.
    static func resolve(_ link: String, against base: String) throws(WarningFault) -> String {
        guard let url = URL(string: link, relativeTo: URL(string: base))?.absoluteString else {
            throw WarningFault(detail: "a link is no URL", isLasting: true)
        }
        return String(url.prefix { $0 != "#" })
    }
}
