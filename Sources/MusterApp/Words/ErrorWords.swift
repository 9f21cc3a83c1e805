import MusterKit

/// Errors in words: what happened, and what to do.
@MainActor struct ErrorWords {
    let wording: Wording

    /// The text of an error of MusterKit; nil for one that is no news, such as a cancelled call.
    func text(_ error: MusterError) -> String? {
        let words = wording.words
        func reason(_ text: String) -> KeyValuePairs<String, String> { ["reason": wording.legible(text)] }
        return switch error {
        case .cancelled, .closed: nil
        case .illegalServer(let text): words.text(.errorIllegalServer, ["text": wording.legible(text)])
        case .refused: words.text(.signInWrong)
        case .away: words.text(.signInNoAnswer)
        case .signedOut, .signInNeeded: words.text(.appEnded)
        case .userExists(let name): words.text(.errorUserExists, ["name": wording.legible(name)])
        case .anotherAccount(let user): words.text(.errorAnotherAccount, ["name": wording.legible(user)])
        case .storeOfAnother(let user): words.text(.errorStoreOfAnother, ["name": wording.legible(user)])
        case .deviceFull: words.text(.errorDeviceFull)
        case .wrongKey: words.text(.errorWrongKey)
        case .credentialsUnavailable: words.text(.errorCredentials)
        case .storeUnavailable: words.text(.errorStore)
        case .documentsRefused(let count, _): words.text(.trackingRefused, count: count)
        case .illegalLocation: words.text(.trackingNoPosition)
        case .deviceNotRegistered: words.text(.errorNotRegistered)
        case .illegalKey: words.text(.errorWrongKey)
        case .illegalRecord(let text), .unexpected(let text): words.text(.errorOther, reason(text))
        case .conflict(let dataset, let key): words.text(.errorConflict, ["dataset": dataset, "key": key])
        case .datasetContended(let name): words.text(.errorContended, ["dataset": wording.legible(name)])
        case .datasetRefused(_, let text): words.text(.errorOther, reason(text))
        }
    }

    /// The text of a refusal or of a server that does not answer; nil for a cancelled request.
    func text(_ fault: ServerFault) -> String? {
        let words = wording.words
        return switch fault {
        case .cancelled: nil
        case .signedOut: words.text(.appEnded)
        case .away: words.text(.faultUnanswered)
        case .refused(403, let reason): words.text(.fault403, ["reason": wording.legible(reason)])
        case .refused(404, _): words.text(.fault404)
        case .refused(409, let reason): words.text(.fault409, ["reason": wording.legible(reason)])
        case .refused(412, let reason): words.text(.fault412, ["reason": wording.legible(reason)])
        case .refused(_, let reason): wording.legible(reason)
        }
    }
}
