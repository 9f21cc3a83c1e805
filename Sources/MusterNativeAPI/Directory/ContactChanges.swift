import MusterCore
import MusterServer

/// What a request says about a user's e-mail address, telephone number and display name.
struct ContactChanges: Sendable {
    /// The message for a text that `User.isEmail` refuses.
    static let emailRule =
        "must be one e-mail address of at most \(User.emailBytes) bytes, without a name and without spaces"
    /// The message for a text that `User.isPhone` refuses.
    static let phoneRule =
        "must be \(User.phoneLength.lowerBound) to \(User.phoneLength.upperBound) of the characters + ( ) - . /, "
        + "digits and spaces, at least \(User.fewestPhoneDigits) of them digits"

    /// The message for a text that `User.isDisplayName` refuses.
    static let displayNameRule =
        "must be 1 to \(User.displayNameLimit) characters on one line, at least one of them visible, without control "
        + "characters and without characters that are invisible or turn the direction of the text around them"

    /// The e-mail address that the request sets; `.some(nil)` where it removes the address, nil where it names none.
    private let email: String??
    /// The telephone number that the request sets; `.some(nil)` where it removes the number, nil where it names none.
    private let phone: String??
    /// The display name that the request sets; `.some(nil)` where it removes the name, nil where it names none.
    private let displayName: String??

    /// Reads the members `email`, `phone` and `displayName`. A display name loses the white space around it.
    init(_ fields: inout Fields) {
        email = fields.has("email") ? .some(fields.text("email")) : nil
        phone = fields.has("phone") ? .some(fields.text("phone")) : nil
        displayName = fields.has("displayName") ? .some(fields.text("displayName")?.trimmed) : nil
        if let text = email ?? nil, !User.isEmail(text) { fields.addFault("email", Self.emailRule) }
        if let text = phone ?? nil, !User.isPhone(text) { fields.addFault("phone", Self.phoneRule) }
        if let text = displayName ?? nil, !User.isDisplayName(text) {
            fields.addFault("displayName", Self.displayNameRule)
        }
    }

    func apply(to user: inout User) {
        if let email { user.email = email }
        if let phone { user.phone = phone }
        if let displayName { user.displayName = displayName }
    }
}
