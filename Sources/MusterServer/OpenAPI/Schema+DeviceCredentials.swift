/// The schemas of devices' tokens and certificates.
extension Schema {
    private static let certificateTerms = [
        ("days", #"{"type":"number","minimum":1,"maximum":1825}"#), ("readsAsUser", boolean),
    ]

    /// Where the server's TAK clients connect.
    private static let portMembers = [
        ("port", #"{"type":"integer","minimum":1,"maximum":65535}"#), ("hosts", list(of: text)),
    ]

    static let deviceCredentials: [(String, String)] = [
        ("DeviceToken", object([("device", text), ("token", text)])),
        ("NewDeviceCertificate", object([("request", text)], optional: certificateTerms)),
        (
            "DeviceCertificate",
            object(
                [("device", text), ("certificate", text), ("authority", text), ("expiresAt", time)],
                optional: portMembers)
        ),
        ("NewDeviceEnrollment", object([], optional: certificateTerms)),
        (
            "DeviceEnrollment",
            object([("device", text), ("token", text), ("expiresAt", time)], optional: portMembers)
        ),
        ("TAKCertificate", object([("signedCert", text), ("ca0", text)])), ("CertificateRequest", text),
        ("XMLText", text),
        (
            "DeviceTokenList",
            object([
                (
                    "items",
                    list(
                        of: object(
                            [
                                ("id", text), ("kind", #"{"enum":["token","certificate","enrollment"]}"#),
                                ("createdAt", time),
                            ], optional: [("readsAsUser", boolean), ("madeBy", name), ("expiresAt", time)]))
                )
            ])
        ),
    ]
}
